import {
  findFirstIndex,
  isValue,
  type BoxShape,
  type Cell,
  type GroupPoint,
  type PointsFigure,
  type Range,
  type RankFigure,
  type RunTrace,
  type Scales,
} from './figure.ts';
import { restIndex } from './palette.ts';
import type { Scale } from './scale.ts';

/** The part of each axis that the reader chose to see; an absent axis shows everything. */
export interface View {
  x?: Range;
  y?: Range;
}

/** The reader's choices about a figure. */
export interface Choice {
  scales: Scales;
  view: View;
  /** Names of the series that are switched off. */
  hidden: ReadonlySet<string>;
  /** Ends of the colour scale of a heat map; an absent end follows the figure. */
  colorRange: { minimum?: number; maximum?: number };
}

/** One axis of a scene. */
export interface SceneAxis {
  /** With its unit. */
  title: string;
  /** The displayed title with the logarithm and the meaning of the edge of the axis; empty for none. */
  label: string;
  scale: Scale;
  hasGrid: boolean;
  /** It cannot be zoomed. */
  isFixed: boolean;
  /** Its values are whole numbers. */
  isWhole: boolean;
  /** Names of the values 0, 1, 2, … */
  names?: readonly string[] | undefined;
  /** The only values that have ticks. */
  tickValues?: readonly number[] | undefined;
}

/** A figure in data units: two axes and the marks between them in drawing order. All backends draw the same scene. */
export interface Scene {
  axes: { x: SceneAxis; y: SceneAxis };
  /** The marks of series that are switched off are among them. */
  marks: readonly Mark[];
  hidden: ReadonlySet<string>;
  /** The colour scale of cells. */
  colors?: { title: string; range: readonly [number, number] };
}

interface OfSeries {
  /** Name of the series, box or group that switches the mark on and off. */
  series: string;
  /** Decides colour, dash and symbol. */
  paletteIndex: number;
}

/** The line or the points of a series. `x` does not fall; a gap is null, an infinite value has no point. */
export interface CurveMark extends OfSeries {
  type: 'curve';
  x: readonly number[];
  y: readonly Cell[];
  shape: 'line' | 'step' | 'points';
  /** Whether it has a line, symbols at its points, or both. */
  mode: 'lines' | 'markers' | 'lines+markers';
  /** The note after its name in the legend. */
  note: string | undefined;
  /** Range over which a step curve from 0 is drawn, beyond its points. */
  ends: Range | undefined;
  /** A text per point. */
  hoverNotes: readonly string[] | undefined;
  /** Size of its symbols relative to the usual one; default 1. */
  symbolScale?: number;
}

/** The region between two edges over the x of a curve. */
export interface BandMark extends OfSeries {
  type: 'band';
  name: string;
  x: readonly number[];
  lower: readonly Cell[];
  upper: readonly Cell[];
  shape: CurveMark['shape'];
  /** Values that are possible: it is not drawn beyond them. */
  possible: Range;
  ends: Range | undefined;
}

/** Thin curves of single runs behind the curve of their series. */
export interface RunsMark extends OfSeries {
  type: 'runs';
  runs: readonly RunTrace[];
  shape: CurveMark['shape'];
}

/** The points of a group that are read one by one, those without a value included. */
export interface CloudMark extends OfSeries {
  type: 'cloud';
  points: readonly GroupPoint[];
  /** As those of a curve, for legends. */
  mode: 'markers';
  note: string | undefined;
  figure: PointsFigure;
}

/** Symbols without a line: the single values of a box, a cross on a curve, infinite values at the upper edge. */
export interface PointsMark extends OfSeries {
  type: 'points';
  name: string;
  symbol: 'series' | 'cross' | 'infinite';
  x: readonly number[];
  y: readonly Cell[];
  /** Points of near height are drawn next to each other, at most so far from their x. */
  spread: number;
  /** Size of its symbols relative to the usual one; default 1. */
  symbolScale?: number;
}

/** A box plot at a place of the x axis. */
export interface BoxMark extends OfSeries {
  type: 'box';
  at: number;
  width: number;
  shape: BoxShape;
  values: readonly number[];
}

