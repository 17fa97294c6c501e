import { isValue, type Cell, type Scale } from './figure.ts';
import { firstIndexWhere } from './rising.ts';

/** Most points that one trace puts on the screen. */
export const maximumTracePoints = 2000;

/**
 * Indices, rising, of at most `limit` points that stand for columns drawn over the same rising x: the axis
 * is cut into buckets of equal length on the screen, and of each bucket the lowest and the highest finite
 * value of every column are kept, the first of ties, besides the first and last point of all. So no spike
 * is lost, and all columns keep their values at the same x. All indices when there are no more than
 * `limit`. Nulls are kept only at the two ends. `limit` must be at least 2 + 2 per column; on a log axis
 * every x must be positive.
 */
export function keptIndices(
  x: readonly number[],
  columns: readonly (readonly Cell[])[],
  limit: number,
  scale: Scale,
): number[] {
  if (x.length <= limit) return x.map((_, index) => index);
  const bucketCount = Math.floor((limit - 2) / (2 * columns.length));
  const kept = new Set([0, x.length - 1]);
  let start = 0;
  for (const edge of bucketEdges(x, bucketCount, scale)) {
    const end = firstIndexWhere(x, (value) => value > edge);
    for (const column of columns) keepExtremes(column, start, end, kept);
    start = end;
  }
  return [...kept].sort((first, second) => first - second);
}

/** Right edges of the buckets in units of x; the last is beyond all points. */
function bucketEdges(x: readonly number[], count: number, scale: Scale): number[] {
  const place = (value: number) => (scale === 'log' ? Math.log10(value) : value);
  const first = place(x[0] ?? 0);
  const width = (place(x.at(-1) ?? 0) - first) / count;
  return Array.from({ length: count }, (_, bucket) => {
    const edge = first + width * (bucket + 1);
    if (bucket === count - 1) return Infinity;
    return scale === 'log' ? 10 ** edge : edge;
  });
}

function keepExtremes(
  column: readonly Cell[],
  start: number,
  end: number,
  kept: Set<number>,
): void {
  let lowest = -1;
  let highest = -1;
  for (let index = start; index < end; index += 1) {
    const value = column[index];
    if (!isValue(value)) continue;
    if (lowest < 0 || value < Number(column[lowest])) lowest = index;
    if (highest < 0 || value > Number(column[highest])) highest = index;
  }
  if (lowest >= 0) kept.add(lowest).add(highest);
}

/**
 * First and past-the-last index of the points that are needed to draw x from `low` to `high`: those
 * inside and one more on each side, so that lines reach the edges. `x` does not fall. Both ends in
 * either order; the whole when the window is absent.
 */
export function windowIndices(
  x: readonly number[],
  window: readonly [number, number] | undefined,
): [number, number] {
  if (!window) return [0, x.length];
  const low = Math.min(...window);
  const high = Math.max(...window);
  const first = firstIndexWhere(x, (value) => value >= low);
  const past = firstIndexWhere(x, (value) => value > high);
  return [Math.max(0, first - 1), Math.min(x.length, past + 1)];
}
