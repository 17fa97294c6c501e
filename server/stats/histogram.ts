import type { HistogramBin } from '#shared/schemas/analysis.ts';
import { finiteValues, maximum, minimum } from './descriptive.ts';

/** Number of bins for n values: the root of n, rounded up, at least 1 and at most 24. */
export function binCount(values: number): number {
  return Math.min(24, Math.max(1, Math.ceil(Math.sqrt(values))));
}

/**
 * Counts of the finite values in `bins` bins of equal width from the smallest to the largest, as NumPy
 * counts: bins are half-open but the last, which includes its end. All values equal: the bins span one unit
 * around them. Edges are finite however large the values are. No finite values: no bins.
 */
export function equalWidthHistogram(values: readonly number[], bins: number): HistogramBin[] {
  const finite = finiteValues(values);
  const least = minimum(finite);
  const most = maximum(finite);
  if (least === null || most === null) return [];
  const slack = least === most ? Math.max(0.5, Math.abs(least) * 2 ** -50) : 0;
  const first = Math.max(least - slack, -Number.MAX_VALUE);
  const last = Math.min(most + slack, Number.MAX_VALUE);
  return histogramBetween(finite, equalEdges(first, last, bins));
}

// The range of finite values may be infinite, so each end is weighted separately.
function equalEdges(first: number, last: number, bins: number): number[] {
  const width = (last - first) / bins;
  const edgeAt = (index: number) =>
    Number.isFinite(width)
      ? first + index * width
      : first * (1 - index / bins) + last * (index / bins);
  return [...Array.from({ length: bins }, (_, index) => edgeAt(index)), last];
}

/**
 * Counts of the values between ascending edges: half-open bins but the last, which includes its end.
 * Values beyond the first and the last edge are in no bin.
 */
export function histogramBetween(
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
 * Histogram of fitness values: as {@link equalWidthHistogram} with {@link binCount} bins, one bin when all
 * values are equal. Whole numbers stand in at most that many bins of one whole width, whose edges lie half way
 * between two whole numbers, so that no bin has room for more of them than another.
 */
export function fitnessHistogram(values: readonly number[]): HistogramBin[] {
  const finite = finiteValues(values);
  if (finite.length > 0 && finite.every(Number.isSafeInteger)) return wholeHistogram(finite);
  const isConstant = minimum(finite) === maximum(finite);
  return equalWidthHistogram(finite, isConstant ? 1 : binCount(finite.length));
}

function wholeHistogram(values: readonly number[]): HistogramBin[] {
  const [least, most] = [minimum(values) ?? 0, maximum(values) ?? 0];
  const span = most - least + 1;
  const width = Math.ceil(span / binCount(values.length));
  const bins = Math.ceil(span / width);
  const edges = Array.from({ length: bins + 1 }, (_, index) => least - 0.5 + index * width);
  return histogramBetween(values, edges);
}

/**
 * Histogram of whole numbers such as evaluations: {@link binCount} half-open bins of one whole width that
 * cover the smallest to the largest. No values: no bins.
 */
export function evaluationsHistogram(values: readonly number[]): HistogramBin[] {
  const least = minimum(values);
  const most = maximum(values);
  if (least === null || most === null) return [];
  const bins = binCount(values.length);
  const width = Math.floor((most - least) / bins) + 1;
  const counts: number[] = Array.from({ length: bins }, () => 0);
  for (const value of values) {
    const bin = Math.floor((value - least) / width);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((count, bin) => ({
    startInclusive: least + bin * width,
    endExclusive: least + (bin + 1) * width,
    count,
  }));
}
