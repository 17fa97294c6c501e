import { getSymbolScale, placeCloud, type PlacedPoint } from './cloud.ts';
import { findFirstIndex, isValue, type BoxShape, type Cell, type Range } from './figure.ts';
import { restIndex } from './palette.ts';
import type { Scale } from './scale.ts';
import {
  isShown,
  type BandMark,
  type CloudMark,
  type CurveMark,
  type Mark,
  type PointsMark,
  type RunsMark,
  type Scene,
} from './scene.ts';
import { swarm } from './swarm.ts';

/** Most points of one curve on the screen. */
export const maximumTracePoints = 2000;

/** Limits of what a backend draws. */
interface Limits {
  /** Most points of one curve. */
  points: number;
  /** Width of the area of the values in pixels: symbols at one place are drawn next to each other. */
  width: number;
  /** Size of a symbol relative to a screen of usual size. */
  thickness?: number;
  /** Most points of all single runs together; unlimited if absent. */
  runPoints?: number;
}

/**
 * Returns the marks of a scene as every backend draws them, still in data units: without switched-off series, curves
 * thinned and limited to the x axis, steps and bands extended to their ends, bands no wider than possible, values that
 * have no place on an axis at its edge, and points of near height next to each other. A cloud becomes symbols at its
 * finite values and others at its infinite ones.
 */
export function makeDrawableMarks(scene: Scene, limits: Limits): Mark[] {
  const visible = getRestBehind(scene.marks.filter((mark) => isShown(scene, mark)));
  const { x, y } = { x: scene.axes.x.scale, y: scene.axes.y.scale };
  const curves = visible.filter((mark) => mark.type === 'curve' || mark.type === 'band');
  const indices = getDrawnIndices(curves, x, limits.points);
  const runs = visible.flatMap((mark) => (mark.type === 'runs' ? mark.runs : []));
  const runLimit = limits.runPoints && Math.max(4, Math.floor(limits.runPoints / runs.length));
  const cloud = placeCloud({ ...scene, marks: visible }, limits);
  const cloudPoints = Map.groupBy(cloud, ({ mark }) => mark);
  return visible.flatMap((mark): Mark | Mark[] => {
    switch (mark.type) {
      case 'cloud':
        return getDrawnCloud(mark, cloudPoints.get(mark) ?? [], getSymbolScale(cloud.length));
      case 'curve':
        return getDrawnCurve(mark, indices.get(mark.x) ?? [], y);
      case 'band':
        return getDrawnBand(mark, indices.get(mark.x) ?? [], y);
      case 'runs':
        return getDrawnRuns(mark, x, y, runLimit);
      case 'points':
        return getDrawnPoints(mark, visible, scene.axes, limits);
      case 'box':
        return {
          ...mark,
          shape: makeShapeOnAxis(mark.shape, y),
          values: mark.values.map(y.onAxis),
        };
      case 'bars':
        return {
          ...mark,
          bins: mark.bins.map((bin) => ({
            ...bin,
            start: x.onAxis(bin.start),
            end: x.onAxis(bin.end),
          })),
        };
      default:
        return mark;
    }
  });
}

/** The marks with those of series that are not emphasised first, and without their bands. */
function getRestBehind(marks: readonly Mark[]): Mark[] {
  const rest = marks.filter((mark) => isOfRest(mark) && mark.type !== 'band');
  return [...rest, ...marks.filter((mark) => !isOfRest(mark))];
}

function isOfRest(mark: Mark): boolean {
  return 'series' in mark && mark.paletteIndex === restIndex;
}

/**
 * Returns the curves of a scene that a canvas draws behind the others, in data units: the lines of series that are not
 * emphasised, all of one shape as one mark, then the thin curves of single runs. Without switched-off series.
 */
export function getThinMarks(scene: Scene, limits: Limits): RunsMark[] {
  const visible = scene.marks.filter((mark) => isShown(scene, mark));
  const rest = visible.filter((mark): mark is CurveMark => mark.type === 'curve' && isOfRest(mark));
  const drawn = makeDrawableMarks({ ...scene, marks: rest }, limits) as CurveMark[];
  const lines = drawn.filter(({ mode }) => mode !== 'markers');
  const joined = Array.from(
    Map.groupBy(lines, ({ shape }) => shape),
    ([shape, runs]): RunsMark => ({
      type: 'runs',
      series: '',
      paletteIndex: restIndex,
      shape,
      runs: runs.map(({ series, x, y }) => ({ name: series, x, y })),
    }),
  );
  return [...joined, ...visible.filter((mark) => mark.type === 'runs')];
}

