import type { budgetSources } from '#shared/words.ts';

/**
 * What limits the evaluations within which runs are compared: the smallest budget that a configuration or a trial granted; the
 * smallest number of evaluations of an ended run that missed the target; what a RUNNING run has spent so far; where a
 * STOPPED run ended; the largest number of evaluations to the target, where every run reached it; the last evaluation in
 * data that do not state the budgets.
 */
export type BudgetSource = (typeof budgetSources)[number];

/** A run of an algorithm or a trial of a campaign, as far as it limits the common budget. */
export interface BudgetedRun {
  /** In upper case; what is neither RUNNING, COMPLETED nor FAILED counts as STOPPED. */
  status: string;
  /** Evaluations that its configuration or its trial granted; null where nothing states them. */
  granted: number | null;
  /** Evaluations that it used. */
  spent: number;
  /** It ended without the target, and `spent` is known. */
  hasMissed: boolean;
}

/** Evaluations that a run allows to compare within, and why. */
export interface BudgetLimit<Run> {
  run: Run;
  evaluations: number;
  source: BudgetSource;
}

/**
 * Returns what the runs allow, the smallest first, which is the common budget: the granted budgets; what RUNNING runs have
 * spent; where runs were stopped without the target; and, where some run states no granted budget, where runs ended without
 * the target. Of equal limits granted ones come first. A FAILED run is limited by its granted budget only. Empty where
 * nothing limits the runs.
 */
export function budgetLimits<Run extends BudgetedRun>(runs: readonly Run[]): BudgetLimit<Run>[] {
  const needsObserved = runs.some(({ granted, status }) => granted === null && status !== 'FAILED');
  const limits: BudgetLimit<Run>[] = [];
  for (const run of runs) {
    const { granted, status, spent } = run;
    if (granted !== null) limits.push({ run, evaluations: granted, source: 'granted' });
    if (status === 'RUNNING') limits.push({ run, evaluations: spent, source: 'running' });
  }
  for (const run of runs) {
    const { status, spent, hasMissed } = run;
    if (!hasMissed || status === 'RUNNING' || status === 'FAILED') continue;
    if (status !== 'COMPLETED') limits.push({ run, evaluations: spent, source: 'stopped' });
    else if (needsObserved) limits.push({ run, evaluations: spent, source: 'observed' });
  }
  return limits.sort((one, other) => one.evaluations - other.evaluations);
}
