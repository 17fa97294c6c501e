import type * as PlotlyModule from 'plotly.js-dist-min';
import type { PlotlyHTMLElement } from 'plotly.js-dist-min';
import {
  createEffect,
  createResource,
  Match,
  on,
  onCleanup,
  onMount,
  Switch,
  type JSX,
} from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import type { PlotlyDrawing } from './picture.ts';
import type { RelayoutReport } from './view.ts';

type Plotly = typeof PlotlyModule;

async function importPlotly(): Promise<Plotly> {
  const module: unknown = await import('plotly.js-dist-min');
  // The bundle is CommonJS: its exports may arrive as the default of the module made of it.
  return (module as { default?: Plotly }).default ?? (module as Plotly);
}

// 1.5 MB that pages without a chart never fetch. It begins to load with this module, not when there is data to draw.
let loading = importPlotly();
// Who draws with it says that it could not be loaded.
loading.catch(() => undefined);

/** The library; a failed load is tried again. */
async function loadPlotly(): Promise<Plotly> {
  try {
    return await loading;
  } catch (error) {
    loading = importPlotly();
    loading.catch(() => undefined);
    throw error;
  }
}

/** The SVG text of a drawing as it would be on the page. */
export async function plotlySvg({ data, layout }: PlotlyDrawing): Promise<string> {
  const plotly = await loadPlotly();
  const { width = 0, height = 0 } = layout;
  return plotly.toImage({ data, layout }, { format: 'svg', width, height, imageDataOnly: true });
}

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
  const draw = (): void => {
    const { data, layout } = props.drawing;
    void props.plotly.react(
      element,
      data,
      { ...layout, uirevision: props.revision },
      { displayModeBar: false, doubleClick: false, scrollZoom: props.wheelZoom, showTips: false },
    );
  };
  onMount(() => {
    draw();
    // The first drawing makes the element one that can be listened to.
    listen(element, props);
    createEffect(on(() => [props.drawing, props.revision], draw, { defer: true }));
    onCleanup(() => props.plotly.purge(element));
  });
  return (
    <div class="chart-plot" ref={(node) => (element = node as unknown as PlotlyHTMLElement)} />
  );
}

function listen(element: PlotlyHTMLElement, props: PlotlyChartProps): void {
  element.on('plotly_relayout', (event) => {
    props.onRelayout(event as RelayoutReport);
  });
  element.on('plotly_doubleclick', () => {
    props.onDoubleClick();
  });
}
