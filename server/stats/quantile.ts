import { finiteOrNull, sortAscending } from './descriptive.ts';

/**
 * Sample quantile of values in ascending order, Hyndman & Fan type 7 (the default of R and NumPy): linear
 * between the order statistics around (n − 1)·probability. Takes infinities; null for no values, and between
 * infinities of opposite sign.
 * Hyndman & Fan 1996.
 */
export function quantileOfSorted(sorted: ArrayLike<number>, probability: number): number | null {
  const position = (sorted.length - 1) * probability;
  const lower = sorted[Math.floor(position)];
  const upper = sorted[Math.ceil(position)];
  if (lower === undefined || upper === undefined) return null;
  return interpolate(lower, upper, position - Math.floor(position));
}

function interpolate(lower: number, upper: number, weight: number): number | null {
  if (weight === 0 || lower === upper) return lower;
  const gap = upper - lower;
  const value = Number.isFinite(gap) ? lower + weight * gap : (1 - weight) * lower + weight * upper;
  return Number.isNaN(value) ? null : value;
}

/** Type 7 quantile of values in any order; null for no values. */
export function quantile(values: readonly number[], probability: number): number | null {
  return quantileOfSorted(sortAscending(values), probability);
}

/** Median: the type 7 quantile at 1/2; null for no values. */
export function median(values: readonly number[]): number | null {
  return quantile(values, 0.5);
}

/**
 * Median of values with infinities among them, which are extreme values and not missing: without them a sample
 * of failures would look better than it is. Null for no values, and where the middle is not finite.
 */
export function finiteMedian(values: readonly number[]): number | null {
  return finiteOrNull(median(values));
}
