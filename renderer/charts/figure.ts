import { formatFitness } from '#shared/number-format.ts';

/** The chosen kind of scale on each axis. */
export interface Scales {
  x: 'linear' | 'log';
  y: 'linear' | 'log';
}

/** Two ends of an axis, in values of the axis; the first is at the left or at the bottom. */
export type Range = readonly [number, number];

/** A value at one position of a chart; null if there is none. */
export type Cell = number | null;

/** Labels along one edge of a chart. */
export interface Axis {
  title: string;
  /** Unit of the numbers, shown after the title; absent if the numbers have no unit. */
  unit?: string;
  /** Whether ticks are at whole numbers only. */
  isWhole?: boolean;
  /** Ticks at these values only, where few are possible. */
  ticks?: readonly number[];
  /**
   * Whether values approach 0 and may reach it. A logarithmic axis draws the values that reached 0 at its lower edge.
   */
  reachesZero?: boolean;
  /** The initial range of a linear axis; by default, the range of the values. */
  range?: readonly [number, number];
  /** A value that the initial range of the y axis includes, although none may be there. */
  includedValue?: number;
}

/** A region around a series, such as mean ± standard deviation; both edges have the series' x. */
export interface Band {
  name: string;
  lower: readonly Cell[];
  upper: readonly Cell[];
  /**
   * Smallest and largest possible value. The drawn band is clipped to them; the table and the cursor show its own
   * edges.
   */
  possible?: readonly [low: number, high: number];
}

/** One of many thin curves behind a series: a single run behind the average of its group. */
export interface RunTrace {
  /** Text that distinguishes it from the others of its series: "seed 1003". */
  name: string;
  x: readonly number[];
  y: readonly Cell[];
  /** The address that a click on it opens. */
  href?: string;
}

/** One curve or cloud of points. `x` and `y` have the same length; x does not fall. An infinite y has no point. */
export interface Series {
  name: string;
  x: readonly number[];
  y: readonly Cell[];
  shape: 'line' | 'step' | 'points';
  /** Index in the palette. It determines colour, dash and marker, so it should not change when the data changes. */
  paletteIndex: number;
  band?: Band;
  /** Text after the name in the legend, such as "n = 15". */
  legendNote?: string;
  /** Thin curves of the same colour behind this one, switched on and off with it. */
  runTraces?: readonly RunTrace[];
  /**
   * The range of x to which a step curve is extended: from 0 before its first point, with its last value after its last
   * point. The extension is drawn but is not part of the data.
   */
  stepExtent?: readonly [number, number];
  /** Places of x with infinite values, alone or next to finite ones: marked at the upper edge. */
  infiniteAt?: readonly number[];
  /** A place on the curve that is marked by a cross, such as where half of its runs had ended. */
  crossAt?: number;
  /** Text in addition to the value when a point is hovered, one per point. */
  hoverNotes?: readonly string[];
}

/** A horizontal line that the curves are read against, such as the target. */
export interface Reference {
  label: string;
  value: number;
}

/** A labelled range of x, such as the evaluations during which a run stagnated. */
export interface Mark {
  label: string;
  from: number;
  to: number;
}

/** Curves over a common x axis. */
export interface LineFigure {
  kind: 'lines';
  x: Axis;
  y: Axis & { categories?: readonly string[] };
  series: readonly Series[];
  references: readonly Reference[];
  marks?: readonly Mark[];
  /** The text of the empty state, shown only if no series has a finite value. */
  empty: string;
}

