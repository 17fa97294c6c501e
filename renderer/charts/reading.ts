import { formatCount, formatFitness, formatStatistic } from '#shared/number-format.ts';
import { getColumns } from './cloud.ts';
import { findFirstIndex, getExtent, isValue, type Cell, type RunTrace } from './figure.ts';
import { getPixel, type Picture } from './layout.ts';
import { restIndex } from './palette.ts';
import {
  getColumnEdges,
  isShown,
  getMarks,
  getValue,
  type BoxMark,
  type CellsMark,
  type CurveMark,
  type Scene,
  type SceneAxis,
} from './scene.ts';

/** The position of the cursor, in values of the axes; `row` is that of a scene with rows. */
export interface Place {
  x: number;
  row?: number;
}

/** The values at the cursor. */
export interface Reading {
  /** "iteration 12" */
  title: string;
  rows: readonly ReadingRow[];
  /** A rectangle around the values, in values of the axes, where that is no line across the picture. */
  outline?: { x: readonly [number, number]; y: readonly [number, number] };
}

/** One value at the cursor. */
export interface ReadingRow {
  name: string;
  text: string;
  /** Palette index of its series; absent if it belongs to none. */
  paletteIndex?: number;
  /** The value that is marked in the picture. */
  y?: number;
}

/** Places of the cursor: each x once, rising, and the number of rows; 1 where there are none. */
export interface Stops {
  x: readonly number[];
  rows: number;
  /** Number of rows at each x; absent where it is the same at all of them. */
  rowsAt?: ReadonlyMap<number, number>;
}

/** Returns where the cursor stops in a scene, series that are switched off included. */
export function getStops(scene: Pick<Scene, 'marks'>): Stops {
  const cells = getMarks(scene, 'cells')[0];
  if (cells) return { x: cells.x, rows: cells.rows.length };
  if (getMarks(scene, 'cloud').length > 0) {
    const columns = getColumns({ ...scene, hidden: new Set() });
    const rowsAt = new Map(Array.from(columns, ([x, points]) => [x, points.length]));
    const rows = Math.max(1, ...rowsAt.values());
    return { x: [...columns.keys()].sort((one, other) => one - other), rows, rowsAt };
  }
  const places = scene.marks.flatMap((mark): readonly number[] => {
    if (mark.type === 'curve') return [...mark.x, ...(mark.ends ?? [])];
    if (mark.type === 'box') return [mark.at];
    if (mark.type === 'bars') return mark.bins.map(getMiddle);
    return mark.type === 'ranks' ? mark.figure.ranks.map(({ rank }) => rank) : [];
  });
  return { x: [...new Set(places)].sort((one, other) => one - other), rows: 1 };
}

function getMiddle({ start, end }: { start: number; end: number }): number {
  return start / 2 + end / 2;
}

/** Returns the values at a place, one of the stops, without those of series that are switched off. */
export function readScene(scene: Scene, place: Place): Reading {
  const { x, y } = scene.axes;
  const [cells] = getMarks(scene, 'cells');
  if (cells) return readCells(cells, x, place);
  if (getMarks(scene, 'cloud').length > 0) return readPoint(scene, place);
  const [bars] = getMarks(scene, 'bars');
  if (bars) {
    const bin = bars.bins.find((one) => getMiddle(one) >= place.x);
    if (!bin) return { title: '', rows: [] };
    const { name, paletteIndex } = bars;
    return {
      title: `${x.title} ${bin.label}`,
      rows: [{ name, text: formatCount(bin.height), paletteIndex }],
      outline: { x: [bin.start, bin.end], y: [0, bin.height] },
    };
  }
  const [diagram] = getMarks(scene, 'ranks');
  if (diagram) {
    const here = diagram.figure.ranks.filter(({ rank }) => rank === place.x);
    return {
      title: `${x.title} ${formatStatistic(place.x)}`,
      rows: here.map(({ name, rank, paletteIndex }) => ({
        name,
        text: formatStatistic(rank),
        paletteIndex,
      })),
    };
  }
  const box = getMarks(scene, 'box').find(({ at }) => at === Math.round(place.x));
  if (box) return readBox(box, isShown(scene, box));
  const names = y.names;
  const getName = (value: number): string => names?.[value] ?? formatFitness(value);
  const visibleCurves = getMarks(scene, 'curve').filter((curve) => isShown(scene, curve));
  // The values of the series that are not emphasised would fill the picture.
  const curves = visibleCurves.filter(({ paletteIndex }) => paletteIndex !== restIndex);
  return {
    title: `${x.title} ${formatNumberAt(x, place.x)}`,
    rows: [
      ...curves.flatMap((curve) => readCurve(scene, curve, place.x, getName)),
      ...readRest(visibleCurves, place.x, getName),
    ],
  };
}

/** The point at a row of its x, the last one for a row below it; no rows where all points at the x are switched off. */
function readPoint(scene: Scene, place: Place): Reading {
  const { x } = scene.axes;
  const column = getColumns(scene).get(place.x) ?? [];
  const row = Math.min(place.row ?? 0, column.length - 1);
  const position =
    column.length > 1 ? `, ${formatCount(row + 1)} of ${formatCount(column.length)}` : '';
  const title = `${x.title} ${x.names?.[place.x] ?? formatNumberAt(x, place.x)}${position}`;
  const one = column[row];
  if (!one) return { title, rows: [] };
  const { series, paletteIndex, figure } = one.mark;
  return {
    title,
    rows: [
      { name: `${series}, ${one.point.name}`, text: formatFitness(one.point.y), paletteIndex },
      ...figure.counts.map((name, index) => ({
        name,
        text: formatCount(one.point.counts[index]),
      })),
    ],
  };
}

