import type { ConvergencePoint } from '#shared/schemas/analysis.ts';
import { finiteValues } from './descriptive.ts';
import { linearBudgets, logarithmicBudgets } from './log-budgets.ts';
import { meanInterval } from './mean-interval.ts';
import { median } from './quantile.ts';

/**
 * Budgets to summarise convergence at: 64 linear and 64 logarithmic ones from the first evaluation of any
 * run to the largest budget, whole numbers, ascending, without repeats. Empty when last < first.
 */
export function convergenceBudgets(first: number, last: number): number[] {
  const budgets = [...linearBudgets(first, last, 64), ...logarithmicBudgets(first, last, 64)];
  return [...new Set(budgets)].sort((a, b) => a - b);
}

/**
 * Mean with its 95 % t interval and median of the best so far at each budget. `bestByRun` holds for each
 * run its best so far per budget, null before its first point: such a run is not counted there. The
 * interval is null for fewer than 2 runs; a budget that no run has reached gives no point.
 */
export function convergence(
  budgets: readonly number[],
  bestByRun: readonly (readonly (number | null)[])[],
): ConvergencePoint[] {
  return budgets.flatMap((x, index) => {
    const values = finiteValues(bestByRun.map((best) => best[index]));
    const { mean, interval } = meanInterval(values);
    if (mean === null) return [];
    const limits = { ciLower: interval?.lower ?? null, ciUpper: interval?.upper ?? null };
    return [{ x, mean, ...limits, median: median(values), samples: values.length }];
  });
}
