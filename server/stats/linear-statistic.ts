import { normalUpperTail } from './distributions.ts';
import { tableWeights } from './fisher-exact.ts';
import { commonStep, subsetSums } from './subset-sums.ts';
import { sum } from './descriptive.ts';

/**
 * One measure of a permutation test of two groups: the sum of the scores of `chosen` units, against all choices of as many
 * units. Sums are integers, so that equal ones compare equal.
 */
export interface LinearStatistic {
  /** Score of each unit as an integer from 0, in steps of their common divisor. */
  places: Int32Array;
  /** Conditional two-sided p-value of each sum of places: the share of choices with a sum at least as far from the mean. */
  pValueOf: (placeSum: number) => number;
  /** Smallest and largest sum of places that a choice can have. */
  lowest: number;
  highest: number;
  /** Over all choices. */
  mean: number;
  /** Whether its p-values are counted, not approximated. */
  isExact: boolean;
}

type SumBounds = Pick<LinearStatistic, 'lowest' | 'highest' | 'mean'>;

/** From this size on either group is large enough for the normal approximation, as in the rank-sum test. */
const exactBelow = 50;

/** Most steps between the scores of a unit that is a mean of mid-ranks; finer ones are rounded, which keeps the test valid. */
const mostSteps = 4096;

/**
 * Statistic of mid-ranks, or of means of equally many of them. Its p-values are exact when both groups have fewer than 50
 * units, when the scores have at most two values, and when `isExact` requests it; else by the normal approximation with tie and continuity correction, as in
 * the rank-sum test. Takes at least one unit in each group. All scores equal: p = 1. Throws a RangeError for a score that is not finite.
 */
export function linearStatistic(
  scores: readonly number[],
  chosen: number,
  isExact: boolean,
): LinearStatistic {
  if (!scores.every(Number.isFinite)) throw new RangeError('Every score must be a finite number.');
  const { places, unit } = toPlaces(scores);
  const sorted = places.toSorted();
  const bounds = {
    lowest: sum(sorted.subarray(0, chosen)),
    highest: sum(sorted.subarray(sorted.length - chosen)),
    mean: (chosen * sum(sorted)) / sorted.length,
  };
  const others = scores.length - chosen;
  const isTwoValued = (sorted.at(-1) ?? 0) <= 1;
  const isCounted = isExact || isTwoValued || Math.max(chosen, others) < exactBelow;
  if (!isCounted) {
    return { places, ...bounds, isExact: false, pValueOf: normalPValues(sorted, chosen, unit) };
  }
  return { places, ...bounds, isExact: true, pValueOf: distributionOf(sorted, chosen, bounds) };
}

/** Gives the two-sided p-value of a sum of places. */
type PValues = (placeSum: number) => number;

/** Distributions of the same places, least recently used first: pairs without ties, or with equally many in one tie, share them. */
const distributions = new Map<string, { pValueOf: PValues; size: number }>();
/** Doubles in all of them: 8 MB. */
const mostValues = 1_000_000;
let cachedValues = 0;

function distributionOf(sorted: Int32Array, chosen: number, bounds: SumBounds): PValues {
  const key = `${chosen} ${sorted.join()}`;
  const cached = distributions.get(key);
  const isTwoValued = (sorted.at(-1) ?? 0) <= 1;
  const distribution =
    cached ??
    (isTwoValued ? tablePValues(sorted, chosen, bounds) : sumPValues(sorted, chosen, bounds));
  distributions.delete(key);
  distributions.set(key, distribution);
  if (!cached) cachedValues += distribution.size;
  for (const [oldest, { size }] of distributions) {
    if (cachedValues <= mostValues) break;
    distributions.delete(oldest);
    cachedValues -= size;
  }
  return distribution.pValueOf;
}

/** The scores as integers from 0, and how many ranks a step of 1 is. */
function toPlaces(scores: readonly number[]): { places: Int32Array; unit: number } {
  const least = scores.reduce((a, b) => Math.min(a, b), Infinity);
  const range = scores.reduce((a, b) => Math.max(a, b), -Infinity) - least;
  const distances = scores.map((score) => score - least);
  const scale = integerScale(distances, range) ?? mostSteps / range;
  const places = Int32Array.from(distances, (distance) => Math.round(distance * scale));
  const step = commonStep(places);
  return { places: places.map((place) => place / step), unit: step / scale };
}

