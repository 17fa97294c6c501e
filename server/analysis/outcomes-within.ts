import type { RunValues, SampledRun } from '#server/domain/claims/guard.ts';
import type { RunOutcome } from '#server/stats/runtime.ts';

/**
 * Returns the outcome of each run within a budget in evaluations, in order; null if the success of a run within the
 * budget is unknown. `values` are the values of the runs within this budget. If a run reached the target after an
 * unknown number of evaluations, the end of the run replaces this number.
 */
export function getOutcomesWithinBudget(
  runs: readonly SampledRun[],
  values: readonly RunValues[],
  budget: number,
): RunOutcome[] | null {
  if (values.some(({ isSolved }) => isSolved === null)) return null;
  return runs.map((run, index) => {
    const { isSolved = false, time = null } = values[index] ?? {};
    return {
      isSolved: isSolved === true,
      evaluationsToTarget: isSolved === true ? (time ?? getEndWithin(run, budget)) : null,
      usedEvaluations: getUsedEvaluationsWithin(run, budget),
    };
  });
}

/**
 * Returns the end of a run within a budget in evaluations, as an upper bound of its unknown evaluations to target; null
 * if the end is unknown.
 */
function getEndWithin({ usedEvaluations }: SampledRun, budget: number): number | null {
  return usedEvaluations > 0 ? Math.min(usedEvaluations, budget) : null;
}

/**
 * Returns the evaluations that a run used within a budget. If the data state none, returns null, or 0 for a run that
 * counts as FAILED. Returns the whole budget for a COMPLETED run whose data may end before the run.
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
