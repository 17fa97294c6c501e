import { createMemo, createSignal, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { TextField } from '#renderer/ui/TextField.tsx';
import { ChartCanvas } from './ChartCanvas.tsx';
import { createCursor } from './cursor.ts';
import type { HeatMapFigure } from './figure.ts';
import { largestZoom, getViewOnCell, getZoom } from './heat-map-view.ts';
import { describeCell, type Place } from './reading.ts';
import type { Choice, View } from './scene.ts';
import { getColorRange, isEmptyFigure, getScene } from './scenes.ts';
import { createRestHeight } from './window-height.ts';
import './heat-map-focus.css';

interface HeatMapFocusProps {
  figure: HeatMapFigure;
  title: string;
  description: string;
  open: boolean;
  onClose: () => void;
}

/** Size of the dialog without the picture, in pixels. */
const chromePixels = 225;

/**
 * A heat map in a dialog: zoom by slider, wheel, `+` and `-`; drag or arrows to move; ends of
 * the colour scale; a cell's tooltip pinned by a click or Enter and unpinned the same way.
 */
export function HeatMapFocus(props: HeatMapFocusProps): JSX.Element {
  return (
    <Dialog
      title={props.title}
      description={props.description}
      size="wide"
      open={props.open}
      onClose={props.onClose}
    >
      <FocusedHeatMap figure={props.figure} title={props.title} />
    </Dialog>
  );
}

function FocusedHeatMap(props: { figure: HeatMapFigure; title: string }): JSX.Element {
  const [view, setView] = createSignal<View>({});
  const [pinnedPlace, setPinnedPlace] = createSignal<Place>();
  const [colorRange, setColorRange] = createSignal<Choice['colorRange']>({});
  const scene = createMemo(() =>
    getScene(props.figure, {
      scales: { x: 'linear', y: 'linear' },
      view: view(),
      hidden: new Set<string>(),
      colorRange: isValidRange(props.figure, colorRange()) ? colorRange() : {},
    }),
  );
  const cursor = createCursor(scene);
  const zoom = createMemo(() => getZoom(props.figure, view()));
  const setZoom = (factor: number): void => {
    setView(getViewOnCell(props.figure, view(), factor, cursor.place() ?? pinnedPlace()));
  };
  const togglePin = (place: Place): void => {
    const before = pinnedPlace();
    setPinnedPlace(before?.row === place.row && before?.x === place.x ? undefined : place);
  };
  const onKey = (key: string): boolean => {
    const place = cursor.place();
    if (key === '+' || key === '=') setZoom(zoom() * 1.25);
    else if (key === '-') setZoom(zoom() / 1.25);
    else if (place && (key === 'Enter' || key === ' ')) togglePin(place);
    else return false;
    return true;
  };
  const height = createRestHeight(chromePixels, 290);
  return (
    <>
      <div class="focus-controls">
        <ZoomControl zoom={zoom()} onChange={setZoom} />
        <ColorRangeControl figure={props.figure} value={colorRange()} onChange={setColorRange} />
        <p class="focus-readout" aria-live="polite">
          <Show when={pinnedPlace()} fallback="Click a cell to pin it.">
            {(place) => (
              <>
                Pinned: {describeCell(scene(), place())}
                <Button onClick={() => setPinnedPlace(undefined)}>Unpin</Button>
              </>
            )}
          </Show>
        </p>
      </div>
      <ChartCanvas
        scene={scene()}
        empty={isEmptyFigure(props.figure) ? props.figure.empty : undefined}
        view={view()}
        cursor={cursor}
        pinnedPlace={pinnedPlace()}
        title={props.title}
        description="Arrow keys move over the cells, Enter pins and unpins one, plus and minus zoom, 0 shows everything."
        heightPixels={height()}
        isAlone
        onViewChange={(next) => setView(getZoom(props.figure, next) <= 1 ? {} : next)}
        onPick={togglePin}
        onKey={onKey}
      />
    </>
  );
}

/** Slider of the zoom of a heat map. */
function ZoomControl(props: { zoom: number; onChange: (zoom: number) => void }): JSX.Element {
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
  value: Choice['colorRange'];
  onChange: (range: Choice['colorRange']) => void;
}

/**
 * Returns whether the ends of the colour range are valid: the minimum is below the maximum, or the user chose neither.
 */
function isValidRange(figure: HeatMapFigure, range: Choice['colorRange']): boolean {
  const [minimum, maximum] = getColorRange(figure, range);
  return minimum < maximum || Object.keys(range).length === 0;
}

/** Fields for the ends of the colour scale, and a button that resets them. */
function ColorRangeControl(props: ColorRangeControlProps): JSX.Element {
  const range = (): [number, number] => getColorRange(props.figure, props.value);
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
        value={String(range()[0])}
        error={
          isValidRange(props.figure, props.value) ? undefined : `Enter a value below ${range()[1]}.`
        }
        onInput={(text) => change('minimum', text)}
      />
      <TextField
        label="to"
        type="number"
        step="any"
        value={String(range()[1])}
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
