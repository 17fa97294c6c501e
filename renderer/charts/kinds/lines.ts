import { formatCount } from '#shared/number-format.ts';
import {
  extent,
  isValue,
  type Cell,
  type Extent,
  type LineFigure,
  type Scale,
  type Series,
} from '#renderer/charts/figure.ts';
import {
  frameOf,
  pixelOf,
  planOf,
  plotted,
  valueAt,
  type AxisPlan,
  type Picture,
  type Setting,
} from '#renderer/charts/picture.ts';
import { joined, rangeAbout } from '#renderer/charts/ranges.ts';
import { raised, scaledExtent, withEdge } from '#renderer/charts/reached-zero.ts';
import type { Range } from '#renderer/charts/view.ts';
import type { Kind } from './kind.ts';
import { drawInfinite, drawSeries, modeOf, thinned } from './line-traces.ts';
import { lineStops, readLines, valueOf } from './line-reading.ts';
import { lineTable } from './line-table.ts';
import { drawMarks } from './marks.ts';
import { drawReferences } from './references.ts';

/** Curves, steps and marks over a common x axis. */
export const lines: Kind<LineFigure> = {
  values: (figure) => curvesOf(figure).map(({ y }) => y),
  extents: (figure) => ({
    x: extent(curvesOf(figure).map(({ x }) => x)),
    // An axis of categories has no scale; a step that is drawn to its ends begins at 0.
    y: figure.y.categories ? null : joined(scaled(figure), stepStart(figure)),
  }),
  draw,
  table: lineTable,
  stops: (figure) => ({ x: lineStops(figure), rows: 1 }),
  read: readLines,
};

function curvesOf({ series }: LineFigure) {
  return series.flatMap((one) => [one, ...(one.runTraces ?? [])]);
}

function yExtent(figure: LineFigure): Extent {
  return extent(curvesOf(figure).map(({ y }) => y));
}

/** What a logarithmic axis has to show. */
function scaled(figure: LineFigure): Extent {
  return scaledExtent(
    figure.y,
    curvesOf(figure).map(({ y }) => y),
  );
}

/** The figure over a logarithmic axis that begins at `floor`: what has reached 0 lies there, as the title says. */
export function atEdge(figure: LineFigure, floor: number): LineFigure {
  if ((yExtent(figure)?.[0] ?? 1) > 0) return figure;
  const onAxis = <Curve extends { y: readonly Cell[] }>(curve: Curve): Curve => ({
    ...curve,
    y: curve.y.map((value) => raised(value, floor)),
  });
  const series = figure.series.map((one) => ({
    ...onAxis(one),
    ...(one.runTraces && { runTraces: one.runTraces.map(onAxis) }),
  }));
  return { ...figure, y: withEdge(figure.y), series };
}

function stepStart({ series }: LineFigure): Extent {
  return series.some(({ stepExtent }) => stepExtent) ? [0, 0] : null;
}

/**
 * Curves as Plotly takes them: at most 2 000 points per trace of what is seen, series over the same x thinned
 * together; a band is two traces without line before its series.
 */
function draw(figure: LineFigure, setting: Setting): Picture {
  const { theme, scales, view } = setting;
  const shown = {
    ...figure,
    series: figure.series.filter(({ name }) => !setting.hidden.has(name)),
  };
  const seen = shown.series.length > 0 ? shown : figure;
  const ranges = { x: view.x ?? wholeX(seen, setting), y: view.y ?? wholeY(seen, setting) };
  const drawn = scales.y === 'log' ? atEdge(shown, ranges.y[0]) : shown;
  const frame = frameOf(setting, {
    x: planOf(figure.x, ranges.x, { scale: scales.x, hasGrid: false, ...knownTicks(figure) }),
    y: planOf(drawn.y, ranges.y, { scale: scales.y, ...categoryTicks(figure) }),
  });
  const picture = { area: frame.area, ranges };
  const floor = scales.y === 'log' ? ranges.y[0] : -Infinity;
  const data = [
    ...thinned(drawn.series, ranges.x, scales.x).flatMap((series) =>
      drawSeries(series, theme, floor),
    ),
    ...drawInfinite(shown.series, picture, scales.x, theme),
  ];
  const taken = (left: number, right: number): Range[] => {
    const [from, to] = [left, right].map((pixel) => valueAt(picture, 'x', pixel, scales.x));
    return shown.series.flatMap((series) => {
      const ends = extent([valuesBetween(series, from ?? 0, to ?? 0)]);
      if (!ends) return [];
      const [low, high] = ends;
      return [[pixelOf(picture, 'y', high, scales.y), pixelOf(picture, 'y', low, scales.y)]];
    });
  };
  const references = drawReferences(figure.references, picture, scales.y, theme, taken);
  const marks = drawMarks(figure.marks ?? [], picture, scales.x, theme);
  return plotted(frame, ranges, data, {
    shapes: [...marks.shapes, ...references.shapes],
    annotations: [...marks.annotations, ...references.annotations],
  });
}

