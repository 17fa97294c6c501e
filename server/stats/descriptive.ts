import type { Box, HistogramBin } from '#shared/schemas/analysis.ts';

/**
 * Returns the sum of the values with Neumaier's compensation: adds the rounding errors of the additions at the end.
 * Infinite if a term or the uncompensated sum is infinite; NaN for NaN and for infinities of opposite sign; 0 without
 * values. Neumaier 1974.
 */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  let correction = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? NaN;
    const newTotal = total + value;
    const largerTerm = Math.abs(total) >= Math.abs(value) ? total : value;
    correction += largerTerm - newTotal + (largerTerm === total ? value : total);
    total = newTotal;
  }
  return Number.isFinite(correction) ? total + correction : total;
}

/** Returns the values in their order, without null, undefined and NaN, but with infinities; empty if none remains. */
export function getPresentValues(values: Iterable<number | null | undefined>): number[] {
  const presentValues: number[] = [];
  for (const value of values) {
    if (value !== null && value !== undefined && !Number.isNaN(value)) presentValues.push(value);
  }
  return presentValues;
}

/** Returns the finite values in order; omits null, undefined, NaN and infinities. Empty if there is none. */
export function getFiniteValues(values: Iterable<number | null | undefined>): number[] {
  const finiteValues: number[] = [];
  for (const value of values) if (Number.isFinite(value)) finiteValues.push(value as number);
  return finiteValues;
}

/** Returns the value if it is finite, else null. */
export function toFiniteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** Returns a new array with the values in ascending order, NaN last. */
export function sortAscending(values: readonly number[]): number[] {
  const sortedValues = new Float64Array(values).sort();
  // Array.from takes three times as long.
  const list: number[] = [];
  for (let index = 0; index < sortedValues.length; index += 1)
    list.push(sortedValues[index] ?? NaN);
  return list;
}

/** Returns the smallest value, also of more values than Math.min accepts; null without values, NaN if one is NaN. */
export function getMinimum(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((minimum, value) => Math.min(minimum, value));
}

/** Returns the largest value, also of more values than Math.max accepts; null without values, NaN if one is NaN. */
export function getMaximum(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((maximum, value) => Math.max(maximum, value));
}

/** Returns the value that all elements have; null without elements, if they differ, and if one of them is null. */
export function getCommonValue(values: readonly (number | null)[]): number | null {
  const [firstValue = null] = values;
  return values.every((value) => value === firstValue) ? firstValue : null;
}

/**
 * Returns the arithmetic mean; exactly the common value if all are equal; null without values; NaN for NaN and for
 * infinities of opposite sign.
 */
export function computeMean(values: ArrayLike<number>): number | null {
  const firstValue = values[0];
  if (firstValue === undefined || isConstant(values)) return firstValue ?? null;
  const total = sum(values);
  if (Number.isFinite(total)) return total / values.length;
  return sum(mapValues(values, (value) => value / values.length));
}

function isConstant(values: ArrayLike<number>): boolean {
  let index = 1;
  while (index < values.length && values[index] === values[0]) index += 1;
  return index >= values.length;
}

/**
 * Returns the sample standard deviation (n − 1). Divides the deviations by the largest one, because their squares could
 * overflow. Exactly 0 if all values are equal and finite; null for fewer than 2 values, and if the result is not
 * finite. `center` is the mean of the values; by default, the function computes it.
 */
export function computeStandardDeviation(
  values: ArrayLike<number>,
  center: number | null = computeMean(values),
): number | null {
  if (center === null || values.length < 2) return null;
  let scale = 0;
  for (let index = 0; index < values.length; index += 1)
    scale = Math.max(scale, Math.abs((values[index] ?? NaN) - center));
  if (scale === 0) return 0;
  if (!Number.isFinite(scale))
    return Number.isFinite(center) ? computeDeviationOfLargeValues(values) : null;
  const scaledValues = mapValues(values, (value) => (value - center) / scale);
  const sumOfSquares = sum(mapValues(scaledValues, (value) => value * value));
  const squares = sumOfSquares - sum(scaledValues) ** 2 / values.length;
  const deviation = scale * Math.sqrt(squares / (values.length - 1));
  return Number.isFinite(deviation) ? deviation : null;
}

// Divides the values by 4, because a difference overflows. Small values may lose digits, but these do not matter next
// to values so large.
function computeDeviationOfLargeValues(values: ArrayLike<number>): number | null {
  const deviation = 4 * (computeStandardDeviation(mapValues(values, (value) => value / 4)) ?? NaN);
  return Number.isFinite(deviation) ? deviation : null;
}

