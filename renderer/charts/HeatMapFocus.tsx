import { createMemo, createSignal, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Dialog } from '#renderer/components/Dialog.tsx';
import { describeCell } from './draw-heat-map.ts';
import { plainDrawing, type CellPlace, type DrawOptions } from './drawing.ts';
import type { HeatMapFigure } from './figure.ts';
import { movedCell, viewOnCell, zoomOf } from './heat-map-view.ts';
import { ColorRangeControl, validRange, ZoomControl } from './HeatMapControls.tsx';
import { PlotlyChart } from './PlotlyChart.tsx';
import type { View } from './view.ts';
import { createWindowHeight } from './window-height.ts';

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
  const [cursor, setCursor] = createSignal<CellPlace>();
  const [pinned, setPinned] = createSignal<CellPlace>();
  const [colorRange, setColorRange] = createSignal<DrawOptions['colorRange']>({});
  const zoom = createMemo(() => zoomOf(props.figure, view()));
  const setZoom = (factor: number): void => {
    setView(viewOnCell(props.figure, view(), factor, cursor() ?? pinned()));
  };
  const moveCursor = (key: string): boolean => {
    const moved = movedCell(props.figure, cursor() ?? pinned(), key);
    if (!moved) return false;
    setCursor(moved);
    setView(viewOnCell(props.figure, view(), zoom(), moved));
    return true;
  };
  const togglePin = (place: CellPlace): void => {
    const before = pinned();
    const isSame = before?.row === place.row && before.column === place.column;
    setPinned(isSame ? undefined : place);
  };
  const onKey = (key: string): boolean => {
    if (key === '+' || key === '=') setZoom(zoom() * 1.25);
    else if (key === '-') setZoom(zoom() / 1.25);
    else if (key === '0') setView({});
    else if (key === 'Enter' || key === ' ') {
      const place = cursor();
      if (!place) return false;
      togglePin(place);
    } else return moveCursor(key);
    return true;
  };
  const windowHeight = createWindowHeight();
  const options = createMemo<DrawOptions>(() => ({
    ...plainDrawing,
    view: view(),
    drag: 'pan',
    colorRange: validRange(props.figure, colorRange()) ? colorRange() : {},
    ...optional('pinned', pinned()),
    ...optional('cursor', cursor()),
  }));
  return (
    <>
      <div class="focus-controls">
        <ZoomControl zoom={zoom()} onChange={setZoom} />
        <ColorRangeControl figure={props.figure} value={colorRange()} onChange={setColorRange} />
        <p class="focus-readout" aria-live="polite">
          <Show
            when={pinned()}
            fallback={
              cursor()
                ? describeCell(props.figure, cursor() as CellPlace)
                : 'Click a cell to pin it.'
            }
          >
            {(place) => (
              <>
                Pinned: {describeCell(props.figure, place())}
                <Button onClick={() => setPinned(undefined)}>Unpin</Button>
              </>
            )}
          </Show>
        </p>
      </div>
      <PlotlyChart
        figure={props.figure}
        options={options()}
        title={props.title}
        description="Arrow keys walk over the cells, Enter pins and unpins one, plus and minus zoom, 0 shows everything."
        heightPixels={Math.max(290, windowHeight() - chromePixels)}
        wheelZoom
        onViewChange={(next) => setView(zoomOf(props.figure, next) <= 1 ? {} : next)}
        onCellClick={togglePin}
        onKey={onKey}
      />
    </>
  );
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined) {
  return (value === undefined ? {} : { [key]: value }) as { [name in Key]?: Value };
}
