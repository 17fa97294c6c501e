import type { BudgetShare } from '#shared/schemas/analysis.ts';
import { sortAscending } from './descriptive.ts';
import { logarithmicBudgets } from './log-budgets.ts';
import { wilsonInterval } from './wilson-interval.ts';

/**
 * Share of all runs that reached the target within each budget, with its Wilson interval at 95 %. Takes evaluations
 * to target per run, null = never reached; a run that stopped before a budget counts as not solved there. No runs: no points.
 */
export function successWithin(
  evaluationsToTarget: readonly (number | null)[],
  budgets: readonly number[],
): BudgetShare[] {
  const total = evaluationsToTarget.length;
  if (total === 0) return [];
  const sorted = sortAscending(evaluationsToTarget.filter((evaluations) => evaluations !== null));
  let solved = 0;
  return budgets.map((x) => {
    while (solved < sorted.length && (sorted[solved] ?? Infinity) <= x) solved += 1;
    const { lower = 0, upper = 1 } = wilsonInterval(solved, total) ?? {};
    return { x, y: solved / total, ciLower: lower, ciUpper: upper };
  });
}

/** {@link successWithin} at 64 logarithmic budgets from 1 to the largest budget of any run. */
export function successVsBudget(
  evaluationsToTarget: readonly (number | null)[],
  largestBudget: number,
): BudgetShare[] {
  return successWithin(evaluationsToTarget, logarithmicBudgets(1, largestBudget, 64));
}
