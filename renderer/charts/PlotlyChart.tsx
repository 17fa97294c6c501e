import type { PlotlyHTMLElement } from 'plotly.js-dist-min';
import { createEffect, createResource, Match, on, onCleanup, Switch, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { cancelDrawing, drawSoon } from './draw-queue.ts';
import { isEqualData } from './equal-data.ts';
import type { PlotlyDrawing } from './picture.ts';
import { loadPlotly } from './plotly.ts';
import type { RelayoutReport } from './view.ts';

type Plotly = Awaited<ReturnType<typeof loadPlotly>>;

interface PlotlyChartProps {
  drawing: PlotlyDrawing;
  /** Changes with each choice of a part to look at: what the reader did by hand since gives way to it. */
  revision: string;
  heightPixels: number;
  /** The wheel zooms: only where the chart has the window for itself. */
  wheelZoom: boolean;
  onRelayout: (report: RelayoutReport) => void;
  onDoubleClick: () => void;
}

/** One drawing, kept up to date. Dragging zooms or moves it. */
export function PlotlyChart(props: PlotlyChartProps): JSX.Element {
  const [plotly, { refetch }] = createResource(loadPlotly);
  const library = (): Plotly | undefined => (plotly.state === 'ready' ? plotly() : undefined);
  return (
    <Switch fallback={<Skeleton shape={{ blockPixels: props.heightPixels }} />}>
      <Match when={plotly.error}>
        <div class="chart-empty" role="alert">
          <p>The chart library could not be loaded, so there is no picture.</p>
          <Button size="small" onClick={() => void refetch()}>
            Retry
          </Button>
        </div>
      </Match>
      <Match when={library()}>{(loaded) => <PlotlyCanvas {...props} plotly={loaded()} />}</Match>
    </Switch>
  );
}

function PlotlyCanvas(props: PlotlyChartProps & { plotly: Plotly }): JSX.Element {
  let element!: PlotlyHTMLElement;
  let isListening = false;
  let drawn: PlotlyDrawing['data'] = [];
  const draw = (): void => {
    const { layout } = props.drawing;
    const data = withKept(drawn, props.drawing.data);
    drawn = data;
    void props.plotly.react(
      element,
      data,
      { ...layout, uirevision: props.revision },
      { displayModeBar: false, doubleClick: false, scrollZoom: props.wheelZoom, showTips: false },
    );
    // The first drawing makes the element one that can be listened to.
    if (!isListening) listen(element, props);
    isListening = true;
  };
  createEffect(on([() => props.drawing, () => props.revision], () => drawSoon(element, draw)));
  onCleanup(() => {
    cancelDrawing(element);
    props.plotly.purge(element);
  });
  return (
    <div class="chart-plot" ref={(node) => (element = node as unknown as PlotlyHTMLElement)} />
  );
}

/** The new traces, with the former one in the place of each that is equal to it: Plotly leaves what is the same object. */
function withKept(former: PlotlyDrawing['data'], next: PlotlyDrawing['data']) {
  return next.map((trace, index) => {
    const before = former[index];
    return before && isEqualData(before, trace) ? before : trace;
  });
}

function listen(element: PlotlyHTMLElement, props: PlotlyChartProps): void {
  element.on('plotly_relayout', (event) => {
    props.onRelayout(event as RelayoutReport);
  });
  element.on('plotly_doubleclick', () => {
    props.onDoubleClick();
  });
}
