import { binomial } from './binomial.ts';
import { presentValues } from './descriptive.ts';
import { normalUpperTail } from './distributions.ts';
import { rank } from './rank.ts';
import { sum } from './sum.ts';

/** Result of the two-sided rank-sum test of two independent samples. */
export interface RankSumTest {
  /** Pairs in which the value of A is the larger, ties counted half; null when a sample is empty. */
  u: number | null;
  /** Null when a sample is empty: nothing can be tested. */
  pValue: number | null;
  method: 'exact' | 'asymptotic' | null;
  sampleSizeA: number;
  sampleSizeB: number;
}

/** From this size on either sample is large enough for the normal approximation, as in R. */
const exactBelow = 50;

/**
 * Wilcoxon's rank-sum test (Mann-Whitney U), two-sided. Exact without ties when both samples have fewer
 * than 50 values, else by the normal approximation with tie and continuity correction. Null and NaN are
 * left out; an infinity is an ordinary extreme value. All values equal: p = 1. Mann & Whitney 1947.
 */
export function mannWhitney(
  sampleA: Iterable<number | null | undefined>,
  sampleB: Iterable<number | null | undefined>,
): RankSumTest {
  const a = presentValues(sampleA);
  const b = presentValues(sampleB);
  const sizes = { sampleSizeA: a.length, sampleSizeB: b.length };
  if (a.length === 0 || b.length === 0) return { u: null, pValue: null, method: null, ...sizes };
  const { ranks, tieSum } = rank([...a, ...b]);
  const u = sum(ranks.slice(0, a.length)) - (a.length * (a.length + 1)) / 2;
  const isExact = tieSum === 0 && a.length < exactBelow && b.length < exactBelow;
  const pValue = isExact
    ? exactProbability(u, a.length, b.length)
    : asymptoticProbability(u, a.length, b.length, tieSum);
  return { u, pValue, method: isExact ? 'exact' : 'asymptotic', ...sizes };
}

function asymptoticProbability(u: number, n1: number, n2: number, tieSum: number): number {
  const total = n1 + n2;
  const untied = total ** 3 - total - tieSum;
  if (untied <= 0) return 1;
  const deviation = Math.sqrt((((n1 * n2) / 12) * untied) / (total * (total - 1)));
  const distance = Math.max(0, Math.abs(u - (n1 * n2) / 2) - 0.5);
  return Math.min(1, 2 * normalUpperTail(distance / deviation));
}

function exactProbability(u: number, n1: number, n2: number): number {
  const smaller = Math.min(u, n1 * n2 - u);
  const favourable = sum(countArrangements(n1, n2, smaller));
  return Math.min(1, (2 * favourable) / binomial(n1 + n2, n1));
}

/**
 * Number of ways to arrange n1 and n2 values with U = 0 … largest, by the recurrence
 * c(i, j, u) = c(i − 1, j, u − j) + c(i, j − 1, u). Only additions, so nothing cancels.
 */
function countArrangements(n1: number, n2: number, largest: number): Float64Array {
  const counts = Array.from({ length: n1 + 1 }, () => new Float64Array(largest + 1).fill(1, 0, 1));
  for (let j = 1; j <= n2; j += 1) {
    for (let i = 1; i <= n1; i += 1) addShifted(counts[i], counts[i - 1], j);
  }
  return counts[n1] ?? new Float64Array();
}

function addShifted(
  target: Float64Array | undefined,
  source: Float64Array | undefined,
  shift: number,
): void {
  if (!target || !source) return;
  for (let u = shift; u < target.length; u += 1) {
    target[u] = (target[u] ?? 0) + (source[u - shift] ?? 0);
  }
}