/**
 * Returns whether the curves have fewer points in some drawable marks than in their scene. Steps that are drawn to
 * their ends, bands and single runs do not count.
 */
export function isThinned(scene: Scene, drawnMarks: readonly Mark[]): boolean {
  const count = (marks: readonly Mark[]): number =>
    marks.reduce((sum, mark) => sum + (mark.type === 'curve' && !mark.ends ? mark.x.length : 0), 0);
  return count(drawnMarks) < count(scene.marks.filter((mark) => isShown(scene, mark)));
}

/** Returns the indices of the drawn points for each array of x: curves over the same x have the same points. */
function getDrawnIndices(
  curves: readonly (CurveMark | BandMark)[],
  scale: Scale,
  most: number,
): Map<readonly number[], number[]> {
  const indicesByX = new Map<readonly number[], number[]>();
  for (const x of new Set(curves.map((one) => one.x))) {
    const [start, end] = getWindowIndices(x, scale.range);
    const columns = curves
      .filter((one) => one.x === x)
      .flatMap((one) => (one.type === 'band' ? [one.lower, one.upper] : [one.y]))
      .map((column) => column.slice(start, end));
    const indices = getKeptIndices(x.slice(start, end), columns, most, scale);
    indicesByX.set(x, start === 0 ? indices : indices.map((index) => index + start));
  }
  return indicesByX;
}

/** Returns the x of a curve with the ends to which it is drawn, if any. */
function extendToEnds(x: readonly number[], ends: Range | undefined): readonly number[] {
  if (!ends) return x;
  return [Math.min(ends[0], x[0] ?? ends[0]), ...x, Math.max(ends[1], x.at(-1) ?? ends[1])];
}

function getDrawnCurve(mark: CurveMark, indices: readonly number[], scale: Scale): CurveMark {
  const x = indices.map((index) => mark.x[index] ?? Number.NaN);
  const y = indices.map((index) => {
    const value = mark.y[index];
    return isValue(value) ? scale.onAxis(value) : null;
  });
  // A step that is drawn to its ends begins at 0 and holds its last value.
  const last = mark.ends && (y.at(-1) ?? scale.onAxis(0));
  return {
    ...mark,
    x: extendToEnds(x, mark.ends),
    y: last === undefined ? y : [scale.onAxis(0), ...y, last],
  };
}

function getDrawnBand(mark: BandMark, indices: readonly number[], scale: Scale): BandMark {
  const [low, high] = mark.possible;
  const edge = (column: readonly Cell[]): Cell[] => {
    const values = indices.map((index) => {
      const value = column[index];
      return isValue(value) ? scale.onAxis(Math.min(Math.max(value, low), high)) : null;
    });
    const lowest = scale.kind === 'log' ? Math.min(...scale.range) : -Infinity;
    const inside = values.map((value) => (value === null ? null : Math.max(value, lowest)));
    return mark.ends ? [inside[0] ?? null, ...inside, inside.at(-1) ?? null] : inside;
  };
  return {
    ...mark,
    x: extendToEnds(
      indices.map((index) => mark.x[index] ?? Number.NaN),
      mark.ends,
    ),
    lower: edge(mark.lower),
    upper: edge(mark.upper),
  };
}

function getDrawnRuns(mark: RunsMark, x: Scale, y: Scale, limit: number | undefined): RunsMark {
  return {
    ...mark,
    runs: mark.runs.map((run) => {
      const indices = limit === undefined ? undefined : getKeptIndices(run.x, [run.y], limit, x);
      return {
        ...run,
        x: indices?.map((index) => run.x[index] ?? Number.NaN) ?? run.x,
        y: (indices?.map((index) => run.y[index] ?? null) ?? run.y).map(y.onAxis),
      };
    }),
  };
}

function makeShapeOnAxis(shape: BoxShape, { onAxis }: Scale): BoxShape {
  const { n, q1, median, q3, mean, whiskerLow, whiskerHigh } = shape;
  return {
    n,
    q1: onAxis(q1),
    median: onAxis(median),
    q3: onAxis(q3),
    mean: onAxis(mean),
    whiskerLow: onAxis(whiskerLow),
    whiskerHigh: onAxis(whiskerHigh),
  };
}

