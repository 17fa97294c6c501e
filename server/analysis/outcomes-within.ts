import type { RunValues, SampledRun } from '#server/domain/claims/guard.ts';
import type { RunOutcome } from '#server/stats/runtime.ts';

/**
 * Returns the outcome of each run within a budget, in order. The end of a run replaces an unknown time to the target.
 * `values` are the values of the runs within this budget.
 */
export function getOutcomesWithin(
  runs: readonly SampledRun[],
  values: readonly RunValues[],
  budget: number,
): RunOutcome[] {
  return runs.map((run, index) => {
    const { isSolved, time } = values[index] ?? { isSolved: false, time: null };
    return {
      isSolved: isSolved === true,
      evaluationsToTarget: isSolved === true ? (time ?? getEndWithin(run, budget)) : null,
      usedEvaluations: getUsedEvaluationsWithin(run, budget),
    };
  });
}

/** Returns the end of a run within a budget, in evaluations, as an upper bound of an unknown time; null if unknown. */
function getEndWithin({ usedEvaluations }: SampledRun, budget: number): number | null {
  return usedEvaluations > 0 ? Math.min(usedEvaluations, budget) : null;
}

/**
 * Returns the evaluations that a run used within a budget; null if the data state none. A run that counts as FAILED has
 * 0 then. A COMPLETED run whose data may end before the run has the whole budget.
 */
function getUsedEvaluationsWithin(
  { usedEvaluations, hasFinalEvaluations, isFailed, status }: SampledRun,
  budget: number,
): number | null {
  if (isFailed) return Math.min(usedEvaluations, budget);
  if (usedEvaluations === 0) return null;
  // Data without final evaluations end with the last improvement, but a COMPLETED run used its budget.
  const isKnown = hasFinalEvaluations || status !== 'COMPLETED';
  return isKnown ? Math.min(usedEvaluations, budget) : budget;
}
