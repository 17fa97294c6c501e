import { createMemo, createSignal, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Dialog } from '#renderer/components/Dialog.tsx';
import { ChartCanvas, type ViewOptions } from './ChartCanvas.tsx';
import { createCursor } from './cursor.ts';
import type { HeatMapFigure } from './figure.ts';
import { viewOnCell, zoomOf } from './heat-map-view.ts';
import { ColorRangeControl, validRange, ZoomControl } from './HeatMapControls.tsx';
import { describeCell } from './kinds/heat-map.ts';
import type { Place } from './kinds/kind.ts';
import type { View } from './view.ts';
import { createRestHeight } from './window-height.ts';
import './heat-map-focus.css';

interface HeatMapFocusProps {
  figure: HeatMapFigure;
  title: string;
  description: string;
  open: boolean;
  onClose: () => void;
}

/** What the dialog needs of the window beside the picture, in pixels. */
const chromePixels = 225;

/**
 * A heat map in a dialog of its own: zoom by slider, wheel, `+` and `-`; drag or arrows to move; ends of
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
  const [pinned, setPinned] = createSignal<Place>();
  const [colorRange, setColorRange] = createSignal<ViewOptions['colorRange']>({});
  const cursor = createCursor(() => props.figure);
  const zoom = createMemo(() => zoomOf(props.figure, view()));
  const setZoom = (factor: number): void => {
    setView(viewOnCell(props.figure, view(), factor, cursor.place() ?? pinned()));
  };
  const togglePin = (place: Place): void => {
    const before = pinned();
    setPinned(before?.row === place.row && before?.x === place.x ? undefined : place);
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
  const options = createMemo<ViewOptions>(() => ({
    scales: { x: 'linear', y: 'linear' },
    view: view(),
    hidden: new Set<string>(),
    drag: 'pan',
    colorRange: validRange(props.figure, colorRange()) ? colorRange() : {},
  }));
  return (
    <>
      <div class="focus-controls">
        <ZoomControl zoom={zoom()} onChange={setZoom} />
        <ColorRangeControl figure={props.figure} value={colorRange()} onChange={setColorRange} />
        <p class="focus-readout" aria-live="polite">
          <Show when={pinned()} fallback="Click a cell to pin it.">
            {(place) => (
              <>
                Pinned: {describeCell(props.figure, place())}
                <Button onClick={() => setPinned(undefined)}>Unpin</Button>
              </>
            )}
          </Show>
        </p>
      </div>
      <ChartCanvas
        figure={props.figure}
        options={options()}
        cursor={cursor}
        pinned={pinned()}
        title={props.title}
        description="Arrow keys walk over the cells, Enter pins and unpins one, plus and minus zoom, 0 shows everything."
        heightPixels={height()}
        wheelZoom
        onViewChange={(next) => setView(zoomOf(props.figure, next) <= 1 ? {} : next)}
        onPick={togglePin}
        onKey={onKey}
      />
    </>
  );
}