/** Coloured cells, one row per label and one column per x. */
export interface HeatMapFigure {
  kind: 'heatmap';
  x: Axis & { values: readonly number[] };
  y: Axis & { labels: readonly string[] };
  /** Meaning of the colours; `range` is set if it does not follow from the cells. */
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
  /** Whether all values are whole numbers. The edges of the bins are then halfway between two whole numbers. */
  isWhole?: boolean;
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

/** Box plots side by side, with single values over each box. */
export interface BoxFigure {
  kind: 'boxes';
  /** Title of the edge with the names. */
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

/** One item of a group, such as an experiment of an algorithm. */
export interface GroupPoint {
  name: string;
  x: number;
  /** Infinity is marked at the upper edge; null has no point. */
  y: Cell;
  /** The number of each title in the `counts` of its figure. */
  counts: readonly number[];
  /** The address that a click on it opens. */
  href?: string;
}

/** Points of groups, each of which is read alone. Those that would cover each other are drawn next to each other. */
export interface PointsFigure {
  kind: 'points';
  /** `categories` are the names of the values 0, 1, 2, … */
  x: Axis & { categories?: readonly string[] };
  y: Axis;
  /** What a group and a point are: "algorithm", "experiment". */
  nouns: { group: string; point: string };
  /** Titles of the numbers that belong to each point. */
  counts: readonly string[];
  groups: readonly { name: string; paletteIndex: number; points: readonly GroupPoint[] }[];
  empty: string;
}

/** Average ranks on a line, with bars over groups without a claimed difference. */
export interface RankFigure {
  kind: 'ranks';
  /** In order of their ranks, 1 = best. */
  ranks: readonly { name: string; paletteIndex: number; rank: number }[];
  /** Null if there is none, which omits the bars. */
  criticalDifference: number | null;
  /** First and last index of each set of ranks without a claimed difference; see `findBars`. */
  cliques: readonly (readonly [number, number])[];
  empty: string;
}

/** Data of a chart without colours and pixels. Pure functions create it from a response. */
export type Figure =
  LineFigure | HeatMapFigure | HistogramFigure | BoxFigure | PointsFigure | RankFigure;

/** Returns the reference line of a target, or an empty array if there is no target. */
export function getTargetReference(target: Cell): Reference[] {
  return isValue(target) ? [{ label: `target ${formatFitness(target)}`, value: target }] : [];
}

/** Returns the title of an axis with its unit, as "runtime (ms)". */
export function getAxisTitle(axis: Axis): string {
  return axis.unit === undefined ? axis.title : `${axis.title} (${axis.unit})`;
}

/** Returns whether a cell is a finite number. */
export function isValue(cell: Cell | undefined): cell is number {
  return typeof cell === 'number' && Number.isFinite(cell);
}

/** Least and largest of some values; null without any. */
export type Extent = readonly [number, number] | null;

/** Returns the least and the largest finite value of some columns that is greater than a bound; null without any. */
export function getExtent(columns: readonly (readonly Cell[])[], above = -Infinity): Extent {
  let [low, high] = [Infinity, -Infinity];
  for (const column of columns) {
    for (const cell of column) {
      if (!isValue(cell) || cell <= above) continue;
      if (cell < low) low = cell;
      if (cell > high) high = cell;
    }
  }
  return low > high ? null : [low, high];
}

/**
 * Returns the index of the first value that satisfies `holds`, or the number of values if there is none. If a value
 * satisfies `holds`, all later values must too.
 */
export function findFirstIndex(
  values: readonly number[],
  holds: (value: number) => boolean,
): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(values[middle] ?? Number.NaN)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the values of a bin in words: "[200, 264)", with a square bracket where it includes its end; "31" or "31 to
 * 33" for whole numbers.
 */
export function describeBin(figure: HistogramFigure, index: number): string {
  const { bins, isLastClosed, isWhole } = figure;
  const bin = bins[index];
  if (!bin) return '';
  if (isWhole === true) {
    const [first, last] = [formatFitness(bin.start + 0.5), formatFitness(bin.end - 0.5)];
    return first === last ? first : `${first} to ${last}`;
  }
  const isClosed = isLastClosed && index === bins.length - 1;
  return `[${formatFitness(bin.start)}, ${formatFitness(bin.end)}${isClosed ? ']' : ')'}`;
}
