import type { JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { TextField } from '#renderer/components/TextField.tsx';
import type { ViewOptions } from './ChartCanvas.tsx';
import type { HeatMapFigure } from './figure.ts';
import { largestZoom } from './heat-map-view.ts';
import { colorRangeOf } from './kinds/heat-map.ts';

/** A slider for how near a heat map is. */
export function ZoomControl(props: {
  zoom: number;
  onChange: (zoom: number) => void;
}): JSX.Element {
  return (
    <label class="focus-zoom">
      Zoom
      <input
        type="range"
        min="1"
        max={largestZoom}
        step="0.25"
        value={props.zoom}
        onInput={(event) => props.onChange(event.currentTarget.valueAsNumber)}
      />
      <output>{props.zoom.toFixed(2)}×</output>
    </label>
  );
}

interface ColorRangeControlProps {
  figure: HeatMapFigure;
  value: ViewOptions['colorRange'];
  onChange: (range: ViewOptions['colorRange']) => void;
}

/** Whether the chosen ends leave a range to colour. */
export function validRange(figure: HeatMapFigure, chosen: ViewOptions['colorRange']): boolean {
  const [minimum, maximum] = colorRangeOf(figure, chosen);
  return minimum < maximum;
}

/** Fields for the ends of the colour scale, and the way back to its own. */
export function ColorRangeControl(props: ColorRangeControlProps): JSX.Element {
  const shown = (): [number, number] => colorRangeOf(props.figure, props.value);
  const change = (end: 'minimum' | 'maximum', text: string): void => {
    const { [end]: _, ...rest } = props.value;
    const value = Number(text);
    props.onChange(
      text.trim() === '' || !Number.isFinite(value) ? rest : { ...rest, [end]: value },
    );
  };
  return (
    <div class="focus-range" role="group" aria-label="Colour range">
      <TextField
        label="Colour from"
        type="number"
        step="any"
        value={String(shown()[0])}
        error={validRange(props.figure, props.value) ? undefined : 'must be below the other end'}
        onInput={(text) => change('minimum', text)}
      />
      <TextField
        label="to"
        type="number"
        step="any"
        value={String(shown()[1])}
        onInput={(text) => change('maximum', text)}
      />
      <Button
        disabledReason={
          Object.keys(props.value).length === 0 ? 'The colours span all values.' : undefined
        }
        onClick={() => props.onChange({})}
      >
        Reset range
      </Button>
    </div>
  );
}
