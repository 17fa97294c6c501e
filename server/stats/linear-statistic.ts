import { computeNormalUpperTail } from './distributions.ts';
import { computeTableWeights } from './fisher-exact.ts';
import { findCommonStep, prepareSubsetSums } from './subset-sums.ts';
import { sum } from './descriptive.ts';

/**
 * Statistic of one measure in a permutation test of two groups: the sum of the scores of `subsetSize` units, compared
 * with the sums of all subsets of the same size. Sums are integers, because equal sums must compare as equal.
 */
export interface LinearStatistic {
  /** Difference of the score of each unit from the smallest score, in multiples of `stepSize`. */
  integerScores: Int32Array;
  /** Difference of the scores of two units whose integer scores differ by 1. */
  stepSize: number;
  /**
   * Returns the two-sided p-value of a sum of integer scores, given all scores: the share of subsets with a sum at
   * least as far from the mean. Unless `isExact`, the p-value is the normal approximation of this share.
   */
  getPValue: (scoreSum: number) => number;
  /** Smallest and largest possible sum of the integer scores of a subset. */
  minimumSum: number;
  maximumSum: number;
  /** Mean of the sums over all subsets. */
  mean: number;
  /** Whether the p-values are exact, not approximated. */
  isExact: boolean;
}

type SumBounds = Pick<LinearStatistic, 'minimumSum' | 'maximumSum' | 'mean'>;

/** Size of a group from which the normal approximation is accurate enough, as in the rank-sum test. */
const minimumAsymptoticSize = 50;

/**
 * Maximum number of steps from the smallest to the largest score, for scores that are not multiples of 1/2. {@link
 * toIntegerScores} rounds finer scores, and the test remains valid.
 */
const maximumSteps = 4096;

/**
 * Returns the statistic of mid-ranks, or of means of equally many mid-ranks. Its p-values are exact if both groups have
 * fewer than 50 units, if the scores have at most two values, or if `mustBeExact` is true. Otherwise they are the
 * normal approximation with tie and continuity correction, as in the rank-sum test. Rounds scores that are not
 * multiples of 1/2 and need more than 4,096 steps; exact p-values are then those of the rounded scores. Each group
 * needs at least one unit. If all scores are equal, p = 1. Throws a RangeError for a score that is not finite.
 */
export function makeLinearStatistic(
  scores: readonly number[],
  subsetSize: number,
  mustBeExact: boolean,
): LinearStatistic {
  if (!scores.every(Number.isFinite)) throw new RangeError('Every score must be a finite number.');
  const { integerScores, stepSize } = toIntegerScores(scores);
  const sortedScores = integerScores.toSorted();
  const bounds = {
    minimumSum: sum(sortedScores.subarray(0, subsetSize)),
    maximumSum: sum(sortedScores.subarray(sortedScores.length - subsetSize)),
    mean: (subsetSize * sum(sortedScores)) / sortedScores.length,
  };
  const otherSize = scores.length - subsetSize;
  const isTwoValued = (sortedScores.at(-1) ?? 0) <= 1;
  const isExact =
    mustBeExact || isTwoValued || Math.max(subsetSize, otherSize) < minimumAsymptoticSize;
  const getPValue = isExact
    ? getPValueFunction(sortedScores, subsetSize, bounds)
    : computeNormalPValues(sortedScores, subsetSize, stepSize);
  return { integerScores, stepSize, ...bounds, isExact, getPValue };
}

/** Returns the two-sided p-value of a sum of scores. */
type PValueFunction = (scoreSum: number) => number;

/**
 * Cache of the distributions by sorted scores and size of the subset, least recently used first. All pairs of groups
 * with the same sizes and without ties share one distribution.
 */
const distributions = new Map<string, { getPValue: PValueFunction; size: number }>();
/** Maximum number of doubles in the cache: 8 MB. */
const maximumValues = 1_000_000;
let cachedValueCount = 0;

function getPValueFunction(
  sortedScores: Int32Array,
  subsetSize: number,
  bounds: SumBounds,
): PValueFunction {
  const key = `${subsetSize} ${sortedScores.join()}`;
  const cachedDistribution = distributions.get(key);
  const isTwoValued = (sortedScores.at(-1) ?? 0) <= 1;
  const distribution =
    cachedDistribution ??
    (isTwoValued
      ? computeTablePValues(sortedScores, subsetSize, bounds)
      : computeCountedPValues(sortedScores, subsetSize, bounds));
  distributions.delete(key);
  distributions.set(key, distribution);
  if (!cachedDistribution) cachedValueCount += distribution.size;
  for (const [oldestKey, { size }] of distributions) {
    if (cachedValueCount <= maximumValues) break;
    distributions.delete(oldestKey);
    cachedValueCount -= size;
  }
  return distribution.getPValue;
}