function getDrawnCloud(
  { series, paletteIndex, mode, note }: CloudMark,
  points: readonly PlacedPoint[],
  symbolScale: number,
): Mark[] {
  const [infinite = [], finite = []] = [true, false].map((isInfinite) =>
    points.filter(({ point }) => (point.y === Infinity) === isInfinite),
  );
  const getPlaces = (some: readonly PlacedPoint[]) => ({
    x: some.map(({ drawnX }) => drawnX),
    y: some.map(({ drawnY }) => drawnY),
  });
  const own = { series, paletteIndex, symbolScale };
  const curve = { type: 'curve', shape: 'points', ends: undefined, hoverNotes: undefined } as const;
  const edge = { type: 'points', symbol: 'infinite', name: `${series}, infinite` } as const;
  return [
    { ...own, ...curve, mode, note, ...getPlaces(finite) },
    ...(infinite.length > 0 ? [{ ...own, ...edge, spread: 0, ...getPlaces(infinite) }] : []),
  ];
}

/** Pixels between the symbols of several series at one place. */
const symbolDistance = 13;

function getDrawnPoints(
  mark: PointsMark,
  marks: readonly Mark[],
  axes: Scene['axes'],
  { width, thickness = 1 }: Limits,
): PointsMark {
  const { onAxis, at, range } = axes.y.scale;
  const y = mark.y.map((value) => (value === Infinity ? range[1] : onAxis(value)));
  if (mark.symbol !== 'infinite') {
    const offsets = swarm(
      y.map((value) => at(value ?? Number.NaN)),
      mark.spread,
    );
    return { ...mark, y, x: mark.x.map((place, index) => place + (offsets[index] ?? 0)) };
  }
  const x = mark.x.map((place) => {
    const here = marks.filter(
      (other) => other.type === 'points' && other.symbol === 'infinite' && other.x.includes(place),
    );
    const steps = here.indexOf(mark) - (here.length - 1) / 2;
    if (steps === 0) return place;
    const { scale } = axes.x;
    return scale.invert(scale.at(place) + (steps * symbolDistance * thickness) / width);
  });
  return { ...mark, x, y };
}

/**
 * Returns rising indices of at most `limit` points that represent columns drawn over the same rising x; all indices if
 * there are no more than `limit`. Divides the axis into buckets of equal length on the screen, and takes the lowest and
 * the highest finite value of every column in each bucket, the first of ties, in addition to the first and last point
 * of all. So no spike is lost, and all columns have their values at the same x. If a column has no finite value in a
 * bucket, it takes the first index of the bucket, so that a gap stays a gap. `limit` must be at least 2 + 2 per column;
 * on a log axis every x must be positive.
 */
export function getKeptIndices(
  x: readonly number[],
  columns: readonly (readonly Cell[])[],
  limit: number,
  scale: Pick<Scale, 'at' | 'invert'>,
): number[] {
  if (x.length <= limit) return x.map((_, index) => index);
  const bucketCount = Math.max(1, Math.floor((limit - 2) / (2 * columns.length)));
  const indices = new Set([0, x.length - 1]);
  let start = 0;
  for (const edge of getBucketEdges(x, bucketCount, scale)) {
    const end = findFirstIndex(x, (value) => value > edge);
    for (const column of columns) keepExtremes(column, start, end, indices);
    start = end;
  }
  return [...indices].sort((first, second) => first - second);
}

/** Right edges of the buckets in units of x; the last is beyond all points. */
function getBucketEdges(
  x: readonly number[],
  count: number,
  { at, invert }: Pick<Scale, 'at' | 'invert'>,
): number[] {
  const first = at(x[0] ?? 0);
  const width = (at(x.at(-1) ?? 0) - first) / count;
  return Array.from({ length: count }, (_, bucket) =>
    bucket === count - 1 ? Infinity : invert(first + width * (bucket + 1)),
  );
}

function keepExtremes(
  column: readonly Cell[],
  start: number,
  end: number,
  indices: Set<number>,
): void {
  let lowest = -1;
  let highest = -1;
  for (let index = start; index < end; index += 1) {
    const value = column[index];
    if (!isValue(value)) continue;
    if (lowest < 0 || value < Number(column[lowest])) lowest = index;
    if (highest < 0 || value > Number(column[highest])) highest = index;
  }
  if (lowest >= 0) indices.add(lowest).add(highest);
  else if (start < end) indices.add(start);
}

/**
 * Returns the first and past-the-last index of the points that are needed to draw x from one end of a window to the
 * other: those inside and one more on each side, so that lines reach the edges. `x` does not fall. The ends of the
 * window are in either order; without a window, all points are needed.
 */
