import type { EffectLabel, Interval } from '#shared/schemas/analysis-measures.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import {
  computeMean,
  computeQuantileOfSorted,
  getMinimum,
  sortAscending,
  sum,
} from './descriptive.ts';
import { computeNormalQuantile } from './distributions.ts';
import { makeLinearStatistic, type LinearStatistic } from './linear-statistic.ts';
import { rankValues } from './rank-tests.ts';

/**
 * Returns Vargha and Delaney's A12, oriented by the direction: the probability that a run of A is better than a run of
 * B, with ties counted half. A is better above 0.5. NaN for an empty sample. `u` is the U of the rank-sum test: the
 * number of pairs in which A has the larger value, also with ties counted half. Vargha & Delaney 2000.
 */
export function computeVarghaDelaney(
  u: number,
  sampleSizeA: number,
  sampleSizeB: number,
  direction: ObjectiveDirection,
): number {
  const pairCount = sampleSizeA * sampleSizeB;
  return (direction === 'max' ? u : pairCount - u) / pairCount;
}

/**
 * Returns the word for the distance of A12 from one half: negligible below 0.06, small below 0.14, medium below 0.21,
 * otherwise large. The word is the same for both directions. `u` is as in {@link computeVarghaDelaney}. The samples
 * must not be empty. Compares integers, because 0.71 − 0.5 is below 0.21 in doubles. Vargha & Delaney 2000.
 */
export function getEffectLabel(u: number, sampleSizeA: number, sampleSizeB: number): EffectLabel {
  const pairCount = sampleSizeA * sampleSizeB;
  const distance = 100 * Math.abs(2 * u - pairCount);
  if (distance < 12 * pairCount) return 'negligible';
  if (distance < 28 * pairCount) return 'small';
  return distance < 42 * pairCount ? 'medium' : 'large';
}

/**
 * Returns the interval of A12 that misses the true value with the probability `alpha`. Uses DeLong's variance on the
 * logit scale. Infinities are ordinary extreme values; equal infinities tie. Null if a sample has fewer than 2 values,
 * if A12 is 0 or 1, or if all values are equal. Throws a RangeError for NaN. DeLong, DeLong & Clarke-Pearson 1988.
 */
export function computeEffectInterval(
  sampleA: readonly number[],
  sampleB: readonly number[],
  direction: ObjectiveDirection,
  alpha = 0.05,
): Interval | null {
  const [sharesOfA, sharesOfB] = computeSharesOfSmallerValues(sampleA, sampleB);
  const shareOfLarger = computeMean(sharesOfA);
  const variance = computeVarianceOfMean(sharesOfA) + computeVarianceOfMean(sharesOfB);
  // The variance is NaN if a sample has fewer than 2 values.
  if (shareOfLarger === null || shareOfLarger <= 0 || shareOfLarger >= 1 || !(variance > 0))
    return null;
  const effect = direction === 'max' ? shareOfLarger : 1 - shareOfLarger;
  const margin =
    (-computeNormalQuantile(alpha / 2) * Math.sqrt(variance)) / (effect * (1 - effect));
  const logit = Math.log(effect / (1 - effect));
  return { lower: computeLogistic(logit - margin), upper: computeLogistic(logit + margin) };
}

/**
 * Returns the share of smaller values in the other sample, for each value of both samples. A tie counts half. The share
 * is the rank among both samples minus the rank in the value's own sample, divided by the size of the other sample.
 */
function computeSharesOfSmallerValues(
  a: readonly number[],
  b: readonly number[],
): [number[], number[]] {
  const ranksInBoth = rankValues([...a, ...b]).ranks;
  const getShares = (sample: readonly number[], start: number, otherSize: number) =>
    rankValues(sample).ranks.map(
      (ownRank, index) => ((ranksInBoth[start + index] ?? NaN) - ownRank) / otherSize,
    );
  return [getShares(a, 0, b.length), getShares(b, a.length, a.length)];
}

/** Returns the variance of the mean; NaN for fewer than 2 values. */
function computeVarianceOfMean(values: readonly number[]): number {
  const center = computeMean(values) ?? NaN;
  const squares = sum(values.map((value) => (value - center) ** 2));
  return squares / (values.length - 1) / values.length;
}

function computeLogistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/**
 * Returns Hodges and Lehmann's estimate of the shift between two samples: the median of all differences a − b. Equal
 * infinities differ by 0. The estimate may be infinite. It is null for an empty sample, and if the two middle
 * differences are opposite infinities. The samples must not contain NaN. Hodges & Lehmann 1963.
 */
export function computeHodgesLehmann(
  sampleA: readonly number[],
  sampleB: readonly number[],
): number | null {
  const [a, b] = [sortAscending(sampleA), sortAscending(sampleB)];
  const pairCount = a.length * b.length;
  if (pairCount === 0) return null;
  const lowerMiddle = findDifferenceOfRank(a, b, Math.ceil(pairCount / 2));
  const upperMiddle =
    pairCount % 2 === 1 ? lowerMiddle : findDifferenceOfRank(a, b, pairCount / 2 + 1);
  return computeQuantileOfSorted([lowerMiddle, upperMiddle], 0.5);
}

