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
   * Twice the difference of the rank sum of A from its mean, over all strata. It is below 0 if A has the smaller ranks,
   * above 0 if B has the smaller ranks, and 0 for a tie and without a p-value.
   */
  deviation: number;
}

/** Largest number of values in all strata for which the distribution is exact. */
const maximumExactSize = 60;

/**
 * Returns the two-sided rank-sum test of two samples over strata, such as functions. Ranks and permutes the values
 * within each stratum, and adds the rank sums of A. Ignores strata with an empty sample. For at most 60 values in the
 * remaining strata, the test is exact: it convolves the permutation distributions of the mid-ranks. Otherwise it uses
 * the normal approximation with tie correction, but without continuity correction. {@link testMannWhitney} tests a
 * single remaining stratum. Equal infinities tie. Throws a RangeError for NaN in a remaining stratum. If all values
 * within each stratum are equal, p = 1. van Elteren 1960, with equal weights per rank.
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
  // Sums of probabilities instead of counts could round a p-value of 0.05, the level of a claim, to a value above it.
  let counts = Float64Array.of(1);
  let mean = 0;
  for (const { ranks, n } of strata) {
    counts = convolve(counts, countRankSums(ranks, n));
    mean += n * (ranks.length + 1);
  }
  const distance = Math.abs(deviation);
  const countsBeyond = counts.filter((_count, scoreSum) => Math.abs(scoreSum - mean) >= distance);
  return Math.min(1, sum(countsBeyond) / sum(counts));
}

/** Returns the number of subsets of `n` doubled ranks with each sum. The index is the sum. */
function countRankSums(ranks: readonly number[], n: number): Float64Array {
  const scores = ranks.map((value) => Math.round(2 * value)).sort((a, b) => a - b);
  const maximumSum = sum(scores.slice(scores.length - n));
  const countsBySize = Array.from({ length: n + 1 }, () => new Float64Array(maximumSum + 1));
  countsBySize[0]?.fill(1, 0, 1);
  for (const [index, score] of scores.entries()) {
    for (let size = Math.min(n, index + 1); size >= 1; size -= 1) {
      const [target, source] = [countsBySize[size], countsBySize[size - 1]];
      if (!target || !source) continue;
      for (let scoreSum = maximumSum; scoreSum >= score; scoreSum -= 1) {
        target[scoreSum] = (target[scoreSum] ?? 0) + (source[scoreSum - score] ?? 0);
      }
    }
  }
  return countsBySize[n] ?? new Float64Array();
}

function convolve(a: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const counts = new Float64Array(a.length + b.length - 1);
  for (const [i, countA] of a.entries()) {
    if (countA === 0) continue;
    for (const [j, countB] of b.entries()) counts[i + j] = (counts[i + j] ?? 0) + countA * countB;
  }
  return counts;
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