/** What a curve is at two places, and where it ends or has its cross between them. */
function valuesBetween(series: Series, from: number, to: number): Cell[] {
  const marked = [series.x.at(-1), series.crossAt].filter(
    (place) => place !== undefined && place >= from && place <= to,
  );
  return [from, to, ...marked].map((place) => valueOf(series, place ?? from));
}

/** The places that an axis names for its ticks. */
function knownTicks({ x }: LineFigure): Pick<AxisPlan, 'ticks'> {
  return x.ticks ? { ticks: x.ticks.map((value) => ({ value, label: formatCount(value) })) } : {};
}

function categoryTicks({ y }: LineFigure): Pick<AxisPlan, 'ticks'> {
  return y.categories ? { ticks: y.categories.map((label, value) => ({ value, label })) } : {};
}

function wholeX({ series, x }: LineFigure, { scales }: Setting): Range {
  if (x.range && scales.x === 'linear') return x.range;
  const reached = series.map(({ stepExtent }) => stepExtent ?? []);
  const columns = [...series.map((one) => one.x), ...reached];
  const positive = columns.map((column) => column.filter((value) => value > 0));
  const ends = extent(scales.x === 'log' ? positive : columns);
  const hasMarks = series.some(
    (one) => one.infiniteAt || modeOf(one) !== 'lines' || endsAt(one, ends),
  );
  const [low, high] = rangeAbout(ends, scales.x, hasMarks ? markRoom : 0);
  // The edge would cut a mark at 0 too; a lone one stands in the middle.
  const isCut = hasMarks && ends?.[0] === 0 && scales.x === 'linear';
  return isCut ? [-(ends[1] > 0 ? high * markRoom : high), high] : [low, high];
}

/** The part of an axis beyond its ends that lets a mark stand there whole. */
const markRoom = 0.03;

function endsAt({ crossAt }: Series, ends: Extent): boolean {
  return crossAt !== undefined && ends !== null && ends.includes(crossAt);
}

function wholeY(figure: LineFigure, { scales }: Setting): Range {
  const { y, references } = figure;
  if (y.categories) return [-0.6, y.categories.length - 0.4];
  if (y.range && scales.y === 'linear') return y.range;
  const values = scales.y === 'log' ? scaled(figure) : yExtent(figure);
  const targets = references.map(({ value }) => value);
  const seen = scales.y === 'log' ? targets.filter((target) => target > 0) : targets;
  const curves = joined(values, nearBand(figure, values, scales.y));
  return rangeAbout(joined(curves, extent([seen])), scales.y, 0.06);
}

function bandExtent({ series }: LineFigure): Extent {
  return series.reduce<Extent>((before, { band }) => {
    if (!band) return before;
    const [low, high] = band.possible ?? [-Infinity, Infinity];
    const ends = extent([band.lower, band.upper]);
    return joined(before, ends && [Math.max(ends[0], low), Math.min(ends[1], high)]);
  }, null);
}

/**
 * The band as far as it may stretch the picture: half as high again as the curves, or twice its own usual width, on a
 * log axis a decade. The first interval of two runs, or a lower edge near 0, would leave the curves a line at the edge.
 */
function nearBand(figure: LineFigure, values: Extent, scale: Scale): Extent {
  const band = bandExtent(figure);
  if (!band || !values) return null;
  const room = Math.max((values[1] - values[0]) / 2, 2 * usualWidth(figure));
  const [low, high] =
    scale === 'log' ? [values[0] / 10, values[1] * 10] : [values[0] - room, values[1] + room];
  return [Math.max(band[0], low), Math.max(values[1], Math.min(band[1], high))];
}

/** The middle one of the distances between the edges of all bands; 0 without any. */
function usualWidth({ series }: LineFigure): number {
  const widths = series.flatMap(({ band }) =>
    (band?.upper ?? []).flatMap((high, index) => {
      const low = band?.lower[index];
      return isValue(high) && isValue(low) ? [high - low] : [];
    }),
  );
  return widths.sort((one, other) => one - other)[widths.length >> 1] ?? 0;
}