/** Bars that share their edges, from 0 up. */
export interface BarsMark {
  type: 'bars';
  name: string;
  paletteIndex: number;
  bins: readonly { start: number; end: number; height: number; label: string }[];
}

/** Coloured cells around the x of their column, the first row at 0. */
export interface CellsMark {
  type: 'cells';
  x: readonly number[];
  rows: readonly string[];
  colors: readonly (readonly Cell[])[];
  /** The numbers behind the colours. */
  values: readonly (readonly Cell[])[];
}

/** Returns the left and right edge of a column of cells: half way to its neighbours. */
export function getColumnEdges(x: readonly number[], column: number): [number, number] {
  const here = x[column] ?? 0;
  const before = x[column - 1];
  const after = x[column + 1];
  const left = before === undefined ? (after ?? here + 1) - here : here - before;
  const right = after === undefined ? left : after - here;
  return [here - left / 2, here + right / 2];
}

/** A dashed horizontal line with its label. On a log axis, one of at most 0 has only a label. */
export interface RuleMark {
  type: 'rule';
  label: string;
  value: number;
}

/** A tinted stretch of x with its label. */
export interface AreaMark {
  type: 'area';
  label: string;
  from: number;
  to: number;
}

/** A rank diagram, which has its own axis. */
export interface RanksMark {
  type: 'ranks';
  figure: RankFigure;
}

/** Something that is drawn between the axes of a scene, in their values. */
export type Mark =
  | CurveMark
  | BandMark
  | RunsMark
  | CloudMark
  | PointsMark
  | BoxMark
  | BarsMark
  | CellsMark
  | RuleMark
  | AreaMark
  | RanksMark;

/** Returns the marks of one type, those of switched-off series included. */
export function getMarks<Type extends Mark['type']>(
  { marks }: Pick<Scene, 'marks'>,
  type: Type,
): Extract<Mark, { type: Type }>[] {
  return marks.filter((mark): mark is Extract<Mark, { type: Type }> => mark.type === type);
}

/** Returns whether a mark belongs to no series that is switched off. */
export function isShown({ hidden }: Pick<Scene, 'hidden'>, mark: Mark): boolean {
  return !('series' in mark) || !hidden.has(mark.series);
}

/** Returns whether the series of some marks are grey because others are emphasised. */
export function hasRest({ marks }: Pick<Scene, 'marks'>): boolean {
  return marks.some(
    (mark) =>
      (mark.type === 'curve' || mark.type === 'box' || mark.type === 'cloud') &&
      mark.paletteIndex === restIndex,
  );
}

/** Returns the marks that a legend lists, those of switched-off series included. */
export function getLegendMarks(scene: Pick<Scene, 'marks'>): (CurveMark | CloudMark)[] {
  return scene.marks.filter((mark) => mark.type === 'curve' || mark.type === 'cloud');
}

/** Returns the text of a series in a legend: "umda, n = 15". */
export function getLegendLabel({ series, note }: Pick<CurveMark, 'series' | 'note'>): string {
  return note ? `${series}, ${note}` : series;
}

/**
 * Returns the value of a curve at x: the one that a step holds, or the one on the line between two points. Null before
 * its first and after its last point, in gaps, and for points.
 */
export function getValue(
  curve: Pick<CurveMark, 'x' | 'y' | 'shape'> & Partial<Pick<CurveMark, 'ends'>>,
  x: number,
): Cell {
  const { x: places, y, shape, ends } = curve;
  const past = findFirstIndex(places, (place) => place > x);
  if (past === 0) return ends && x >= ends[0] ? 0 : null;
  const before = y[past - 1] ?? null;
  if (shape === 'points') return null;
  if (past === places.length) return ends || x === places[past - 1] ? before : null;
  const after = y[past];
  if (shape === 'step' || !isValue(before) || !isValue(after)) return before;
  const [from, to] = [places[past - 1] ?? x, places[past] ?? x];
  return to === from ? before : before + ((x - from) / (to - from)) * (after - before);
}
