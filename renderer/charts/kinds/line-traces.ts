import type { Dash, ScatterData } from 'plotly.js-dist-min';
import { keptIndices, maximumTracePoints, windowIndices } from '#renderer/charts/downsample.ts';
import { isValue, type Cell, type Scale, type Series } from '#renderer/charts/figure.ts';
import { escapeMarkup, pixelOf, traceId, valueAt, type Picture } from '#renderer/charts/picture.ts';
import {
  seriesLook,
  usualTextPixels,
  withOpacity,
  type ChartTheme,
} from '#renderer/charts/theme.ts';
import type { Range } from '#renderer/charts/view.ts';
import { valueOf } from './line-reading.ts';

type Trace = Partial<ScatterData>;

/** A trace under a name of its own; `label` is what Plotly calls it. */
function scatter(name: string, more: Trace, label = name): Trace {
  return {
    type: 'scatter',
    uid: traceId(name),
    name: escapeMarkup(label),
    showlegend: false,
    ...more,
  };
}

/** The series with the points that are drawn; those that share one x array keep the same points. */
export function thinned(
  series: readonly Series[],
  seen: Range,
  scale: Scale,
  most = maximumTracePoints,
): Series[] {
  const kept = new Map<readonly number[], number[]>();
  for (const x of new Set(series.map((one) => one.x))) {
    const [start, end] = windowIndices(x, seen);
    const columns = series
      .filter((one) => one.x === x)
      .flatMap(({ y, band }) => (band ? [y, band.lower, band.upper] : [y]))
      .map((column) => column.slice(start, end));
    const indices = keptIndices(x.slice(start, end), columns, most, scale);
    kept.set(x, start === 0 ? indices : indices.map((index) => index + start));
  }
  return series.map((one) => pick(one, kept.get(one.x) ?? []));
}

function pick(series: Series, indices: readonly number[]): Series {
  const { x, y, band } = series;
  const at = (column: readonly Cell[]) => indices.map((index) => column[index] ?? null);
  return {
    ...series,
    x: indices.map((index) => x[index] ?? Number.NaN),
    y: at(y),
    ...(band && { band: { ...band, lower: at(band.lower), upper: at(band.upper) } }),
  };
}

/** The traces of one series, from back to front: band, single runs, curve. `floor` is where a log axis begins. */
export function drawSeries(points: Series, theme: ChartTheme, floor: number): Trace[] {
  const series = stepped(points);
  const look = seriesLook(theme, series.paletteIndex);
  const mode = modeOf(series);
  const thickness = theme.textPixels / usualTextPixels;
  const curve: Trace = {
    type: 'scatter',
    uid: traceId(series.name),
    name: escapeMarkup(series.legendNote ? `${series.name}, ${series.legendNote}` : series.name),
    x: [...series.x],
    y: [...series.y],
    mode,
    showlegend: true,
    line: {
      color: look.color,
      width: 2 * thickness,
      // Plotly takes lists of lengths too, though its types know of none.
      dash: look.dash as Dash,
      shape: series.shape === 'step' ? 'hv' : 'linear',
    },
  };
  if (mode !== 'lines') {
    const line = { color: theme.surface, width: 1 };
    curve.marker = { color: look.color, size: 9 * thickness, symbol: look.symbol, line };
  }
  return [
    ...drawBand(series, curve, theme, floor),
    ...drawRunTraces(series, curve),
    curve,
    ...drawCross(points, curve, theme),
  ];
}

/** The series with the ends that it is drawn to, its band included; see `stepExtent`. */
export function stepped(series: Series): Series {
  const { x, y, band, stepExtent } = series;
  if (!stepExtent) return series;
  const [from, to] = stepExtent;
  const held = (edge: readonly Cell[]): Cell[] => [edge[0] ?? null, ...edge, edge.at(-1) ?? null];
  return {
    ...series,
    x: [Math.min(from, x[0] ?? from), ...x, Math.max(to, x.at(-1) ?? to)],
    y: [0, ...y, y.at(-1) ?? 0],
    ...(band && { band: { ...band, lower: held(band.lower), upper: held(band.upper) } }),
  };
}

