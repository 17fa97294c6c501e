import { computeBinomial, computeNormalUpperTail } from './distributions.ts';
import { getPresentValues, sortAscending, sum } from './descriptive.ts';
import { makeLinearStatistic } from './linear-statistic.ts';
import { rankValues } from './rank-tests.ts';

/** Result of the two-sided rank-sum test of two independent samples. */
export interface RankSumTest {
  /** Number of pairs in which the value of A is larger, with ties counted half; null for an empty sample. */
  u: number | null;
  /** P-value of the test; null for an empty sample. */
  pValue: number | null;
  /**
   * Smallest p-value of any assignment of the pooled values to the samples. It has the method of the p-value, but is
   * always exact if there are no ties. Null for an empty sample.
   */
  attainablePValue: number | null;
  /** Method of the p-value; null for an empty sample. */
  method: 'exact' | 'asymptotic' | null;
  sampleSizeA: number;
  sampleSizeB: number;
}

/** Size of a sample from which the normal approximation is accurate enough, as in R. */
const minimumAsymptoticSize = 50;

/**
 * Returns the two-sided rank-sum test of Wilcoxon (Mann-Whitney U). Its p-value is the probability of a rank sum at
 * least as far from the mean. If both samples have fewer than 50 values, the test is exact: it uses the permutation
 * distribution of the mid-ranks, including ties. Otherwise it uses the normal approximation with tie and continuity
 * correction. Omits null, undefined and NaN. Infinities are ordinary extreme values, and equal ones tie. If all values
 * are equal, p = 1. Mann & Whitney 1947; Streitberg & Röhmel 1986.
 */
export function testMannWhitney(
  sampleA: Iterable<number | null | undefined>,
  sampleB: Iterable<number | null | undefined>,
): RankSumTest {
  const a = getPresentValues(sampleA);
  const b = getPresentValues(sampleB);
  const sizes = { sampleSizeA: a.length, sampleSizeB: b.length };
  if (a.length === 0 || b.length === 0) {
    return { u: null, pValue: null, attainablePValue: null, method: null, ...sizes };
  }
  const { ranks, tieSum } = rankValues([...a, ...b]);
  const u = getU(ranks, a.length);
  const isExact = a.length < minimumAsymptoticSize && b.length < minimumAsymptoticSize;
  const pValues = isExact
    ? computeExactPValues(ranks, a.length)
    : computeAsymptoticPValues(ranks, { u, n1: a.length, n2: b.length, tieSum });
  return { u, ...pValues, method: isExact ? 'exact' : 'asymptotic', ...sizes };
}

/**
 * Returns only the U of the rank-sum test; null for an empty sample. Throws a RangeError for NaN, unless a sample is
 * empty.
 */
export function computeU(a: readonly number[], b: readonly number[]): number | null {
  if (a.length === 0 || b.length === 0) return null;
  return getU(rankValues([...a, ...b]).ranks, a.length);
}

function getU(ranks: readonly number[], n1: number): number {
  return sum(ranks.slice(0, n1)) - (n1 * (n1 + 1)) / 2;
}

function computeExactPValues(ranks: readonly number[], n1: number) {
  const { integerScores, getPValue, minimumSum, maximumSum } = makeLinearStatistic(ranks, n1, true);
  return {
    pValue: getPValue(sum(integerScores.subarray(0, n1))),
    attainablePValue: Math.min(getPValue(minimumSum), getPValue(maximumSum)),
  };
}

interface RankSum {
  u: number;
  n1: number;
  n2: number;
  tieSum: number;
}

function computeAsymptoticPValues(ranks: readonly number[], { u, n1, n2, tieSum }: RankSum) {
  const getProbability = (deviation: number) =>
    computeAsymptoticProbability(deviation, n1, n2, tieSum);
  const getMaximumDeviation = () =>
    findLargestDeviation(sortAscending(ranks.map((value) => 2 * value)), n1);
  return {
    pValue: getProbability(Math.abs(2 * u - n1 * n2)),
    attainablePValue:
      tieSum === 0 ? 2 / computeBinomial(n1 + n2, n1) : getProbability(getMaximumDeviation()),
  };
}

function computeAsymptoticProbability(
  deviation: number,
  n1: number,
  n2: number,
  tieSum: number,
): number {
  const total = n1 + n2;
  const untiedCubes = total ** 3 - total - tieSum;
  if (untiedCubes <= 0) return 1;
  const standardError = Math.sqrt((((n1 * n2) / 12) * untiedCubes) / (total * (total - 1)));
  const distance = Math.max(0, deviation / 2 - 0.5);
  return Math.min(1, 2 * computeNormalUpperTail(distance / standardError));
}

function findLargestDeviation(scores: readonly number[], n1: number): number {
  const mean = n1 * (scores.length + 1);
  return Math.max(mean - sum(scores.slice(0, n1)), sum(scores.slice(-n1)) - mean);
}
