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
}

/** A region around a series, such as mean ± standard deviation; both edges have the series' x. */
export interface Band {
  name: string;
  lower: readonly Cell[];
  upper: readonly Cell[];
}

/** One curve or cloud of points. `x` and `y` have the same length; x does not fall. */
export interface Series {
  name: string;
  x: readonly number[];
  y: readonly Cell[];
  shape: 'line' | 'step' | 'points';
  /** Place in the palette: it decides colour, dash and marker, so it should outlive a change of data. */
  style: number;
  band?: Band;
  /** What hovering a point says beside its value, one text per point. */
  remarks?: readonly string[];
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

/** A picture before it has colours and pixels: pure data, made by a pure function from an answer. */
export type Figure = LineFigure | HeatMapFigure;

/** Title of an axis with its unit, as "runtime (ms)". */
export function axisTitle(axis: Axis): string {
  return axis.unit === undefined ? axis.title : `${axis.title} (${axis.unit})`;
}

/** Whether a figure holds no finite value at all, so that its `empty` sentence is shown instead. */
export function isEmptyFigure(figure: Figure): boolean {
  const rows = figure.kind === 'lines' ? figure.series.map(({ y }) => y) : figure.cells;
  return !rows.some((row) => row.some(isValue));
}

/** Whether a cell holds a finite number. */
export function isValue(cell: Cell | undefined): cell is number {
  return typeof cell === 'number' && Number.isFinite(cell);
}

/**
 * The axes that may be logarithmic: those whose drawn values are all positive and at least one exists.
 * References count, bands do not (their lower edge is cut). A heat map has none, nor has an axis of
 * categories.
 */
export function loggableAxes(figure: Figure): { x: boolean; y: boolean } {
  if (figure.kind === 'heatmap' || isEmptyFigure(figure)) return { x: false, y: false };
  const { series, references, y } = figure;
  const referenceValues = references.map(({ value }) => value);
  return {
    x: allPositive(series.map((one) => one.x)),
    y: y.categories === undefined && allPositive([...series.map((one) => one.y), referenceValues]),
  };
}

function allPositive(rows: readonly (readonly Cell[])[]): boolean {
  const isNotPositive = (cell: Cell) => isValue(cell) && cell <= 0;
  return rows.some((row) => row.some(isValue)) && !rows.some((row) => row.some(isNotPositive));
}

/** The wanted scales where the figure allows them, linear elsewhere. */
export function allowedScales(figure: Figure, wanted: Scales): Scales {
  const loggable = loggableAxes(figure);
  return { x: loggable.x ? wanted.x : 'linear', y: loggable.y ? wanted.y : 'linear' };
}