/** A point between gaps makes no line: where all are such, as the only one of a run that has just begun, there is none. */
export function modeOf({ shape, y, stepExtent }: Series): 'lines' | 'markers' | 'lines+markers' {
  if (shape === 'points') return 'markers';
  if (stepExtent) return 'lines';
  const isAlone = (value: Cell, index: number): boolean =>
    isValue(value) && !isValue(y[index - 1]) && !isValue(y[index + 1]);
  if (!y.some(isAlone)) return 'lines';
  return y.every((value, index) => !isValue(value) || isAlone(value, index))
    ? 'markers'
    : 'lines+markers';
}

const runTraceOpacity = 0.35;

/** The cross on a curve. */
function drawCross(series: Series, curve: Trace, theme: ChartTheme): Trace[] {
  if (series.crossAt === undefined) return [];
  const thickness = theme.textPixels / usualTextPixels;
  return [
    scatter(`${series.name}, cross`, {
      x: [series.crossAt],
      y: [valueOf(series, series.crossAt)],
      mode: 'markers',
      marker: {
        symbol: 'x-thin',
        size: 10 * thickness,
        line: { color: String(curve.line?.color), width: 2.5 * thickness },
      },
    }),
  ];
}

/** Pixels between the marks of several series at one place. */
const markDistance = 13;

/** The hollow marks of infinite values at the upper edge; those of several series at one x are drawn side by side. */
export function drawInfinite(
  series: readonly Series[],
  picture: Pick<Picture, 'area' | 'ranges'>,
  scale: Scale,
  theme: ChartTheme,
): Trace[] {
  const thickness = theme.textPixels / usualTextPixels;
  const marked = series.filter(({ infiniteAt = [] }) => infiniteAt.length > 0);
  return marked.map((own) => {
    const { color } = seriesLook(theme, own.paletteIndex);
    const x = (own.infiniteAt ?? []).map((place) => {
      const here = marked.filter(({ infiniteAt }) => infiniteAt?.includes(place));
      const beside = here.indexOf(own) - (here.length - 1) / 2;
      const pixel = pixelOf(picture, 'x', place, scale) + beside * markDistance * thickness;
      return valueAt(picture, 'x', pixel, scale);
    });
    return scatter(`${own.name}, infinite`, {
      x,
      y: x.map(() => picture.ranges.y[1]),
      mode: 'markers',
      cliponaxis: false,
      marker: {
        color,
        size: 9 * thickness,
        symbol: 'triangle-up-open',
        line: { color, width: 1.5 * thickness },
      },
    });
  });
}

/** All single runs as one trace with gaps between them: hundreds of traces would take seconds to draw. */
function drawRunTraces({ runTraces, name }: Series, { line }: Trace): Trace[] {
  if (!runTraces) return [];
  return [
    scatter(`${name}, each`, {
      x: runTraces.flatMap(({ x }) => [...x, x.at(-1) ?? 0]),
      y: runTraces.flatMap(({ y }) => [...y, null]),
      mode: 'lines',
      line: {
        ...line,
        color: withOpacity(String(line?.color), runTraceOpacity),
        width: 1,
        dash: 'solid',
      },
    }),
  ];
}

function drawBand({ band, name }: Series, curve: Trace, theme: ChartTheme, floor: number): Trace[] {
  if (!band) return [];
  const [low, high] = band.possible ?? [-Infinity, Infinity];
  const lowest = Math.max(low, floor);
  const edge = (side: 'lower' | 'upper'): Trace => {
    const y = band[side].map((value) =>
      isValue(value) ? Math.min(Math.max(value, lowest), high) : value,
    );
    const line = { ...curve.line, width: 0, dash: 'solid' as const };
    const trace: Trace = { x: curve.x ?? [], y, mode: 'lines', line };
    return scatter(`${name}, ${side}`, trace, `${band.name}, ${side}`);
  };
  const fillcolor = withOpacity(String(curve.line?.color), theme.bandOpacity);
  return [edge('lower'), { ...edge('upper'), fill: 'tonexty', fillcolor }];
}
