/** How the numbers of an axis are spread over its length. */
export type Scale = 'linear' | 'log';

/** The scale wanted on each axis of a picture. */
export interface Scales {
  x: Scale;
  y: Scale;
}

/** A measured value at one place of a picture; null where there is none. */
export type Cell = number | null;

/** What stands along one edge of a picture. */
export interface Axis {
  title: string;
  /** Unit of the numbers, shown after the title; absent for pure numbers whose title says it all. */
  unit?: string;
  /** Ticks at whole numbers only. */
  whole?: boolean;
  /** What is shown at first on a linear axis, when it does not follow from the values. */
  range?: readonly [number, number];
}

/** A region around a series, such as mean ± standard deviation; both edges have the series' x. */
export interface Band {
  name: string;
  lower: readonly Cell[];
  upper: readonly Cell[];
}

/** One of many thin curves behind a series, such as a single run behind the mean of its group. */
export interface RunTrace {
  name: string;
  x: readonly number[];
  y: readonly Cell[];
}

/** One curve or cloud of points. `x` and `y` have the same length; x does not fall. */
export interface Series {
  name: string;
  x: readonly number[];
  y: readonly Cell[];
  shape: 'line' | 'step' | 'points';
  /** Place in the palette: it decides colour, dash and marker, so it should outlive a change of data. */
  paletteIndex: number;
  band?: Band;
  /** Said after the name in the legend: "n = 15". */
  legendNote?: string;
  /** Thin curves of the same colour behind this one, switched on and off with it. */
  runTraces?: readonly RunTrace[];
  /**
   * Where a step that begins at 0 is drawn from and to, beyond its own points: it holds its last value. Only on
   * the screen: these ends are no points of the series.
   */
  stepExtent?: readonly [number, number];
  /** What hovering a point says beside its value, one text per point. */
  hoverNotes?: readonly string[];
}

/** A horizontal line that the curves are read against, such as the target. */
export interface Reference {
  label: string;
  value: number;
}

/** Curves over a common x axis. */
export interface LineFigure {
  kind: 'lines';
  x: Axis;
  y: Axis & { categories?: readonly string[] };
  series: readonly Series[];
  references: readonly Reference[];
  /** Why there is nothing to see; only looked at when no series has a value. */
  empty: string;
}

/** Coloured cells, one row per label and one column per x. */
export interface HeatMapFigure {
  kind: 'heatmap';
  x: Axis & { values: readonly number[] };
  y: Axis & { labels: readonly string[] };
  /** What the colours mean; `range` is given when it does not follow from the cells. */
  color: { title: string; range?: readonly [number, number] };
  /** Colour value per row, then column; null stays blank. */
  cells: readonly (readonly Cell[])[];
  /** The numbers behind scaled colours, of the same shape; absent when `cells` are the numbers. */
  values?: readonly (readonly Cell[])[];
  empty: string;
}

/** Counts of values in bins that share their edges, from low to high. */
export interface HistogramFigure {
  kind: 'histogram';
  x: Axis;
  y: Axis;
  bins: readonly { start: number; end: number; count: number }[];
  /** The last bin holds values that are equal to its end too. */
  isLastClosed: boolean;
  paletteIndex: number;
  empty: string;
}

/** A sample in its five numbers and its mean; all null for an empty one. */
export interface BoxShape {
  n: number;
  q1: Cell;
  median: Cell;
  q3: Cell;
  mean: Cell;
  whiskerLow: Cell;
  whiskerHigh: Cell;
}

/** Box plots side by side, with the values beside each box. */
export interface BoxFigure {
  kind: 'boxes';
  /** What stands along the edge with the names. */
  x: Axis;
  y: Axis;
  boxes: readonly {
    name: string;
    paletteIndex: number;
    shape: BoxShape;
    values: readonly number[];
  }[];
  references: readonly Reference[];
  empty: string;
}

/** Average ranks on a line, with bars over those that a critical difference does not tell apart. */
export interface RankFigure {
  kind: 'ranks';
  /** In order of their ranks, 1 = best. */
  ranks: readonly { name: string; paletteIndex: number; rank: number }[];
  /** Null when there is none; then no bars are drawn. */
  criticalDifference: number | null;
  /** First and last index of each set of ranks that are not told apart; see `cliquesOf`. */
  cliques: readonly (readonly [number, number])[];
  empty: string;
}