/** Smallest factor that makes all distances integers; null where that takes more than {@link mostSteps}. Half ranks always have one. */
function integerScale(distances: readonly number[], range: number): number | null {
  const most = Math.max(2, mostSteps / range);
  for (let scale = 1; scale <= most; scale += 1) {
    const isWhole = (distance: number) => {
      const scaled = distance * scale;
      return Math.abs(scaled - Math.round(scaled)) < 1e-6;
    };
    if (distances.every(isWhole)) return scale;
    if (range === 0) break;
  }
  return range === 0 ? 1 : null;
}

/** Counts the choices with a sum at least as far from the mean, once for each sum. */
function sumPValues(sorted: Int32Array, chosen: number, { lowest, highest, mean }: SumBounds) {
  const { countUpTo, countFrom, size } = subsetSums(sorted, chosen);
  const all = countUpTo(highest - lowest);
  const isSymmetric = 2 * chosen === sorted.length;
  const known = new Float64Array(highest - lowest + 1).fill(NaN);
  const shareBeyond = (distance: number) => {
    // Sums are integers, their mean may not be.
    const below = countUpTo(Math.floor(mean - distance + rounding) - lowest);
    const above = isSymmetric ? below : countFrom(Math.ceil(mean + distance - rounding) - lowest);
    return distance < rounding ? 1 : Math.min(1, (below + above) / all);
  };
  const pValueOf = (placeSum: number) => {
    const at = isSymmetric && placeSum > mean ? highest - placeSum : placeSum - lowest;
    const cached = known[at] ?? NaN;
    if (!Number.isNaN(cached)) return cached;
    const pValue = shareBeyond(Math.abs(placeSum - mean));
    known[at] = pValue;
    return pValue;
  };
  return { pValueOf, size: size + known.length };
}

/** Largest error of a mean of integers. */
const rounding = 1e-6;

/** Of scores with two values, by the number of the larger ones among the chosen, whatever the sizes. */
function tablePValues(sorted: Int32Array, chosen: number, { lowest, mean }: SumBounds) {
  const others = sorted.length - chosen;
  const ones = sum(sorted);
  const weights = tableWeights(chosen, others, ones, Math.max(0, ones - others));
  const pValues = twoSided(weights, lowest, mean);
  return {
    pValueOf: (placeSum: number) => pValues[placeSum - lowest] ?? NaN,
    size: pValues.length,
  };
}

/** Share of the counts at least as far from the mean as each sum, added from the outside inward so that small ones keep their digits. */
function twoSided(counts: Float64Array, lowest: number, mean: number): Float64Array {
  const pValues = new Float64Array(counts.length);
  let [first, last] = [0, counts.length - 1];
  let total = 0;
  while (first <= last) {
    const [below, above] = [mean - lowest - first, lowest + last - mean];
    const isTie = Math.abs(below - above) < 1e-6;
    const [left, right] = [below > above || isTie, above > below || isTie];
    if (left) total += counts[first] ?? 0;
    if (right && !(left && last === first)) total += counts[last] ?? 0;
    if (left) pValues[first++] = total;
    if (right) pValues[last--] = total;
  }
  return pValues.map((value) => Math.min(1, value / total));
}

function normalPValues(sorted: Int32Array, chosen: number, unit: number) {
  const total = sorted.length;
  const mean = sum(sorted) / total;
  const squares = sum(Float64Array.from(sorted, (place) => (place - mean) ** 2));
  const standardError = Math.sqrt((chosen * (total - chosen) * squares) / (total * (total - 1)));
  return (placeSum: number) => {
    if (squares === 0) return 1;
    const distance = Math.max(0, Math.abs(placeSum - chosen * mean) - 0.5 / unit);
    return Math.min(1, 2 * normalUpperTail(distance / standardError));
  };
}
