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
 * Returns Spearman's rank correlation of pairs of values with mid-ranks, and its two-sided p-value. The p-value is
 * exact for up to 8 pairs, by the permutation distribution given the ranks. For more pairs it comes from Student's t,
 * but is at least 2 / n!, the smallest p-value of that distribution without ties. Null below 4 pairs, and if all values
 * of a side are equal. Infinities are ordinary extreme values. Throws a RangeError for NaN. Spearman 1904.
 */
export function testSpearman(x: readonly number[], y: readonly number[]): SpearmanTest | null {
  const n = x.length;
  const [a, b] = [centerRanks(x), centerRanks(y)];
  const spread = Math.sqrt(sumProducts(a, a) * sumProducts(b, b));
  if (n < minimumPairs || spread === 0) return null;
  const observedSum = sumProducts(a, b);
  const rho = Math.max(-1, Math.min(1, observedSum / spread));
  const pValue =
    n <= maximumExactSize
      ? computeExactProbability(a, b, Math.abs(observedSum))
      : computeTProbability(rho, n);
  return { rho, pValue, n };
}

/** Returns twice the distance of each rank from the mean rank: integers, so that products compare exactly. */
function centerRanks(values: readonly number[]): number[] {
  return rankValues(values).ranks.map((rank) => 2 * rank - (values.length + 1));
}

function sumProducts(a: readonly number[], b: readonly number[]): number {
  return sum(a.map((value, index) => value * (b[index] ?? NaN)));
}

function computeExactProbability(
  a: readonly number[],
  b: readonly number[],
  distance: number,
): number {
  let [orderCount, extremeOrderCount] = [0, 0];
  const visitOrders = (index: number, remainingItems: readonly number[], total: number): void => {
    if (remainingItems.length === 0) {
      orderCount += 1;
      extremeOrderCount += Number(Math.abs(total) >= distance);
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
  return extremeOrderCount / orderCount;
}

function computeTProbability(rho: number, n: number): number {
  const t = Math.abs(rho) * Math.sqrt((n - 2) / (1 - rho * rho));
  let orderCount = 1;
  for (let factor = 2; factor <= n; factor += 1) orderCount *= factor;
  return Math.min(1, Math.max(2 / orderCount, 2 * computeStudentTUpperTail(t, n - 2)));
}
