import { computeNormalUpperTail } from './distributions.ts';
import { computeTableWeights } from './fisher-exact.ts';
import { findCommonStep, countSubsetSums } from './subset-sums.ts';
import { sum } from './descriptive.ts';

/**
 * Statistic of one measure in a permutation test of two groups: the sum of the scores of `subsetSize` units, compared with
 * all choices of as many units. Sums are integers, so that equal sums compare as equal.
 */
export interface LinearStatistic {
  /** Score of each unit as an integer from 0, in steps of their common divisor. */
  places: Int32Array;
  /**
   * Returns the conditional two-sided p-value of a sum of places: the share of choices with a sum at least as far from
   * the mean.
   */
  getPValue: (placeSum: number) => number;
  /** Smallest and largest possible sum of places of a choice. */
  lowest: number;
  highest: number;
  /** Mean of the sums over all choices. */
  mean: number;
  /** Whether the p-values are exact, not approximated. */
  isExact: boolean;
}

type SumBounds = Pick<LinearStatistic, 'lowest' | 'highest' | 'mean'>;

/** From this size of either group on, the normal approximation is accurate enough, as in the rank-sum test. */
const exactBelow = 50;

/**
 * Maximum number of steps between the scores if they are means of mid-ranks; finer ones are rounded, and the test
 * remains valid.
 */
const maximumSteps = 4096;

/**
 * Statistic of mid-ranks, or of means of equally many of them. Its p-values are exact when both groups have fewer than
 * 50 units, when the scores have at most two values, and when `isExact` requests it; else by the normal approximation
 * with tie and continuity correction, as in the rank-sum test. Takes at least one unit in each group. All scores equal:
 * p = 1. Throws a RangeError for a score that is not finite.
 */
export function testLinearStatistic(
  scores: readonly number[],
  subsetSize: number,
  isExact: boolean,
): LinearStatistic {
  if (!scores.every(Number.isFinite)) throw new RangeError('Every score must be a finite number.');
  const { places, unit } = toPlaces(scores);
  const sortedPlaces = places.toSorted();
  const bounds = {
    lowest: sum(sortedPlaces.subarray(0, subsetSize)),
    highest: sum(sortedPlaces.subarray(sortedPlaces.length - subsetSize)),
    mean: (subsetSize * sum(sortedPlaces)) / sortedPlaces.length,
  };
  const otherSize = scores.length - subsetSize;
  const isTwoValued = (sortedPlaces.at(-1) ?? 0) <= 1;
  const isCounted = isExact || isTwoValued || Math.max(subsetSize, otherSize) < exactBelow;
  if (!isCounted) {
    return {
      places,
      ...bounds,
      isExact: false,
      getPValue: computeNormalPValues(sortedPlaces, subsetSize, unit),
    };
  }
  return {
    places,
    ...bounds,
    isExact: true,
    getPValue: getDistribution(sortedPlaces, subsetSize, bounds),
  };
}

/** Returns the two-sided p-value of a sum of places. */
type PValues = (placeSum: number) => number;

/**
 * Cache of the distributions by places, least recently used first. Pairs without ties, or with one tie of the same
 * size, share them.
 */
const distributions = new Map<string, { getPValue: PValues; size: number }>();
/** Limit of the doubles in the cache: 8 MB. */
const maximumValues = 1_000_000;
let cachedValues = 0;

function getDistribution(sortedPlaces: Int32Array, subsetSize: number, bounds: SumBounds): PValues {
  const key = `${subsetSize} ${sortedPlaces.join()}`;
  const cachedPValues = distributions.get(key);
  const isTwoValued = (sortedPlaces.at(-1) ?? 0) <= 1;
  const distribution =
    cachedPValues ??
    (isTwoValued
      ? computeTablePValues(sortedPlaces, subsetSize, bounds)
      : sumPValues(sortedPlaces, subsetSize, bounds));
  distributions.delete(key);
  distributions.set(key, distribution);
  if (!cachedPValues) cachedValues += distribution.size;
  for (const [oldest, { size }] of distributions) {
    if (cachedValues <= maximumValues) break;
    distributions.delete(oldest);
    cachedValues -= size;
  }
  return distribution.getPValue;
}

/** Returns the scores as integers from 0, and the size of a step in ranks. */
function toPlaces(scores: readonly number[]): { places: Int32Array; unit: number } {
  const minimum = scores.reduce((a, b) => Math.min(a, b), Infinity);
  const range = scores.reduce((a, b) => Math.max(a, b), -Infinity) - minimum;
  const distances = scores.map((score) => score - minimum);
  const scale = findIntegerScale(distances, range) ?? maximumSteps / range;
  const places = Int32Array.from(distances, (distance) => Math.round(distance * scale));
  const step = findCommonStep(places);
  return { places: places.map((place) => place / step), unit: step / scale };
}