/** Maps values faster than `Float64Array.from` and `map`. */
function mapValues(values: ArrayLike<number>, convert: (value: number) => number): Float64Array {
  const result = new Float64Array(values.length);
  for (let index = 0; index < values.length; index += 1)
    result[index] = convert(values[index] ?? NaN);
  return result;
}

/**
 * Returns the sample quantile of ascending values, Hyndman & Fan type 7 (the default of R and NumPy). Interpolates
 * linearly between the order statistics around (n − 1)·probability, for a probability from 0 to 1. Accepts infinities,
 * but not NaN; null without values, and between infinities of opposite sign. Hyndman & Fan 1996.
 */
export function computeQuantileOfSorted(
  sortedValues: ArrayLike<number>,
  probability: number,
): number | null {
  const position = (sortedValues.length - 1) * probability;
  const lowerValue = sortedValues[Math.floor(position)];
  const upperValue = sortedValues[Math.ceil(position)];
  if (lowerValue === undefined || upperValue === undefined) return null;
  return interpolate(lowerValue, upperValue, position - Math.floor(position));
}

function interpolate(lowerValue: number, upperValue: number, weight: number): number | null {
  if (weight === 0 || lowerValue === upperValue) return lowerValue;
  const gap = upperValue - lowerValue;
  const value = Number.isFinite(gap)
    ? lowerValue + weight * gap
    : (1 - weight) * lowerValue + weight * upperValue;
  return Number.isNaN(value) ? null : value;
}

/** Returns the type 7 quantile of values in any order, without NaN; null without values and between both infinities. */
export function computeQuantile(values: readonly number[], probability: number): number | null {
  return computeQuantileOfSorted(sortAscending(values), probability);
}

/** Returns the median (type 7) of values without NaN; null without values and between both infinities. */
export function computeMedian(values: readonly number[]): number | null {
  return computeQuantile(values, 0.5);
}

/**
 * Returns the median of values. Infinities count as extreme values and not as missing, because without them a sample
 * with failures would appear better than it is. Null without values, and if the median is not finite. The values must
 * not contain NaN.
 */
export function computeFiniteMedian(values: readonly number[]): number | null {
  return toFiniteOrNull(computeMedian(values));
}

/**
 * Returns the box plot of the finite values; omits null, undefined, NaN and infinities. Quartiles are type 7. Whiskers
 * end at the most extreme values within 1.5 interquartile ranges of the quartiles (a value at this distance is inside,
 * and a whisker never ends inside the box). Values beyond this distance are outliers, ascending. Without values, n is
 * 0, `outliers` is empty and all other fields are null; `stdDev` is null for one value, and if it is not finite. Tukey
 * 1977.
 */
export function computeBox(values: Iterable<number | null | undefined>): Box {
  const sortedValues = sortAscending(getFiniteValues(values));
  const q1 = computeQuantileOfSorted(sortedValues, 0.25);
  const q3 = computeQuantileOfSorted(sortedValues, 0.75);
  return {
    n: sortedValues.length,
    min: sortedValues[0] ?? null,
    q1,
    median: computeQuantileOfSorted(sortedValues, 0.5),
    q3,
    max: sortedValues.at(-1) ?? null,
    mean: computeMean(sortedValues),
    stdDev: computeStandardDeviation(sortedValues),
    ...findWhiskers(sortedValues, q1, q3),
  };
}

function findWhiskers(sortedValues: readonly number[], q1: number | null, q3: number | null) {
  if (q1 === null || q3 === null) return { whiskerLow: null, whiskerHigh: null, outliers: [] };
  const fenceDistance = 1.5 * (q3 - q1);
  const valuesInsideFences = sortedValues.filter(
    (value) => value >= q1 - fenceDistance && value <= q3 + fenceDistance,
  );
  return {
    whiskerLow: Math.min(q1, valuesInsideFences[0] ?? q1),
    whiskerHigh: Math.max(q3, valuesInsideFences.at(-1) ?? q3),
    outliers: sortedValues.filter(
      (value) => value < q1 - fenceDistance || value > q3 + fenceDistance,
    ),
  };
}

/** Returns the number of bins for n values: √n, rounded up, from 1 to 24. */
export function getBinCount(valueCount: number): number {
  return Math.min(24, Math.max(1, Math.ceil(Math.sqrt(valueCount))));
}