function formatNumberAt({ isWhole }: SceneAxis, x: number): string {
  return isWhole || Number.isInteger(x) ? formatCount(x) : formatFitness(x);
}

/** Returns the number of curves that are not emphasised, and their range at one x; empty without any there. */
function readRest(
  curves: readonly CurveMark[],
  x: number,
  getName: (value: number) => string,
): ReadingRow[] {
  const rest = curves.filter(({ paletteIndex }) => paletteIndex === restIndex);
  const values = rest.map((curve) => getValue(curve, x)).filter(isValue);
  const ends = getExtent([values]);
  if (!ends) return [];
  const text = `${getName(ends[0])} to ${getName(ends[1])}`;
  return [{ name: `${values.length} more`, text, paletteIndex: restIndex }];
}

/**
 * The values of a curve at one x: of a step the one that holds there, of a line or a point the one that
 * is there, with its band and its note.
 */
function readCurve(
  scene: Scene,
  curve: CurveMark,
  x: number,
  getName: (value: number) => string,
): ReadingRow[] {
  const { series, paletteIndex, y, hoverNotes } = curve;
  const band = getMarks(scene, 'band').find((one) => one.series === series);
  const row = (value: number, more: string): ReadingRow => ({
    name: series,
    paletteIndex,
    ...(isValue(value) && { y: value }),
    text: `${getName(value)}${more}`,
  });
  const indices = getIndicesAt(curve, x);
  if (indices.length === 0) {
    const value = getValue(curve, x);
    return isValue(value) ? [row(value, '')] : [];
  }
  return indices.flatMap((index) => {
    const [value, low, high] = [y[index], band?.lower[index], band?.upper[index]];
    if (!isValue(value) && !isInfinite(value)) return [];
    const range = isValue(low) && isValue(high) ? ` [${getName(low)}, ${getName(high)}]` : '';
    const note = hoverNotes?.[index];
    return [row(value, `${range}${note ? ` · ${note}` : ''}`)];
  });
}

/** Returns whether a cell is Infinity, which is drawn at the upper edge. */
function isInfinite(cell: Cell | undefined): cell is number {
  return cell === Infinity;
}

/** The points that have the value at x: for a step the last one before it, else those at x. */
function getIndicesAt({ x: places, shape, ends }: CurveMark, x: number): number[] {
  const past = findFirstIndex(places, (place) => place > x);
  if (shape === 'step') {
    const isOver = !ends && x > (places.at(-1) ?? x);
    return past === 0 || isOver ? [] : [past - 1];
  }
  const indices: number[] = [];
  for (let index = past - 1; index >= 0 && places[index] === x; index -= 1) indices.unshift(index);
  return shape === 'line' ? indices.slice(-1) : indices;
}

function readBox({ series, paletteIndex, shape }: BoxMark, isOn: boolean): Reading {
  if (!isOn) return { title: `${series}, switched off`, rows: [] };
  const { n, q1, median, q3, mean, whiskerLow, whiskerHigh } = shape;
  const between = (low: Cell, high: Cell) => `${formatFitness(low)} and ${formatFitness(high)}`;
  return {
    title: `${series}, n = ${formatCount(n)}`,
    rows: [
      {
        name: 'median',
        text: formatFitness(median),
        paletteIndex,
        ...(isValue(median) && { y: median }),
      },
      { name: 'mean', text: formatFitness(mean) },
      { name: 'quartiles', text: between(q1, q3) },
      { name: 'whiskers', text: between(whiskerLow, whiskerHigh) },
    ],
  };
}

function readCells({ x, rows, values }: CellsMark, axis: SceneAxis, place: Place): Reading {
  const column = x.indexOf(place.x);
  const title = `${axis.title} ${x[column] ?? ''}`;
  if (place.row === undefined) return { title, rows: [] };
  const { row } = place;
  const value = values[row]?.[column];
  return {
    title,
    rows: [{ name: rows[row] ?? '', text: isValue(value) ? formatFitness(value) : 'no value' }],
    outline: { x: getColumnEdges(x, column), y: [row - 0.5, row + 0.5] },
  };
}

/** Returns a cell in words: "entropy · iteration 12 · 0.53", or that it has no value. */
export function describeCell(scene: Scene, place: Place): string {
  const { title, rows } = readScene(scene, place);
  return [rows[0]?.name, title, rows[0]?.text].filter(Boolean).join(' · ');
}

/** A single run under the pointer. */
export interface PointedRun {
  series: string;
  paletteIndex: number;
  run: RunTrace;
  shape: CurveMark['shape'];
}

/** Returns the curve of a series as a single run without a name; undefined without one. */
export function getCurve(scene: Scene, series: string | undefined): PointedRun | undefined {
  const curve = getMarks(scene, 'curve').find((one) => one.series === series);
  if (!curve) return undefined;
  const { x, y, paletteIndex, shape } = curve;
  return { series: curve.series, paletteIndex, run: { name: '', x, y }, shape };
}

/** Distance from the pointer within which a single run is found, in pixels. */
const reachPixels = 8;

/** Returns the single run nearest to a pixel at x, of series that are switched on; undefined without one nearby. */
export function findRunAt(picture: Picture, x: number, top: number): PointedRun | undefined {
  let best: PointedRun | undefined;
  let nearest = reachPixels;
  for (const mark of getMarks(picture.scene, 'runs')) {
    if (!isShown(picture.scene, mark)) continue;
    const { series, paletteIndex, shape } = mark;
    for (const run of mark.runs) {
      const value = getValue({ ...run, shape }, x);
      if (!isValue(value)) continue;
      const distance = Math.abs(getPixel(picture, 'y', value) - top);
      if (!(distance < nearest)) continue;
      nearest = distance;
      best = { series, paletteIndex, run, shape };
    }
  }
  return best;
}
