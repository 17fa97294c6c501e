import { formatFitness } from '#shared/number-format.ts';
import { keptIndices, maximumTracePoints, windowIndices } from './downsample.ts';
import {
  drawnAxis,
  drawnLayout,
  escapeMarkup,
  referenceLabel,
  referenceLine,
  traceId,
  type DrawnLayout,
  type DrawOptions,
} from './drawing.ts';
import {
  axisTitle,
  isValue,
  type Cell,
  type LineFigure,
  type Scales,
  type Series,
} from './figure.ts';
import { seriesLook, withOpacity, type ChartTheme } from './theme.ts';
import { tickSteps } from './tick-steps.ts';

/** One curve, or one edge of a band, as Plotly takes it. */
export interface DrawnTrace {
  type: 'scatter';
  uid: string;
  name: string;
  x: number[];
  y: Cell[];
  mode: 'lines' | 'markers' | 'lines+markers';
  visible: boolean;
  showlegend: boolean;
  line: { color: string; width: number; dash: string; shape: 'linear' | 'hv' };
  marker?: { color: string; size: number; symbol: string; line: { color: string; width: number } };
  fill?: 'tonexty';
  fillcolor?: string;
  hoverinfo?: 'skip';
  customdata?: string[];
  hovertemplate?: string;
}

/**
 * Curves as Plotly takes them: at most {@link maximumTracePoints} points per trace of what the view
 * shows, series over the same x thinned together; a band is two traces without line before its series.
 * `options.scales` must be allowed for the figure (see `allowedScales`).
 */
export function drawLines(
  figure: LineFigure,
  theme: ChartTheme,
  options: DrawOptions,
): { data: DrawnTrace[]; layout: DrawnLayout } {
  const floor = options.scales.y === 'log' ? smallestValue(figure) : undefined;
  const data = thinned(figure.series, options).flatMap((series) =>
    drawSeries(series, theme, {
      visible: !options.hidden.has(series.name),
      floor,
      nameOf: (value) => figure.y.categories?.[value] ?? formatFitness(value),
    }),
  );
  return { data, layout: lineLayout(figure, theme, options) };
}

function smallestValue({ series }: LineFigure): number {
  return Math.min(...series.map(({ y }) => y.reduce<number>(smaller, Infinity)));
}

function smaller(least: number, cell: Cell): number {
  return isValue(cell) && cell < least ? cell : least;
}

/** The series with the points that are drawn; those that share one x array keep the same points. */
function thinned(series: readonly Series[], { view, scales }: DrawOptions): Series[] {
  const kept = new Map<readonly number[], number[]>();
  for (const x of new Set(series.map((one) => one.x))) {
    const [start, end] = windowIndices(x, view.x);
    const columns = series
      .filter((one) => one.x === x)
      .flatMap(({ y, band }) => (band ? [y, band.lower, band.upper] : [y]))
      .map((column) => column.slice(start, end));
    const indices = keptIndices(x.slice(start, end), columns, maximumTracePoints, scales.x);
    kept.set(x, start === 0 ? indices : indices.map((index) => index + start));
  }
  return series.map((one) => pick(one, kept.get(one.x) ?? []));
}

function pick(series: Series, indices: readonly number[]): Series {
  const { x, y, band, hoverNotes } = series;
  return {
    ...series,
    x: indices.map((index) => x[index] ?? Number.NaN),
    y: cellsAt(y, indices),
    ...(band && {
      band: {
        name: band.name,
        lower: cellsAt(band.lower, indices),
        upper: cellsAt(band.upper, indices),
      },
    }),
    ...(hoverNotes && { hoverNotes: indices.map((index) => hoverNotes[index] ?? '') }),
  };
}

function cellsAt(column: readonly Cell[], indices: readonly number[]): Cell[] {
  return indices.map((index) => column[index] ?? null);
}

interface SeriesOptions {
  visible: boolean;
  /** Where a band is cut on a log axis, which has no place for 0 and below. */
  floor: number | undefined;
  nameOf: (value: number) => string;
}

function drawSeries(series: Series, theme: ChartTheme, options: SeriesOptions): DrawnTrace[] {
  const look = seriesLook(theme, series.paletteIndex);
  const line: DrawnTrace['line'] = {
    color: look.color,
    width: 2,
    dash: look.dash,
    shape: series.shape === 'step' ? 'hv' : 'linear',
  };
  const trace: DrawnTrace = {
    type: 'scatter',
    uid: traceId(series.name),
    name: escapeMarkup(series.name),
    ...reached(series),
    mode: modeOf(series),
    visible: options.visible,
    showlegend: true,
    line,
    ...(modeOf(series) !== 'lines' && { marker: markerOf(look, theme) }),
    customdata: hoverTexts(series, options.nameOf),
    hovertemplate: '%{customdata}',
  };
  return [
    ...drawBand(series, trace, theme, options.floor),
    ...drawRunTraces(series, trace, theme),
    trace,
  ];
}

/** The points with the ends that the series is drawn to; see `reach`. */
function reached({ x, y, stepExtent }: Series): { x: number[]; y: Cell[] } {
  if (!stepExtent) return { x: [...x], y: [...y] };
  const [from, to] = stepExtent;
  return {
    x: [Math.min(from, x[0] ?? from), ...x, Math.max(to, x.at(-1) ?? to)],
    y: [0, ...y, y.at(-1) ?? 0],
  };
}

const runTraceOpacity = 0.35;

