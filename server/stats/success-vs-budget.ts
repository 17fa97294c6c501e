import type { CurvePoint } from '#shared/schemas/analysis.ts';
import { sortAscending } from './descriptive.ts';
import { logarithmicBudgets } from './log-budgets.ts';

/**
 * Share of all runs that reached the target within each budget. Takes evaluations to target per run, null
 * = never reached; a run that stopped before a budget counts as not solved there. No runs: no points.
 */
export function successWithin(
  evaluationsToTarget: readonly (number | null)[],
  budgets: readonly number[],
): CurvePoint[] {
  const total = evaluationsToTarget.length;
  if (total === 0) return [];
  const sorted = sortAscending(evaluationsToTarget.filter((evaluations) => evaluations !== null));
  let solved = 0;
  return budgets.map((x) => {
    while (solved < sorted.length && (sorted[solved] ?? Infinity) <= x) solved += 1;
    return { x, y: solved / total };
  });
}

/** {@link successWithin} at 64 logarithmic budgets from 1 to the largest budget of any run. */
export function successVsBudget(
  evaluationsToTarget: readonly (number | null)[],
  largestBudget: number,
): CurvePoint[] {
  return successWithin(evaluationsToTarget, logarithmicBudgets(1, largestBudget, 64));
}
