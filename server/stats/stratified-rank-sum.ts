import { computeNormalUpperTail } from './distributions.ts';
import { testMannWhitney } from './mann-whitney.ts';
import { rankValues } from './rank-tests.ts';
import { sum } from './descriptive.ts';

/** Values of both samples in one stratum; larger is worse. */
export interface Stratum {
  a: readonly number[];
  b: readonly number[];
}

/** Result of {@link testStratifiedRankSum}. */
export interface StratifiedRankSum {
  /** P-value of the test; null if no stratum has values of both samples. */
  pValue: number | null;
  /** Method of the p-value; null without a p-value. */
  method: 'exact' | 'asymptotic' | null;
  /**
   * Twice the difference of the rank sum of A from its mean, over all strata: below 0 if A has the smaller ranks, above
   * 0 if B has; 0 for a tie, and without a p-value.
   */
  deviation: number;
}

/** Largest number of values in all strata for which the distribution is exact. */
const maximumExactSize = 60;

/**
 * Returns the two-sided rank-sum test of two samples over strata, such as functions. Ranks and permutes within each
 * stratum, and adds the rank sums of A. Exact for at most 60 values in total, by convolving the permutation
 * distributions of the mid-ranks; else by the normal approximation with tie correction. Ignores strata with an empty
 * sample. {@link testMannWhitney} tests a single remaining stratum. Equal infinities tie. Throws a RangeError for NaN
 * in a remaining stratum. If the values of each stratum are equal, p = 1. van Elteren 1960, with equal weights per
 * rank.
 */
export function testStratifiedRankSum(strata: readonly Stratum[]): StratifiedRankSum {
  const usableStrata = strata.filter(({ a, b }) => a.length > 0 && b.length > 0);
  const [firstStratum, ...otherStrata] = usableStrata;
  if (!firstStratum) return { pValue: null, method: null, deviation: 0 };
  const rankedStrata = usableStrata.map(({ a, b }) => ({
    ...rankValues([...a, ...b]),
    n: a.length,
  }));
  // Doubled mid-ranks are integers, and so is twice the distance of their sum from its mean.
  const deviation = sum(
    rankedStrata.map(({ ranks, n }) => 2 * sum(ranks.slice(0, n)) - n * (ranks.length + 1)),
  );
  if (otherStrata.length === 0) {
    const { pValue, method } = testMannWhitney(firstStratum.a, firstStratum.b);
    return { pValue, method, deviation };
  }
  const isExact = sum(rankedStrata.map(({ ranks }) => ranks.length)) <= maximumExactSize;
  const pValue = isExact
    ? computeExactPValue(rankedStrata, deviation)
    : computeAsymptoticPValue(rankedStrata, deviation);
  return { pValue, method: isExact ? 'exact' : 'asymptotic', deviation };
}

type RankedStratum = ReturnType<typeof rankValues> & { n: number };

function computeExactPValue(strata: readonly RankedStratum[], deviation: number): number {
  let distribution = Float64Array.of(1);
  let mean = 0;
  for (const { ranks, n } of strata) {
    distribution = convolve(distribution, computeRankSumDistribution(ranks, n));
    mean += n * (ranks.length + 1);
  }
  const distance = Math.abs(deviation);
  let probabilityBeyond = 0;
  for (let scoreSum = 0; scoreSum < distribution.length; scoreSum += 1) {
    if (Math.abs(scoreSum - mean) >= distance) probabilityBeyond += distribution[scoreSum] ?? 0;
  }
  return Math.min(1, probabilityBeyond);
}

/**
 * Returns the probability of each sum of `n` of the doubled ranks, with all subsets equally likely; the index is the
 * sum.
 */
function computeRankSumDistribution(ranks: readonly number[], n: number): Float64Array {
  const scores = ranks.map((value) => Math.round(2 * value)).sort((a, b) => a - b);
  const maximumSum = sum(scores.slice(scores.length - n));
  const distributions = Array.from({ length: n + 1 }, () => new Float64Array(maximumSum + 1));
  distributions[0]?.fill(1, 0, 1);
  for (const [index, score] of scores.entries()) {
    for (let size = Math.min(n, index + 1); size >= 1; size -= 1) {
      const [target, source] = [distributions[size], distributions[size - 1]];
      if (!target || !source) continue;
      for (let scoreSum = maximumSum; scoreSum >= score; scoreSum -= 1) {
        target[scoreSum] = (target[scoreSum] ?? 0) + (source[scoreSum - score] ?? 0);
      }
    }
  }
  const counts = distributions[n] ?? new Float64Array();
  const subsetCount = sum(counts);
  return counts.map((count) => count / subsetCount);
}

function convolve(a: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const distribution = new Float64Array(a.length + b.length - 1);
  for (const [i, p] of a.entries()) {
    if (p === 0) continue;
    for (const [j, q] of b.entries()) distribution[i + j] = (distribution[i + j] ?? 0) + p * q;
  }
  return distribution;
}

function computeAsymptoticPValue(strata: readonly RankedStratum[], deviation: number): number {
  const variance = sum(
    strata.map(({ ranks, tieSum, n }) => {
      const total = ranks.length;
      return ((n * (total - n)) / 12) * ((total ** 3 - total - tieSum) / (total * (total - 1)));
    }),
  );
  if (variance <= 0) return 1;
  return Math.min(1, 2 * computeNormalUpperTail(Math.abs(deviation) / 2 / Math.sqrt(variance)));
}