/** All runTraces as one trace with gaps between them. */
function drawRunTraces(
  { runTraces, name, paletteIndex }: Series,
  { line, visible }: DrawnTrace,
  theme: ChartTheme,
): DrawnTrace[] {
  if (!runTraces) return [];
  const color = withOpacity(seriesLook(theme, paletteIndex).color, runTraceOpacity);
  return [
    {
      type: 'scatter',
      uid: traceId(`${name}, each`),
      name: escapeMarkup(`${name}, each`),
      x: runTraces.flatMap(({ x }) => [...x, x.at(-1) ?? 0]),
      y: runTraces.flatMap(({ y }) => [...y, null]),
      mode: 'lines',
      visible,
      showlegend: false,
      line: { ...line, color, width: 1, dash: 'solid' },
      hoverinfo: 'skip',
    },
  ];
}

/** A point between gaps, such as the only one of a run that has just begun, makes no line. */
function modeOf({ shape, y, stepExtent }: Series): DrawnTrace['mode'] {
  if (shape === 'points') return 'markers';
  if (stepExtent) return 'lines';
  const isAlone = y.some(
    (value, index) => isValue(value) && !isValue(y[index - 1]) && !isValue(y[index + 1]),
  );
  return isAlone ? 'lines+markers' : 'lines';
}

function markerOf(look: { color: string; marker: string }, theme: ChartTheme) {
  return {
    color: look.color,
    size: 9,
    symbol: look.marker,
    line: { color: theme.surface, width: 1 },
  };
}

function hoverTexts(series: Series, nameOf: (value: number) => string): string[] {
  const texts = pointTexts(series, nameOf);
  return series.stepExtent ? [nameOf(0), ...texts, texts.at(-1) ?? nameOf(0)] : texts;
}

function pointTexts({ y, band, hoverNotes }: Series, nameOf: (value: number) => string): string[] {
  return y.map((value, index) => {
    if (!isValue(value)) return '';
    const lower = band?.lower[index];
    const upper = band?.upper[index];
    const range = isValue(lower) && isValue(upper) ? ` [${nameOf(lower)}, ${nameOf(upper)}]` : '';
    const remark = hoverNotes?.[index];
    return escapeMarkup(`${nameOf(value)}${range}${remark ? ` · ${remark}` : ''}`);
  });
}

function drawBand(
  { band, name, paletteIndex }: Series,
  trace: DrawnTrace,
  theme: ChartTheme,
  floor: number | undefined,
): DrawnTrace[] {
  if (!band) return [];
  const { x, visible, line } = trace;
  const edge = (side: 'lower' | 'upper'): DrawnTrace => ({
    type: 'scatter',
    uid: traceId(`${name}, ${side}`),
    name: escapeMarkup(`${band.name}, ${side}`),
    x,
    y: band[side].map((value) => (isValue(value) && floor ? Math.max(value, floor) : value)),
    mode: 'lines',
    visible,
    showlegend: false,
    line: { ...line, width: 0, dash: 'solid' },
    hoverinfo: 'skip',
  });
  const fillcolor = withOpacity(seriesLook(theme, paletteIndex).color, theme.bandOpacity);
  return [edge('lower'), { ...edge('upper'), fill: 'tonexty', fillcolor }];
}

function lineLayout(figure: LineFigure, theme: ChartTheme, options: DrawOptions): DrawnLayout {
  const { scales, view } = options;
  const layout = drawnLayout(theme, options, {
    xaxis: drawnAxis(theme, titleOn(figure.x, scales.x), scales.x, view.x),
    yaxis: drawnAxis(theme, titleOn(figure.y, scales.y), scales.y, view.y),
  });
  const { categories } = figure.y;
  return {
    ...layout,
    hovermode: 'x unified',
    xaxis: {
      ...layout.xaxis,
      showgrid: false,
      ticks: 'outside',
      // With more, Plotly labels each digit and sets the powers of ten off the line.
      ...(scales.x === 'log' && { nticks: 4 }),
      unifiedhovertitle: { text: `${escapeMarkup(axisTitle(figure.x))} %{x}` },
      ...tickSteps(figure, options),
    },
    yaxis: {
      ...layout.yaxis,
      ...(categories && categoryTicks(categories, view)),
      ...(figure.y.range && scales.y === 'linear' && !view.y && fixedRange(figure.y.range)),
    },
    shapes: placed(figure, scales).map(({ value }) => referenceLine(value, theme)),
    annotations: placed(figure, scales).map(({ value, label }) =>
      referenceLabel(scales.y === 'log' ? Math.log10(value) : value, label, theme),
    ),
  };
}

/** The references that have a place on the axis. */
function placed({ references }: LineFigure, { y }: Scales): LineFigure['references'] {
  return references.filter(({ value }) => y === 'linear' || value > 0);
}

function titleOn(axis: LineFigure['x'], scale: Scales['x']): string {
  return scale === 'log' ? `${axisTitle(axis)}, log` : axisTitle(axis);
}

function fixedRange(range: readonly [number, number]) {
  return { autorange: false, range: [...range] };
}

function categoryTicks(categories: readonly string[], view: DrawOptions['view']) {
  return {
    tickmode: 'array' as const,
    tickvals: categories.map((_, index) => index),
    ticktext: categories.map(escapeMarkup),
    ...(view.y ? {} : { autorange: false, range: [-0.6, categories.length - 0.4] }),
  };
}
