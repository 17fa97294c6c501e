import { sum } from './sum.ts';

/** The values that are there: without null, undefined and NaN. Infinities stay. */
export function presentValues(values: Iterable<number | null | undefined>): number[] {
  const present: number[] = [];
  for (const value of values) {
    if (value !== null && value !== undefined && !Number.isNaN(value)) present.push(value);
  }
  return present;
}

/** The finite values among those given; null, undefined, NaN and infinities are left out. */
export function finiteValues(values: Iterable<number | null | undefined>): number[] {
  const finite: number[] = [];
  for (const value of values) if (Number.isFinite(value)) finite.push(value as number);
  return finite;
}

/** The value where it is finite, else null. */
export function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** A new array with the values in ascending order. */
export function sortAscending(values: readonly number[]): number[] {
  const sorted = new Float64Array(values).sort();
  // Array.from takes three times as long.
  const list: number[] = [];
  for (let index = 0; index < sorted.length; index += 1) list.push(sorted[index] ?? NaN);
  return list;
}

/** Smallest value, without the limit on argument counts of Math.min; null for no values. */
export function minimum(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((least, value) => Math.min(least, value));
}

/** Largest value; null for no values. */
export function maximum(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((most, value) => Math.max(most, value));
}

/** Arithmetic mean; exactly the common value when all are equal; null for no values. */
export function mean(values: ArrayLike<number>): number | null {
  const first = values[0];
  if (first === undefined || isConstant(values)) return first ?? null;
  const total = sum(values);
  if (Number.isFinite(total)) return total / values.length;
  return sum(mapped(values, (value) => value / values.length));
}

function isConstant(values: ArrayLike<number>): boolean {
  let index = 1;
  while (index < values.length && values[index] === values[0]) index += 1;
  return index >= values.length;
}

/**
 * Sample standard deviation (n − 1), from deviations scaled by the largest of them so that their squares
 * neither overflow nor vanish; exactly 0 when all values are equal. Null for fewer than 2 values, and where
 * it is not a finite number. `center` is their mean, for those who have it already.
 */
export function standardDeviation(
  values: ArrayLike<number>,
  center: number | null = mean(values),
): number | null {
  if (center === null || values.length < 2) return null;
  let scale = 0;
  for (let index = 0; index < values.length; index += 1)
    scale = Math.max(scale, Math.abs((values[index] ?? NaN) - center));
  if (scale === 0) return 0;
  if (!Number.isFinite(scale)) return Number.isFinite(center) ? deviationOfHuge(values) : null;
  const scaled = mapped(values, (value) => (value - center) / scale);
  const ofSquares = sum(mapped(scaled, (value) => value * value));
  const squares = ofSquares - sum(scaled) ** 2 / values.length;
  const deviation = scale * Math.sqrt(squares / (values.length - 1));
  return Number.isFinite(deviation) ? deviation : null;
}

// A difference of finite values overflows only where a quarter of them does not lose a digit.
function deviationOfHuge(values: ArrayLike<number>): number | null {
  const deviation = 4 * (standardDeviation(mapped(values, (value) => value / 4)) ?? NaN);
  return Number.isFinite(deviation) ? deviation : null;
}

/** Without the cost that `Float64Array.from` and `map` have for each value. */
function mapped(values: ArrayLike<number>, to: (value: number) => number): Float64Array {
  const result = new Float64Array(values.length);
  for (let index = 0; index < values.length; index += 1) result[index] = to(values[index] ?? NaN);
  return result;
}

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
