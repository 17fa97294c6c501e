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
  bestByRun: readonly BestAtBudgets[],
): ConvergencePoint[] {
  const known = lastAnswers.get(budgets);
  if (known && isSame(known.bestByRun, bestByRun)) return known.points;
  const points = summarise(budgets, bestByRun);
  lastAnswers.set(budgets, { bestByRun, points });
  return points;
}

type BestAtBudgets = readonly (number | null)[];

// An experiment that is alone on its problem is at the same time the only group of the comparison.
const lastAnswers = new WeakMap<
  readonly number[],
  { bestByRun: readonly BestAtBudgets[]; points: ConvergencePoint[] }
>();

function isSame(one: readonly BestAtBudgets[], other: readonly BestAtBudgets[]): boolean {
  return one.length === other.length && one.every((best, run) => best === other[run]);
}

function summarise(
  budgets: readonly number[],
  bestByRun: readonly BestAtBudgets[],
): ConvergencePoint[] {
  let before: { values: number[]; figures: Omit<ConvergencePoint, 'x'> | null } | undefined;
  return budgets.flatMap((x, index) => {
    const values = finiteValues(bestByRun.map((best) => best[index]));
    // Where no run improved since the budget before, neither did any of the figures.
    if (!before || !hasSameValues(before.values, values)) {
      before = { values, figures: figuresOf(values) };
    }
    return before.figures ? [{ x, ...before.figures }] : [];
  });
}

function hasSameValues(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

function figuresOf(values: readonly number[]): Omit<ConvergencePoint, 'x'> | null {
  const { mean, interval } = meanInterval(values);
  if (mean === null) return null;
  const limits = { ciLower: interval?.lower ?? null, ciUpper: interval?.upper ?? null };
  return { mean, ...limits, median: median(values), samples: values.length };
}