/**
 * Returns the interval of the shift between two samples for each level of `alphas`. The interval is from the Cth
 * smallest to the Cth largest difference a − b. C is the smallest U, rounded up, that is not significant in the
 * two-sided rank-sum test at this level with the ties of the samples. The test is exact if both samples have fewer than
 * 50 values, or if their ranks have at most two distinct values; otherwise it uses the normal approximation. An
 * interval is null for an empty sample, if no U is significant, and if an end is not finite. The samples must not
 * contain NaN. Hollander & Wolfe 1999.
 */
export function computeShiftIntervals(
  sampleA: readonly number[],
  sampleB: readonly number[],
  alphas: readonly number[],
): (Interval | null)[] {
  const [a, b] = [sortAscending(sampleA), sortAscending(sampleB)];
  if (a.length === 0 || b.length === 0) return alphas.map(() => null);
  const { ranks } = rankValues([...a, ...b]);
  const statistic = makeLinearStatistic(ranks, a.length, false);
  const smallestRank = getMinimum(ranks) ?? 0;
  return alphas.map((alpha) => {
    const significantSumCount = countSignificantSums(statistic, alpha);
    if (significantSumCount === 0) return null;
    const firstInsignificantSum = statistic.minimumSum + significantSumCount;
    const u =
      a.length * smallestRank +
      firstInsignificantSum * statistic.stepSize -
      (a.length * (a.length + 1)) / 2;
    const rank = Math.ceil(u - maximumRounding);
    const lower = findDifferenceOfRank(a, b, rank);
    const upper = findDifferenceOfRank(a, b, a.length * b.length + 1 - rank);
    return Number.isFinite(lower) && Number.isFinite(upper) ? { lower, upper } : null;
  });
}

/**
 * Returns the number of whole sums, from the smallest possible one up to the mean, with a p-value of at most `alpha`.
 */
function countSignificantSums(
  { getPValue, minimumSum, mean }: LinearStatistic,
  alpha: number,
): number {
  // The p-value increases up to the mean.
  let [firstInsignificantSum, end] = [minimumSum, Math.floor(mean)];
  while (firstInsignificantSum < end) {
    const middle = Math.floor((firstInsignificantSum + end) / 2);
    if (getPValue(middle) <= alpha) firstInsignificantSum = middle + 1;
    else end = middle;
  }
  return firstInsignificantSum - minimumSum;
}

/** Tolerance for the rounding error of a U, which is a multiple of 1/2. */
const maximumRounding = 1e-6;

/** Number of the differences up to a limit, and the two differences next to the limit. */
interface Split {
  /** Number of differences up to the limit. */
  count: number;
  /** The largest difference up to the limit; −Infinity without one. */
  lowerValue: number;
  /** The smallest difference above the limit; Infinity without one. */
  upperValue: number;
}

/**
 * Returns the difference a − b with the rank `rank` among all differences of two ascending samples; the smallest one
 * has rank 1. For each a, the differences descend. The index of the first difference up to a limit therefore never
 * decreases from one a to the next, and the search stores no differences. Both ends of the search are always
 * differences.
 */
function findDifferenceOfRank(a: readonly number[], b: readonly number[], rank: number): number {
  let low = getDifference(a[0], b.at(-1));
  let high = getDifference(a.at(-1), b[0]);
  while (low < high) {
    const { count, lowerValue, upperValue } = splitDifferences(a, b, getMiddle(low, high));
    if (count >= rank) high = lowerValue;
    else low = upperValue;
  }
  return low;
}

function splitDifferences(a: readonly number[], b: readonly number[], limit: number): Split {
  const split: Split = { count: 0, lowerValue: -Infinity, upperValue: Infinity };
  let firstIndex = 0;
  for (const value of a) {
    while (firstIndex < b.length && getDifference(value, b[firstIndex]) > limit) firstIndex += 1;
    split.count += b.length - firstIndex;
    if (firstIndex < b.length)
      split.lowerValue = Math.max(split.lowerValue, getDifference(value, b[firstIndex]));
    if (firstIndex > 0)
      split.upperValue = Math.min(split.upperValue, getDifference(value, b[firstIndex - 1]));
  }
  return split;
}

function getDifference(a = NaN, b = NaN): number {
  return a === b ? 0 : a - b;
}

/** Returns a number in [low, high), about halfway between both. An infinite end counts as ±Number.MAX_VALUE. */
function getMiddle(low: number, high: number): number {
  const toFinite = (value: number) =>
    Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
  const middle = toFinite(low) / 2 + toFinite(high) / 2;
  return middle < high ? middle : low;
}