/**
 * Returns the smallest factor that makes all distances integers; null if that needs more than {@link maximumSteps}. Half
 * ranks always have one.
 */
function findIntegerScale(distances: readonly number[], range: number): number | null {
  const maximum = Math.max(2, maximumSteps / range);
  for (let scale = 1; scale <= maximum; scale += 1) {
    const isWhole = (distance: number) => {
      const scaledDistance = distance * scale;
      return Math.abs(scaledDistance - Math.round(scaledDistance)) < 1e-6;
    };
    if (distances.every(isWhole)) return scale;
    if (range === 0) break;
  }
  return range === 0 ? 1 : null;
}

/** Counts the choices with a sum at least as far from the mean, once for each sum. */
function sumPValues(
  sortedPlaces: Int32Array,
  subsetSize: number,
  { lowest, highest, mean }: SumBounds,
) {
  const { countUpTo, countFrom, size } = countSubsetSums(sortedPlaces, subsetSize);
  const subsetCount = countUpTo(highest - lowest);
  const isSymmetric = 2 * subsetSize === sortedPlaces.length;
  const cachedPValues = new Float64Array(highest - lowest + 1).fill(NaN);
  const getShareBeyond = (distance: number) => {
    // Sums are integers, their mean may not be.
    const countBelow = countUpTo(Math.floor(mean - distance + rounding) - lowest);
    const countAbove = isSymmetric
      ? countBelow
      : countFrom(Math.ceil(mean + distance - rounding) - lowest);
    return distance < rounding ? 1 : Math.min(1, (countBelow + countAbove) / subsetCount);
  };
  const getPValue = (placeSum: number) => {
    const index = isSymmetric && placeSum > mean ? highest - placeSum : placeSum - lowest;
    const cachedPValue = cachedPValues[index] ?? NaN;
    if (!Number.isNaN(cachedPValue)) return cachedPValue;
    const pValue = getShareBeyond(Math.abs(placeSum - mean));
    cachedPValues[index] = pValue;
    return pValue;
  };
  return { getPValue, size: size + cachedPValues.length };
}

/** Largest rounding error of a mean of integers. */
const rounding = 1e-6;

/**
 * Returns the p-values for scores with two values, by the number of the larger value among the chosen units; for groups
 * of any size.
 */
function computeTablePValues(
  sortedPlaces: Int32Array,
  subsetSize: number,
  { lowest, mean }: SumBounds,
) {
  const otherSize = sortedPlaces.length - subsetSize;
  const oneCount = sum(sortedPlaces);
  const weights = computeTableWeights(
    subsetSize,
    otherSize,
    oneCount,
    Math.max(0, oneCount - otherSize),
  );
  const pValues = toTwoSided(weights, lowest, mean);
  return {
    getPValue: (placeSum: number) => pValues[placeSum - lowest] ?? NaN,
    size: pValues.length,
  };
}

/**
 * Returns the share of the counts that are at least as far from the mean as each sum, added from the outside inward to
 * keep small counts accurate.
 */
function toTwoSided(counts: Float64Array, lowest: number, mean: number): Float64Array {
  const pValues = new Float64Array(counts.length);
  let [first, last] = [0, counts.length - 1];
  let total = 0;
  while (first <= last) {
    const [lowerDistance, upperDistance] = [mean - lowest - first, lowest + last - mean];
    const isTie = Math.abs(lowerDistance - upperDistance) < 1e-6;
    const [isFirstFarther, isLastFarther] = [
      lowerDistance > upperDistance || isTie,
      upperDistance > lowerDistance || isTie,
    ];
    if (isFirstFarther) total += counts[first] ?? 0;
    if (isLastFarther && !(isFirstFarther && last === first)) total += counts[last] ?? 0;
    if (isFirstFarther) pValues[first++] = total;
    if (isLastFarther) pValues[last--] = total;
  }
  return pValues.map((value) => Math.min(1, value / total));
}

function computeNormalPValues(sortedPlaces: Int32Array, subsetSize: number, unit: number) {
  const total = sortedPlaces.length;
  const mean = sum(sortedPlaces) / total;
  const squares = sum(Float64Array.from(sortedPlaces, (place) => (place - mean) ** 2));
  const standardError = Math.sqrt(
    (subsetSize * (total - subsetSize) * squares) / (total * (total - 1)),
  );
  return (placeSum: number) => {
    if (squares === 0) return 1;
    const distance = Math.max(0, Math.abs(placeSum - subsetSize * mean) - 0.5 / unit);
    return Math.min(1, 2 * computeNormalUpperTail(distance / standardError));
  };
}