export function getWindowIndices(
  x: readonly number[],
  window: readonly [number, number] | undefined,
): [number, number] {
  if (!window) return [0, x.length];
  const low = Math.min(...window);
  const high = Math.max(...window);
  const first = findFirstIndex(x, (value) => value >= low);
  const past = findFirstIndex(x, (value) => value > high);
  return [Math.max(0, first - 1), Math.min(x.length, past + 1)];
}

/** Most rows of cells that have a line between each two of them. */
export const mostGappedRows = 60;

/** Returns the outlines of a band, in values of the axes: one for each stretch in which both edges have a value. */
export function getOutlines({ x, lower, upper, shape }: BandMark): [number, number][][] {
  type Edge = [number, number][];
  const outlines: Edge[] = [];
  let [above, below]: [Edge, Edge] = [[], []];
  const end = (): void => {
    if (above.length > 1) outlines.push([...above, ...below.toReversed()]);
    [above, below] = [[], []];
  };
  const extend = (edge: Edge, place: number, value: number): void => {
    const before = edge.at(-1);
    if (shape === 'step' && before) edge.push([place, before[1]]);
    edge.push([place, value]);
  };
  for (const [index, place] of x.entries()) {
    const [low, high] = [lower[index], upper[index]];
    if (isValue(low) && isValue(high)) {
      extend(above, place, high);
      extend(below, place, low);
    } else end();
  }
  end();
  return outlines;
}

/** A grid of pixels; `width` × `height` bytes, 1 where something is drawn. */
export interface PixelGrid {
  width: number;
  height: number;
  covered: Uint8Array;
}

/**
 * Returns the pixels that thin curves cover in an area of `width` × `height` pixels, their lines `thickness` pixels
 * wide. The cost grows with the pixels that curves pass, so a thousand curves take milliseconds. The curves of one mark
 * have one colour and one opacity, so it does not matter how many of them cover a pixel.
 */
export function coverPixels(
  { runs, shape }: RunsMark,
  { x, y }: Scene['axes'],
  { width, height, thickness }: { width: number; height: number; thickness: number },
): PixelGrid {
  const covered = new Uint8Array(width * height);
  const fill = (left: number, right: number, top: number, bottom: number): void => {
    const [from, to] = [Math.max(0, left), Math.min(width, right + thickness)];
    if (from >= to) return;
    for (let row = Math.max(0, top); row < Math.min(height, bottom + thickness); row += 1) {
      covered.fill(1, row * width + from, row * width + to);
    }
  };
  const half = thickness / 2;
  const { at: across } = x.scale;
  const { at: up, onAxis } = y.scale;
  // Plain loops: an object for each of 200,000 points would cost more than the pixels.
  for (const run of runs) {
    let left = 0;
    let top = 0;
    let hasBefore = false;
    for (let index = 0; index < run.x.length; index += 1) {
      const value = run.y[index];
      if (!isValue(value)) {
        hasBefore = false;
        continue;
      }
      const nextLeft = Math.round(across(run.x[index] ?? 0) * width - half);
      const nextTop = Math.round((1 - up(onAxis(value))) * height - half);
      if (hasBefore && shape === 'step') {
        fill(left, nextLeft, top, top);
        if (nextTop !== top)
          fill(nextLeft, nextLeft, Math.min(top, nextTop), Math.max(top, nextTop));
      } else if (hasBefore && shape === 'line') {
        fillLine({ left, top }, { left: nextLeft, top: nextTop }, width, fill);
      } else if (shape === 'points') fill(nextLeft, nextLeft, nextTop, nextTop);
      left = nextLeft;
      top = nextTop;
      hasBefore = true;
    }
  }
  return { width, height, covered };
}

interface Pixel {
  left: number;
  top: number;
}

/** Fills a straight line column by column. */
function fillLine(
  from: Pixel,
  to: Pixel,
  width: number,
  fill: (left: number, right: number, top: number, bottom: number) => void,
): void {
  const length = Math.max(1, to.left - from.left);
  const topAt = (left: number): number =>
    Math.round(from.top + ((to.top - from.top) * (left - from.left)) / length);
  for (let left = Math.max(from.left, 0); left < Math.min(from.left + length, width); left += 1) {
    const [one, other] = [topAt(left), topAt(left + 1)];
    fill(left, left, Math.min(one, other), Math.max(one, other));
  }
}
