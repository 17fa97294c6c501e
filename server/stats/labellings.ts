import { computeBinomial } from './distributions.ts';
import { createSeededRandom, type UniformRandom } from './seeded-random.ts';
import type { TailEvent, TailMeasure } from './tail-sampling.ts';

/** Indices of units: with 16 bits for at most 65,536 units, otherwise with 32 bits. */
type Indices = Uint16Array | Uint32Array;

/**
 * Labellings of units. Each labelling is the subset of the units in one of two groups. One array contains the indices
 * of all subsets.
 */
export interface Labellings {
  indices: Indices;
  /** Number of subsets. */
  length: number;
}

/** Largest number of subsets that {@link listLabellings} lists. */
const maximumListedLabellings = 20_000;

/**
 * Returns all subsets of `subsetSize` of `total` units in lexicographic order; null for more than {@link
 * maximumListedLabellings} subsets.
 */
export function listLabellings(total: number, subsetSize: number): Labellings | null {
  const length = computeBinomial(total, subsetSize);
  if (length > maximumListedLabellings) return null;
  const indices = new Uint16Array(length * subsetSize);
  const currentSubset = Array.from({ length: subsetSize }, (_, index) => index);
  for (let row = 0; row < length; row += 1) {
    indices.set(currentSubset, row * subsetSize);
    let position = subsetSize - 1;
    while (position >= 0 && currentSubset[position] === total - subsetSize + position)
      position -= 1;
    if (position < 0) break;
    currentSubset[position] = (currentSubset[position] ?? 0) + 1;
    for (let nextPosition = position + 1; nextPosition < subsetSize; nextPosition += 1) {
      currentSubset[nextPosition] = (currentSubset[nextPosition - 1] ?? 0) + 1;
    }
  }
  return { indices, length };
}

interface LabellingStream extends Labellings {
  random: UniformRandom;
  order: Indices;
}

const streams = new Map<string, LabellingStream>();
const maximumStreams = 16;

/**
 * Returns at least `length` random subsets of `subsetSize` of `total` units, uniform and independent. The seed of the
 * generator contains only `total` and `subsetSize`, so pairs of groups with the same sizes share the subsets. Each
 * p-value is as valid as with separate draws. Caches the subsets for the 16 most recently used combinations of both
 * numbers. A later call may append subsets to the returned object.
 */
export function drawLabellings(total: number, subsetSize: number, length: number): Labellings {
  const key = JSON.stringify([total, subsetSize]);
  const stream = streams.get(key) ?? {
    indices: createIndices(total, 0),
    length: 0,
    random: createSeededRandom(key),
    order: createIndices(total, total).map((_, index) => index),
  };
  if (stream.length < length) extendStream(stream, subsetSize, length);
  streams.delete(key);
  streams.set(key, stream);
  for (const oldestKey of streams.keys()) {
    if (streams.size <= maximumStreams) break;
    streams.delete(oldestKey);
  }
  return stream;
}

/** Returns an array for `length` indices of `total` units. */
function createIndices(total: number, length: number): Indices {
  return total > 2 ** 16 ? new Uint32Array(length) : new Uint16Array(length);
}

function extendStream(stream: LabellingStream, subsetSize: number, length: number): void {
  const { random, order } = stream;
  const indices = createIndices(order.length, length * subsetSize);
  indices.set(stream.indices);
  for (let start = stream.length * subsetSize; start < indices.length; start += subsetSize) {
    for (let position = 0; position < subsetSize; position += 1) {
      const otherPosition = position + Math.floor(random() * (order.length - position));
      const unit = order[otherPosition] ?? 0;
      order[otherPosition] = order[position] ?? 0;
      order[position] = unit;
      indices[start + position] = unit;
    }
  }
  stream.indices = indices;
  stream.length = length;
}

/** Number of labellings in which at least one event of a union happened, and number of all counted labellings. */
export interface HitCount {
  count: number;
  drawCount: number;
}

/** Labellings to count: the first `maximum` ones. The count of a union ends at `sufficientHits`. */
export interface LabellingLimits {
  subsetSize: number;
  maximum: number;
  sufficientHits: number;
  /** Returns at least the first `length` labellings. */
  getLabellingsUpTo: (length: number) => Labellings;
}

/**
 * Returns one count for each union: the number of labellings in which at least one of its events happens, and the
 * number of counted labellings. A union has one event for each measure.
 */
export function countHits(
  unions: readonly (readonly TailEvent[])[],
  measures: readonly TailMeasure[],
  { subsetSize: size, maximum, sufficientHits, getLabellingsUpTo }: LabellingLimits,
): HitCount[] {
  const hits = unions.map(() => ({ count: 0, drawCount: 0 }));
  const columns = measures.map(({ integerScores }) => integerScores);
  const sums = new Float64Array(measures.length);
  let openUnionCount = hits.length;
  let indices: Indices = new Uint16Array();
  for (let draw = 0, loadedCount = 0; draw < maximum && openUnionCount > 0; draw += 1) {
    if (draw === loadedCount) {
      loadedCount = Math.min(maximum, Math.max(500, 2 * loadedCount));
      ({ indices } = getLabellingsUpTo(loadedCount));
    }
    for (let index = 0; index < columns.length; index += 1) {
      sums[index] = sumScores(columns[index] ?? noScores, indices, draw * size, size);
    }
    for (let index = 0; index < hits.length; index += 1) {
      const hit = hits[index];
      if (!hit || hit.count >= sufficientHits) continue;
      hit.drawCount += 1;
      if (hasEvent(unions[index] ?? [], sums)) hit.count += 1;
      if (hit.count >= sufficientHits) openUnionCount -= 1;
    }
  }
  return hits;
}

const noScores = new Int32Array();

/** Returns the sum of the scores of a subset of units. The indices of the subset begin at `start`. */
function sumScores(
  integerScores: Int32Array,
  indices: Indices,
  start: number,
  subsetSize: number,
): number {
  let total = 0;
  for (let position = start; position < start + subsetSize; position += 1) {
    total += integerScores[indices[position] ?? 0] ?? 0;
  }
  return total;
}

function hasEvent(union: readonly TailEvent[], sums: Float64Array): boolean {
  for (let index = 0; index < union.length; index += 1) {
    const event = union[index];
    const scoreSum = sums[index] ?? NaN;
    if (event && (scoreSum <= event.lower || scoreSum >= event.upper)) return true;
  }
  return false;
}
