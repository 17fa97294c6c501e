import type { Box } from '#shared/schemas/analysis.ts';
import {
  finiteValues,
  mean,
  sortAscending,
  standardDeviation,
  quantileOfSorted,
} from './descriptive.ts';

/**
 * Box plot of the finite values; null, NaN and infinities are left out. Quartiles are type 7; the whiskers end at the most
 * extreme values within 1.5 interquartile ranges of the quartiles (a value on a fence is inside, and a
 * whisker never ends inside the box); the rest are outliers, ascending. With no values all is null and n
 * is 0; `stdDev` is null for one value. Tukey 1977.
 */
export function boxSummary(values: Iterable<number | null | undefined>): Box {
  const sorted = sortAscending(finiteValues(values));
  const q1 = quantileOfSorted(sorted, 0.25);
  const q3 = quantileOfSorted(sorted, 0.75);
  return {
    n: sorted.length,
    min: sorted[0] ?? null,
    q1,
    median: quantileOfSorted(sorted, 0.5),
    q3,
    max: sorted.at(-1) ?? null,
    mean: mean(sorted),
    stdDev: standardDeviation(sorted),
    ...whiskers(sorted, q1, q3),
  };
}

function whiskers(sorted: readonly number[], q1: number | null, q3: number | null) {
  if (q1 === null || q3 === null) return { whiskerLow: null, whiskerHigh: null, outliers: [] };
  const reach = 1.5 * (q3 - q1);
  const inside = sorted.filter((value) => value >= q1 - reach && value <= q3 + reach);
  return {
    whiskerLow: Math.min(q1, inside[0] ?? q1),
    whiskerHigh: Math.max(q3, inside.at(-1) ?? q3),
    outliers: sorted.filter((value) => value < q1 - reach || value > q3 + reach),
  };
}