/**
 * Counts the finite values in `binCount` bins of equal width from the smallest to the largest, as NumPy does: all bins
 * are half-open except the last, which includes its end. If all values are equal, the bins span one unit around them,
 * or more around values above 2^49 in magnitude. Edges are finite for any values. Empty without finite values.
 */
export function makeEqualWidthHistogram(
  values: readonly number[],
  binCount: number,
): HistogramBin[] {
  const finiteValues = getFiniteValues(values);
  const minimum = getMinimum(finiteValues);
  const maximum = getMaximum(finiteValues);
  if (minimum === null || maximum === null) return [];
  const margin = minimum === maximum ? Math.max(0.5, Math.abs(minimum) * 2 ** -50) : 0;
  const firstEdge = Math.max(minimum - margin, -Number.MAX_VALUE);
  const lastEdge = Math.min(maximum + margin, Number.MAX_VALUE);
  return makeHistogramBetween(finiteValues, makeEqualEdges(firstEdge, lastEdge, binCount));
}

// Weights each end separately if the range of finite values overflows.
function makeEqualEdges(firstEdge: number, lastEdge: number, binCount: number): number[] {
  const width = (lastEdge - firstEdge) / binCount;
  const getEdge = (index: number) =>
    Number.isFinite(width)
      ? firstEdge + index * width
      : firstEdge * (1 - index / binCount) + lastEdge * (index / binCount);
  return [...Array.from({ length: binCount }, (_, index) => getEdge(index)), lastEdge];
}

/**
 * Counts the values between ascending edges: all bins are half-open except the last, which includes its end. Omits
 * NaN and values outside the edges. Empty for fewer than two edges.
 */
export function makeHistogramBetween(
  values: readonly number[],
  edges: readonly number[],
): HistogramBin[] {
  const bins = edges.slice(0, -1).map((edge, index) => ({
    startInclusive: edge,
    endExclusive: edges[index + 1] ?? edge,
    count: 0,
  }));
  const end = edges.at(-1);
  for (const value of values) {
    const bin =
      value === end ? bins.at(-1) : bins.findLast(({ startInclusive }) => startInclusive <= value);
    if (bin && value <= bin.endExclusive) bin.count += 1;
  }
  return bins;
}

/**
 * Returns the histogram of the finite fitness values: {@link makeEqualWidthHistogram} with {@link getBinCount} bins, or
 * one bin if all values are equal. If all are whole numbers up to 2^53 − 1 in magnitude, there are at most {@link
 * getBinCount} bins, and their common width is a whole number. If values and edges are below 2^52 in magnitude, edges
 * are halfway between whole numbers, so every bin covers the same number of possible values. Empty without finite
 * values.
 */
export function makeFitnessHistogram(values: readonly number[]): HistogramBin[] {
  const finiteValues = getFiniteValues(values);
  if (finiteValues.length > 0 && finiteValues.every(Number.isSafeInteger))
    return makeWholeHistogram(finiteValues);
  return makeEqualWidthHistogram(
    finiteValues,
    isConstant(finiteValues) ? 1 : getBinCount(finiteValues.length),
  );
}

function makeWholeHistogram(values: readonly number[]): HistogramBin[] {
  const [minimum, maximum] = [getMinimum(values) ?? 0, getMaximum(values) ?? 0];
  const span = maximum - minimum + 1;
  const width = Math.ceil(span / getBinCount(values.length));
  const binCount = Math.ceil(span / width);
  const edges = Array.from({ length: binCount + 1 }, (_, index) => minimum - 0.5 + index * width);
  return makeHistogramBetween(values, edges);
}

/**
 * Returns the histogram of whole numbers such as evaluations: {@link getBinCount} half-open bins from the smallest
 * value to beyond the largest. Their common width is a whole number. Empty without values.
 */
export function makeEvaluationsHistogram(values: readonly number[]): HistogramBin[] {
  const minimum = getMinimum(values);
  const maximum = getMaximum(values);
  if (minimum === null || maximum === null) return [];
  const binCount = getBinCount(values.length);
  const width = Math.floor((maximum - minimum) / binCount) + 1;
  const counts: number[] = Array.from({ length: binCount }, () => 0);
  for (const value of values) {
    const index = Math.floor((value - minimum) / width);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map((count, index) => ({
    startInclusive: minimum + index * width,
    endExclusive: minimum + (index + 1) * width,
    count,
  }));
}
