import { binomial } from './binomial.ts';
import { presentValues, sortAscending } from './descriptive.ts';
import { normalUpperTail } from './distributions.ts';
import { rank } from './rank.ts';
import { countSubsets } from './subset-sums.ts';
import { sum } from './sum.ts';

/** Result of the two-sided rank-sum test of two independent samples. */
export interface RankSumTest {
  /** Pairs in which the value of A is the larger, ties counted half; null when a sample is empty. */
  u: number | null;
  /** Null when a sample is empty: nothing can be tested. */
  pValue: number | null;
  /** Smallest p-value that any arrangement of the same pooled values could give; null as the p-value. */
  attainablePValue: number | null;
  method: 'exact' | 'asymptotic' | null;
  sampleSizeA: number;
  sampleSizeB: number;
}

/** From this size on either sample is large enough for the normal approximation, as in R. */
const exactBelow = 50;

/**
 * Wilcoxon's rank-sum test (Mann-Whitney U), two-sided: the probability of a rank sum W at least as far
 * from its mean. Exact when both samples have fewer than 50 values, from the permutation distribution of
 * the mid-ranks, ties included; else by the normal approximation with tie and continuity correction. Null
 * and NaN are left out; an infinity is an ordinary extreme value, equal ones tie. All values equal: p = 1.
 * Mann & Whitney 1947; Streitberg & Röhmel 1986.
 */
export function mannWhitney(
  sampleA: Iterable<number | null | undefined>,
  sampleB: Iterable<number | null | undefined>,
): RankSumTest {
  const a = presentValues(sampleA);
  const b = presentValues(sampleB);
  const sizes = { sampleSizeA: a.length, sampleSizeB: b.length };
  if (a.length === 0 || b.length === 0) {
    return { u: null, pValue: null, attainablePValue: null, method: null, ...sizes };
  }
  const { ranks, tieSum } = rank([...a, ...b]);
  const u = sum(ranks.slice(0, a.length)) - (a.length * (a.length + 1)) / 2;
  const isExact = a.length < exactBelow && b.length < exactBelow;
  const scores = sortAscending(ranks.map((value) => 2 * value));
  const beyond = isExact
    ? (deviation: number) => exactProbability(deviation, scores, a.length)
    : (deviation: number) => asymptoticProbability(deviation, a.length, b.length, tieSum);
  const isSmallestKnown = !isExact && tieSum === 0;
  return {
    u,
    pValue: beyond(Math.abs(2 * u - a.length * b.length)),
    attainablePValue: isSmallestKnown
      ? 2 / binomial(scores.length, a.length)
      : beyond(largestDeviation(scores, a.length)),
    method: isExact ? 'exact' : 'asymptotic',
    ...sizes,
  };
}

// With doubled ranks the rank sum, its mean and so its deviation are integers, compared without tolerance.
function exactProbability(deviation: number, scores: readonly number[], n1: number): number {
  const mean = n1 * (scores.length + 1);
  const mirrored = scores.map((score) => 2 * (scores.length + 1) - score).reverse();
  const below = countSubsets(scores, n1, mean - deviation);
  const isSymmetric = 2 * n1 === scores.length;
  const above = isSymmetric ? below : countSubsets(mirrored, n1, mean - deviation);
  return Math.min(1, (below + above) / binomial(scores.length, n1));
}

function asymptoticProbability(deviation: number, n1: number, n2: number, tieSum: number): number {
  const total = n1 + n2;
  const untied = total ** 3 - total - tieSum;
  if (untied <= 0) return 1;
  const standardError = Math.sqrt((((n1 * n2) / 12) * untied) / (total * (total - 1)));
  const distance = Math.max(0, deviation / 2 - 0.5);
  return Math.min(1, 2 * normalUpperTail(distance / standardError));
}

function largestDeviation(scores: readonly number[], n1: number): number {
  const mean = n1 * (scores.length + 1);
  return Math.max(mean - sum(scores.slice(0, n1)), sum(scores.slice(-n1)) - mean);
}
