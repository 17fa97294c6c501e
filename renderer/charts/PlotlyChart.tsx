import type * as PlotlyModule from 'plotly.js-dist-min';
import type { Config, Data, Layout, PlotlyHTMLElement } from 'plotly.js-dist-min';
import {
  createEffect,
  createResource,
  createUniqueId,
  Match,
  on,
  onCleanup,
  onMount,
  Switch,
  untrack,
  type JSX,
} from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { drawFigure, exportedLayout } from './draw-figure.ts';
import type { CellPlace, DrawOptions } from './drawing.ts';
import { isEmptyFigure, type Figure } from './figure.ts';
import { createChartTheme, type ChartTheme } from './theme.ts';
import { viewAfter, viewAfterKey, type Range, type View } from './view.ts';

type Plotly = typeof PlotlyModule;

/** A picture file that can be made of a chart. */
export type PictureFormat = 'png' | 'svg';

export interface PlotlyChartProps {
  figure: Figure;
  options: DrawOptions;
  /** Accessible name. */
  title: string;
  /** Accessible description: what the picture shows. */
  description: string;
  heightPixels: number;
  onViewChange: (view: View) => void;
  /** The wheel zooms: only where the chart has the window for itself. */
  wheelZoom?: boolean;
  onCellClick?: (place: CellPlace) => void;
  /** Asked first about each key; true when it was used. */
  onKey?: (key: string) => boolean;
}

/** Loaded on first use: 1.5 MB that pages without a chart never fetch. */
async function loadPlotly(): Promise<Plotly> {
  const module: unknown = await import('plotly.js-dist-min');
  // The bundle is CommonJS: its exports may arrive as the default of the module made of it.
  return (module as { default?: Plotly }).default ?? (module as Plotly);
}

function drawForPlotly(figure: Figure, theme: ChartTheme, options: DrawOptions) {
  const { data, layout } = drawFigure(figure, theme, options);
  return { data: data as Data[], layout: layout as Partial<Layout>, drawn: layout };
}

/** The figure as the reader sees it, with title and legend inside, as a file; PNG in twice the pixels. */
export async function renderPicture(
  figure: Figure,
  theme: ChartTheme,
  options: DrawOptions,
  picture: { title: string; format: PictureFormat; width: number; height: number },
): Promise<Blob> {
  const { title, format, width, height } = picture;
  const { data, drawn } = drawForPlotly(figure, theme, options);
  const plotly = await loadPlotly();
  const text = await plotly.toImage(
    { data, layout: exportedLayout(drawn, theme, title) as Partial<Layout> },
    { format, width, height, scale: format === 'png' ? 2 : 1, imageDataOnly: true },
  );
  if (format === 'svg') return new Blob([text], { type: 'image/svg+xml' });
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: 'image/png' });
}

/**
 * One picture, kept up to date with its figure, the theme and its own size. Dragging zooms and a double
 * click shows everything; with the focus on it, `+` and `-` zoom x, ← and → move, `0` shows everything.
 */
export function PlotlyChart(props: PlotlyChartProps): JSX.Element {
  const descriptionId = createUniqueId();
  const [plotly, { refetch }] = createResource(loadPlotly);
  const library = (): Plotly | undefined => (plotly.state === 'ready' ? plotly() : undefined);
  return (
    <div class="chart-frame" style={{ height: `${props.heightPixels}px` }}>
      <p id={descriptionId} class="visually-hidden">
        {props.description}
      </p>
      <Switch fallback={<Skeleton shape={{ blockPixels: props.heightPixels }} />}>
        <Match when={isEmptyFigure(props.figure)}>
          <p class="chart-empty">{props.figure.empty}</p>
        </Match>
        <Match when={plotly.error}>
          <div class="chart-empty" role="alert">
            <p>The chart library could not be loaded, so there is no picture.</p>
            <Button size="small" onClick={() => void refetch()}>
              Retry
            </Button>
          </div>
        </Match>
        <Match when={library()}>
          {(loaded) => <PlotlyCanvas {...props} plotly={loaded()} descriptionId={descriptionId} />}
        </Match>
      </Switch>
    </div>
  );
}

interface PlotlyCanvasProps extends PlotlyChartProps {
  plotly: Plotly;
  descriptionId: string;
}

function PlotlyCanvas(props: PlotlyCanvasProps): JSX.Element {
  const theme = createChartTheme();
  let element!: PlotlyHTMLElement;
  const draw = (): void => {
    const { data, layout } = drawForPlotly(props.figure, theme(), props.options);
    void props.plotly.react(element, data, layout, configOf(props.wheelZoom === true));
  };
  onMount(() => {
    // The first drawing makes the element one that can be listened to.
    untrack(draw);
    listen(element, props);
    createEffect(on(() => [props.figure, theme(), props.options], draw, { defer: true }));
    const resizing = new ResizeObserver(() => {
      if (element.offsetParent !== null) props.plotly.Plots.resize(element);
    });
    resizing.observe(element);
    onCleanup(() => {
      resizing.disconnect();
      props.plotly.purge(element);
    });
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !usesKey(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const usesKey = (key: string): boolean => {
    if (props.onKey?.(key)) return true;
    const view = viewAfterKey(props.options.view, key, wholeRange(element), props.options.scales.x);
    if (view) props.onViewChange(view);
    return view !== null;
  };
  return (
    <div
      ref={(node) => (element = node as unknown as PlotlyHTMLElement)}
      class="chart-canvas"
      role={props.onCellClick ? 'application' : 'img'}
      aria-roledescription="chart"
      tabindex="0"
      aria-label={props.title}
      aria-describedby={props.descriptionId}
      onKeyDown={onKeyDown}
    />
  );
}

function configOf(wheelZoom: boolean): Partial<Config> {
  return { displayModeBar: false, doubleClick: 'reset', scrollZoom: wheelZoom, showTips: false };
}

function listen(element: PlotlyHTMLElement, props: PlotlyCanvasProps): void {
  element.on('plotly_relayout', (event) => {
    const view = viewAfter(
      props.options.view,
      event as Record<string, unknown>,
      props.options.scales,
    );
    if (view !== props.options.view) props.onViewChange(view);
  });
  element.on('plotly_doubleclick', () => props.onViewChange({}));
  element.on('plotly_click', ({ points }) => {
    // Of a heat map Plotly reports the cell as [row, column].
    const place: unknown = points[0]?.pointIndex;
    if (!Array.isArray(place) || typeof place[0] !== 'number' || typeof place[1] !== 'number')
      return;
    props.onCellClick?.({ row: place[0], column: place[1] });
  });
}

/** The range of x now drawn, which Plotly writes back into the layout it was given. */
function wholeRange(element: PlotlyHTMLElement): Range | undefined {
  const range: unknown = element.layout?.xaxis?.range;
  return Array.isArray(range) && typeof range[0] === 'number' && typeof range[1] === 'number'
    ? [range[0], range[1]]
    : undefined;
}