/** A picture before it has colours and pixels: pure data, made by a pure function from an answer. */
export type Figure = LineFigure | HeatMapFigure | HistogramFigure | BoxFigure | RankFigure;

/** Title of an axis with its unit, as "runtime (ms)". */
export function axisTitle(axis: Axis): string {
  return axis.unit === undefined ? axis.title : `${axis.title} (${axis.unit})`;
}

/** Whether a figure holds no finite value at all, so that its `empty` sentence is shown instead. */
export function isEmptyFigure(figure: Figure): boolean {
  return !drawnValues(figure).some((row) => row.some(isValue));
}

function drawnValues(figure: Figure): readonly (readonly Cell[])[] {
  switch (figure.kind) {
    case 'lines':
      return figure.series.flatMap(({ y, runTraces = [] }) => [
        y,
        ...runTraces.map((one) => one.y),
      ]);
    case 'heatmap':
      return figure.cells;
    case 'histogram':
      return [figure.bins.map(({ count }) => count)];
    case 'boxes':
      return figure.boxes.map(({ shape, values }) => [shape.whiskerLow, shape.median, ...values]);
    default:
      return [figure.ranks.map(({ rank }) => rank)];
  }
}

/** Whether a cell holds a finite number. */
export function isValue(cell: Cell | undefined): cell is number {
  return typeof cell === 'number' && Number.isFinite(cell);
}

/**
 * Whether the values of each axis allow a logarithm: all are positive and there is at least one. Targets do not count
 * (one at 0 has no place on a log axis, the curves have), bands do not (they are cut at the axis' floor). Only curves
 * and boxes have such axes, and an axis of categories is none.
 */
export function loggableAxes(figure: Figure): { x: boolean; y: boolean } {
  return { x: isPositive(extentOf(figure, 'x')), y: isPositive(extentOf(figure, 'y')) };
}

function isPositive(ends: Extent): boolean {
  return ends !== null && ends[0] > 0;
}

/** Least factor between the ends of an axis that begins logarithmic. */
const wideSpread = 1000;

/** The scales of a figure as nobody chose them: logarithmic where all values are positive and span three decades. */
export function automaticScales(figure: Figure): Scales {
  const scaleOf = (ends: Extent): Scale =>
    ends && ends[0] > 0 && ends[1] / ends[0] >= wideSpread ? 'log' : 'linear';
  return { x: scaleOf(extentOf(figure, 'x')), y: scaleOf(extentOf(figure, 'y')) };
}

/** The wanted scales where the figure allows them, linear elsewhere. */
export function allowedScales(figure: Figure, wanted: Scales): Scales {
  const loggable = loggableAxes(figure);
  return { x: loggable.x ? wanted.x : 'linear', y: loggable.y ? wanted.y : 'linear' };
}

/** Least and largest of some values; null without any. */
export type Extent = readonly [number, number] | null;

function extentOf(figure: Figure, axis: 'x' | 'y'): Extent {
  if (isEmptyFigure(figure)) return null;
  if (figure.kind === 'boxes') return axis === 'y' ? extent(drawnValues(figure)) : null;
  if (figure.kind !== 'lines') return null;
  const curves = figure.series.flatMap((one) => [one, ...(one.runTraces ?? [])]);
  if (axis === 'x') return extent(curves.map(({ x }) => x));
  if (figure.y.categories) return null;
  // A step that is drawn to its ends begins at 0.
  const starts = figure.series.some(({ stepExtent }) => stepExtent) ? [[0]] : [];
  return extent([...curves.map(({ y }) => y), ...starts]);
}

/** Least and largest finite value of some columns; null without any. */
export function extent(columns: readonly (readonly Cell[])[]): Extent {
  let [low, high] = [Infinity, -Infinity];
  for (const column of columns) {
    for (const cell of column) {
      if (!isValue(cell)) continue;
      if (cell < low) low = cell;
      if (cell > high) high = cell;
    }
  }
  return low > high ? null : [low, high];
}
