import type { VaryingParameter } from '#shared/schemas/analysis-parameters.ts';
import { computeStudentTUpperTail } from './distributions.ts';
import { rankValues } from './rank-tests.ts';
import { sum } from './descriptive.ts';

/** Spearman's test of one parameter, without adjustment for other parameters. */
export type SpearmanTest = Omit<NonNullable<VaryingParameter['spearman']>, 'adjustedPValue'>;

/** Largest number of pairs for which {@link testSpearman} counts all orders. */
const maximumExactSize = 8;
const minimumPairs = 4;

/**
 * Returns Spearman's rank correlation of pairs of values with mid-ranks, its two-sided p-value, and the smallest
 * p-value of any order of these values. The p-values are exact for up to 8 pairs, by the permutation distribution given
 * the ranks. For more pairs they come from Student's t, but are at least 2 / n!, the smallest p-value of the
 * permutation distribution without ties. Null for fewer than 4 pairs, and if all values of a side are equal. Infinities
 * are ordinary extreme values. Throws a RangeError for NaN. Spearman 1904.
 */
export function testSpearman(x: readonly number[], y: readonly number[]): SpearmanTest | null {
  const n = x.length;
  const [a, b] = [centerRanks(x), centerRanks(y)];
  const spread = computeSpread(a, b);
  if (n < minimumPairs || spread === 0) return null;
  const observedSum = sumProducts(a, b);
  const getPValue =
    n <= maximumExactSize
      ? makeExactPValues(a, b)
      : (total: number) => computeTProbability(toCorrelation(total, spread), n);
  return {
    rho: toCorrelation(observedSum, spread),
    pValue: getPValue(observedSum),
    attainablePValue: getPValue(getLargestAbsoluteSum(a, b)),
    n,
  };
}

/**
 * Returns Spearman's rank correlation of pairs of values with mid-ranks; null for fewer than 4 pairs, and if all values
 * of a side are equal. Infinities are ordinary extreme values. Throws a RangeError for NaN.
 */
export function computeSpearman(x: readonly number[], y: readonly number[]): number | null {
  const [a, b] = [centerRanks(x), centerRanks(y)];
  const spread = computeSpread(a, b);
  return x.length < minimumPairs || spread === 0 ? null : toCorrelation(sumProducts(a, b), spread);
}

/**
 * Returns the correlation ratio η of the ranks of values in groups: the square root of the share of the variance that
 * is between the groups, adjusted for the number of groups (ε², Kelley 1935). η is about 0 for random groups, and 0 if
 * the adjusted share is negative. Ties have mid-ranks. Ignores empty groups. Null for fewer than 4 values or fewer than
 * 2 groups, if each group has one value, and if all values are equal. Infinities are ordinary extreme values. Throws a
 * RangeError for NaN.
 */
export function computeCorrelationRatio(groups: readonly (readonly number[])[]): number | null {
  const sizes = groups.map((group) => group.length).filter((size) => size > 0);
  const ranks = centerRanks(groups.flat());
  const n = ranks.length;
  const total = sumProducts(ranks, ranks);
  if (n < minimumPairs || sizes.length < 2 || sizes.length === n || total === 0) return null;
  let start = 0;
  let betweenSum = 0;
  for (const size of sizes) {
    betweenSum += sum(ranks.slice(start, start + size)) ** 2 / size;
    start += size;
  }
  const adjustedShare = 1 - ((1 - betweenSum / total) * (n - 1)) / (n - sizes.length);
  return Math.sqrt(Math.max(0, adjustedShare));
}

/** Returns twice the deviation of each rank from the mean rank: integers, because products must compare exactly. */
function centerRanks(values: readonly number[]): number[] {
  return rankValues(values).ranks.map((rank) => 2 * rank - (values.length + 1));
}

function computeSpread(a: readonly number[], b: readonly number[]): number {
  return Math.sqrt(sumProducts(a, a) * sumProducts(b, b));
}

function toCorrelation(total: number, spread: number): number {
  return Math.max(-1, Math.min(1, total / spread));
}

function sumProducts(a: readonly number[], b: readonly number[]): number {
  return sum(a.map((value, index) => value * (b[index] ?? NaN)));
}

/**
 * Returns the largest absolute sum of products over all orders. This sum occurs if both sides ascend, or if one ascends
 * and the other descends.
 */
function getLargestAbsoluteSum(a: readonly number[], b: readonly number[]): number {
  const ascendingA = a.toSorted((first, second) => first - second);
  const ascendingB = b.toSorted((first, second) => first - second);
  const sums = [ascendingB, ascendingB.toReversed()].map((ranks) => sumProducts(ascendingA, ranks));
  return Math.max(...sums.map(Math.abs));
}

/**
 * Returns a function that returns the share of orders with a sum of products at least as far from 0 as its argument.
 */
function makeExactPValues(a: readonly number[], b: readonly number[]): (total: number) => number {
  const orderCounts = new Map<number, number>();
  const visitOrders = (index: number, remainingItems: readonly number[], total: number): void => {
    if (remainingItems.length === 0) {
      const distance = Math.abs(total);
      orderCounts.set(distance, (orderCounts.get(distance) ?? 0) + 1);
    }
    for (const [position, value] of remainingItems.entries()) {
      visitOrders(
        index + 1,
        remainingItems.toSpliced(position, 1),
        total + (a[index] ?? NaN) * value,
      );
    }
  };
  visitOrders(0, b, 0);
  return (total) => {
    const extremeCounts = [...orderCounts].filter(([distance]) => distance >= Math.abs(total));
    return sum(extremeCounts.map(([, count]) => count)) / sum([...orderCounts.values()]);
  };
}

function computeTProbability(rho: number, n: number): number {
  const t = Math.abs(rho) * Math.sqrt((n - 2) / (1 - rho * rho));
  let orderCount = 1;
  for (let factor = 2; factor <= n; factor += 1) orderCount *= factor;
  return Math.min(1, Math.max(2 / orderCount, 2 * computeStudentTUpperTail(t, n - 2)));
}
