import type { budgetSources } from '#shared/words.ts';

/**
 * Source of the common budget. `granted`: the smallest budget that a configuration or a trial grants; `observed`: the
 * used evaluations of a COMPLETED run that missed the target; `running`: the used evaluations of a RUNNING run;
 * `stopped`: the used evaluations of a STOPPED run that missed the target; `target`: the largest number of evaluations
 * to the target, if nothing limits the runs; `assumed`: the largest number of used evaluations, if nothing limits the
 * runs and the data do not state all budgets. If no ended run has known evaluations to the target, `target` is the
 * largest number of used evaluations. Without a target, every run counts as one that missed it.
 */
export type BudgetSource = (typeof budgetSources)[number];

/** A run of an algorithm or a trial of a campaign, with the facts that can limit the common budget. */
export interface BudgetedRun {
  /** Status in upper case; any status except RUNNING, COMPLETED and FAILED counts as STOPPED. */
  status: string;
  /** Evaluations that the configuration or the trial grants; null without such a limit. */
  grantedEvaluations: number | null;
  /** Used evaluations. */
  usedEvaluations: number;
  /**
   * Whether the run missed the target or has none, and the data state `usedEvaluations`. Has no effect for RUNNING and
   * FAILED runs.
   */
  hasMissed: boolean;
}

/** Largest number of evaluations that a run allows in a comparison, with the source of this limit. */
export interface BudgetLimit<Run> {
  run: Run;
  evaluations: number;
  source: BudgetSource;
}

/**
 * Returns the limits of the runs, smallest first; the first one is the common budget. The limits are granted budgets,
 * the used evaluations of RUNNING runs, and the used evaluations of STOPPED runs that missed the target. If a run that
 * is not FAILED has no granted budget, the used evaluations of COMPLETED runs that missed the target are limits too.
 * Among equal limits, `granted` and `running` come before `stopped` and `observed`. The only limit of a FAILED run is
 * its granted budget. Returns an empty list if nothing limits the runs.
 */
export function getBudgetLimits<Run extends BudgetedRun>(runs: readonly Run[]): BudgetLimit<Run>[] {
  const hasUnknownBudget = runs.some(
    ({ grantedEvaluations, status }) => grantedEvaluations === null && status !== 'FAILED',
  );
  const limits: BudgetLimit<Run>[] = [];
  for (const run of runs) {
    const { grantedEvaluations, status, usedEvaluations } = run;
    if (grantedEvaluations !== null)
      limits.push({ run, evaluations: grantedEvaluations, source: 'granted' });
    if (status === 'RUNNING') limits.push({ run, evaluations: usedEvaluations, source: 'running' });
  }
  for (const run of runs) {
    const { status, usedEvaluations, hasMissed } = run;
    if (!hasMissed || status === 'RUNNING' || status === 'FAILED') continue;
    if (status !== 'COMPLETED')
      limits.push({ run, evaluations: usedEvaluations, source: 'stopped' });
    else if (hasUnknownBudget)
      limits.push({ run, evaluations: usedEvaluations, source: 'observed' });
  }
  return limits.sort((a, b) => a.evaluations - b.evaluations);
}