/** Returns the scores as `integerScores` and `stepSize` of {@link LinearStatistic}. */
function toIntegerScores(scores: readonly number[]): {
  integerScores: Int32Array;
  stepSize: number;
} {
  const minimum = scores.reduce((a, b) => Math.min(a, b), Infinity);
  const range = scores.reduce((a, b) => Math.max(a, b), -Infinity) - minimum;
  const distances = scores.map((score) => score - minimum);
  const scale = findIntegerScale(distances, range) ?? maximumSteps / range;
  const integerScores = Int32Array.from(distances, (distance) => Math.round(distance * scale));
  const step = findCommonStep(integerScores);
  return { integerScores: integerScores.map((score) => score / step), stepSize: step / scale };
}

/**
 * Returns the smallest whole factor that makes all distances integers, to 1e-6; null if this factor is above 2 and
 * results in more than {@link maximumSteps} steps. Multiples of 1/2 always have a factor.
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

/**
 * Returns the p-value of each sum: the share of subsets with a sum at least as far from the mean. Counts these subsets
 * once for each sum.
 */
function computeCountedPValues(
  sortedScores: Int32Array,
  subsetSize: number,
  { minimumSum, maximumSum, mean }: SumBounds,
) {
  const { countUpTo, countFrom, size } = prepareSubsetSums(sortedScores, subsetSize);
  const subsetCount = countUpTo(maximumSum - minimumSum);
  const isSymmetric = 2 * subsetSize === sortedScores.length;
  const cachedPValues = new Float64Array(maximumSum - minimumSum + 1).fill(NaN);
  const getShareBeyond = (distance: number) => {
    // Sums are integers, but their mean may be fractional.
    const lowerCount = countUpTo(Math.floor(mean - distance + maximumRounding) - minimumSum);
    const upperCount = isSymmetric
      ? lowerCount
      : countFrom(Math.ceil(mean + distance - maximumRounding) - minimumSum);
    return distance < maximumRounding ? 1 : Math.min(1, (lowerCount + upperCount) / subsetCount);
  };
  const getPValue = (scoreSum: number) => {
    const index = isSymmetric && scoreSum > mean ? maximumSum - scoreSum : scoreSum - minimumSum;
    const cachedPValue = cachedPValues[index] ?? NaN;
    if (!Number.isNaN(cachedPValue)) return cachedPValue;
    const pValue = getShareBeyond(Math.abs(scoreSum - mean));
    cachedPValues[index] = pValue;
    return pValue;
  };
  return { getPValue, size: size + cachedPValues.length };
}

/** Tolerance for the rounding error of a mean of integers. */
const maximumRounding = 1e-6;

/**
 * Returns the p-values for scores with at most two values and groups of any size. Computes them from the number of
 * units in the subset that have the larger value.
 */
function computeTablePValues(
  sortedScores: Int32Array,
  subsetSize: number,
  { minimumSum, mean }: SumBounds,
) {
  const otherSize = sortedScores.length - subsetSize;
  const oneCount = sum(sortedScores);
  const weights = computeTableWeights(
    subsetSize,
    otherSize,
    oneCount,
    Math.max(0, oneCount - otherSize),
  );
  const pValues = toTwoSidedPValues(weights, minimumSum, mean);
  return {
    getPValue: (scoreSum: number) => pValues[scoreSum - minimumSum] ?? NaN,
    size: pValues.length,
  };
}

/**
 * Returns the p-value of each sum: the share of the counts of all sums at least as far from the mean. Adds the counts
 * from the outside inward, because small counts then stay accurate.
 */
function toTwoSidedPValues(counts: Float64Array, minimumSum: number, mean: number): Float64Array {
  const pValues = new Float64Array(counts.length);
  let [firstIndex, lastIndex] = [0, counts.length - 1];
  let total = 0;
  while (firstIndex <= lastIndex) {
    const [lowerDistance, upperDistance] = [
      mean - minimumSum - firstIndex,
      minimumSum + lastIndex - mean,
    ];
    const isTie = Math.abs(lowerDistance - upperDistance) < 1e-6;
    const [isFirstFarther, isLastFarther] = [
      lowerDistance > upperDistance || isTie,
      upperDistance > lowerDistance || isTie,
    ];
    if (isFirstFarther) total += counts[firstIndex] ?? 0;
    if (isLastFarther && !(isFirstFarther && lastIndex === firstIndex))
      total += counts[lastIndex] ?? 0;
    if (isFirstFarther) pValues[firstIndex++] = total;
    if (isLastFarther) pValues[lastIndex--] = total;
  }
  return pValues.map((value) => Math.min(1, value / total));
}

function computeNormalPValues(sortedScores: Int32Array, subsetSize: number, stepSize: number) {
  const total = sortedScores.length;
  const mean = sum(sortedScores) / total;
  const squares = sum(Float64Array.from(sortedScores, (score) => (score - mean) ** 2));
  const standardError = Math.sqrt(
    (subsetSize * (total - subsetSize) * squares) / (total * (total - 1)),
  );
  return (scoreSum: number) => {
    if (squares === 0) return 1;
    const distance = Math.max(0, Math.abs(scoreSum - subsetSize * mean) - 0.5 / stepSize);
    return Math.min(1, 2 * computeNormalUpperTail(distance / standardError));
  };
}
