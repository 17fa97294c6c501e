import type { Across } from '#shared/schemas/analysis-across.ts';
import { computeNormalUpperTail } from './distributions.ts';
import { rankValues } from './rank-tests.ts';
import { sum } from './descriptive.ts';

type SignedRankTest = NonNullable<Across['signedRank']>;

/** Smallest number of differences for which the normal approximation is accurate enough, as in R. */
const minimumAsymptoticSize = 50;

/**
 * Returns the two-sided signed-rank test of Wilcoxon for paired differences. Omits zeros, and counts them in `zeros`.
 * For fewer than 50 remaining differences, the test is exact: it uses the permutation distribution of the signs given
 * the mid-ranks, including ties. Otherwise it uses the normal approximation with tie and continuity correction.
 * Infinite differences are ordinary extreme values. Without remaining differences, p = 1, and the method is null.
 * `wPlus` is the sum of the ranks of the positive differences, and `wMinus` the sum of the ranks of the negative ones.
 * Throws a RangeError for NaN. Wilcoxon 1945.
 */
export function testSignedRank(differences: readonly number[]): SignedRankTest {
  const nonZeroDifferences = differences.filter((difference) => difference !== 0);
  const { ranks, tieSum } = rankValues(nonZeroDifferences.map(Math.abs));
  const wPlus = sum(ranks.filter((_, index) => (nonZeroDifferences[index] ?? 0) > 0));
  const wMinus = sum(ranks.filter((_, index) => (nonZeroDifferences[index] ?? 0) < 0));
  const commonFields = {
    n: nonZeroDifferences.length,
    zeros: differences.length - nonZeroDifferences.length,
    wPlus,
    wMinus,
  };
  if (nonZeroDifferences.length === 0) return { ...commonFields, pValue: 1, method: null };
  if (nonZeroDifferences.length < minimumAsymptoticSize) {
    return {
      ...commonFields,
      pValue: computeExactProbability(ranks, Math.min(wPlus, wMinus)),
      method: 'exact',
    };
  }
  return {
    ...commonFields,
    pValue: computeAsymptoticProbability(nonZeroDifferences.length, tieSum, wPlus),
    method: 'asymptotic',
  };
}

/** Returns twice the probability of a rank sum up to the smaller one, at most 1, because both tails are equal. */
function computeExactProbability(ranks: readonly number[], smallerSum: number): number {
  // Doubled mid-ranks are integers.
  const limit = Math.round(2 * smallerSum);
  const probabilities = new Float64Array(limit + 1);
  probabilities[0] = 1;
  for (const doubledRank of ranks.map((value) => Math.round(2 * value))) {
    for (let total = limit; total >= 0; total -= 1) {
      const probabilityWithout = probabilities[total] ?? 0;
      const probabilityWith = total >= doubledRank ? (probabilities[total - doubledRank] ?? 0) : 0;
      probabilities[total] = (probabilityWithout + probabilityWith) / 2;
    }
  }
  return Math.min(1, 2 * sum(probabilities));
}

function computeAsymptoticProbability(n: number, tieSum: number, wPlus: number): number {
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - tieSum / 48;
  const distance = Math.max(0, Math.abs(wPlus - (n * (n + 1)) / 4) - 0.5);
  return Math.min(1, 2 * computeNormalUpperTail(distance / Math.sqrt(variance)));
}
