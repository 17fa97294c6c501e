import type { ConvergencePoint } from '#shared/schemas/analysis.ts';
import { linearBudgets, logarithmicBudgets } from './log-budgets.ts';
import { meanInterval } from './mean-interval.ts';
import { quantileOfSorted } from './descriptive.ts';

/**
 * Budgets to summarise convergence at: 64 linear and 64 logarithmic ones from the first evaluation of any
 * run to the largest budget, whole numbers, ascending, without repeats. Empty when last < first.
 */
export function convergenceBudgets(first: number, last: number): number[] {
  const budgets = [...linearBudgets(first, last, 64), ...logarithmicBudgets(first, last, 64)];
  return [...new Set(budgets)].sort((a, b) => a - b);
}

/**
 * Mean with its 95 % t interval, median and quartiles (type 7) of the best so far at each budget. `bestByRun`
 * holds for each run its best so far per budget, NaN or nothing where it has none: it is not counted there.
 * The interval is null for fewer than 2 runs; a budget that no run has reached gives no point.
 */
export function convergence(
  budgets: readonly number[],
  bestByRun: readonly Float64Array[],
): ConvergencePoint[] {
  let before = new Float64Array();
  let figures: Omit<ConvergencePoint, 'x'> | null = null;
  return budgets.flatMap((x, index) => {
    const values = valuesAt(bestByRun, index);
    // Where no run improved since the budget before, neither did any of the figures.
    if (!hasSameValues(before, values)) figures = figuresOf(values);
    before = values;
    return figures ? [{ x, ...figures }] : [];
  });
}

function valuesAt(bestByRun: readonly Float64Array[], index: number): Float64Array<ArrayBuffer> {
  const values = new Float64Array(bestByRun.length);
  let count = 0;
  for (const best of bestByRun) {
    const value = best[index] ?? NaN;
    if (!Number.isNaN(value)) values[count++] = value;
  }
  return values.subarray(0, count);
}

function hasSameValues(one: Float64Array, other: Float64Array): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

function figuresOf(values: Float64Array): Omit<ConvergencePoint, 'x'> | null {
  const { mean, interval } = meanInterval(values);
  if (mean === null) return null;
  const sorted = values.toSorted();
  return {
    mean,
    ciLower: interval?.lower ?? null,
    ciUpper: interval?.upper ?? null,
    median: quantileOfSorted(sorted, 0.5),
    q1: quantileOfSorted(sorted, 0.25),
    q3: quantileOfSorted(sorted, 0.75),
    samples: values.length,
  };
}
