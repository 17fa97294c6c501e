import type { experimentStatuses } from '#shared/words.ts';

/** Known status of a run. Databases may contain it in any ASCII case; any other text is an unknown status. */
export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';

/** Status of an experiment, derived from its runs. */
export type ExperimentStatus = (typeof experimentStatuses)[number];

/** Counts of the runs of an experiment by status. Runs with an unknown or missing status count only in `totalRuns`. */
export interface RunCounters {
  totalRuns: number;
  completedRuns: number;
  failedRuns: number;
  stoppedRuns: number;
  runningRuns: number;
}

/**
 * Rules of {@link getExperimentStatus} and of its equivalent in SQL, in order. The first rule that applies decides. A
 * rule applies if at least one run (`any`) or each run (`all`) has the status of the rule. If no rule applies, or if
 * there are no runs, the experiment is PARTIAL.
 */
export const experimentStatusRules = [
  { status: 'RUNNING', counter: 'runningRuns', amount: 'any' },
  { status: 'COMPLETED', counter: 'completedRuns', amount: 'all' },
  { status: 'FAILED', counter: 'failedRuns', amount: 'all' },
] as const;

/** Returns the status of an experiment with these runs, by {@link experimentStatusRules}. */
export function getExperimentStatus(counters: RunCounters): ExperimentStatus {
  const rule = experimentStatusRules.find(({ counter, amount }) =>
    amount === 'any' ? counters[counter] > 0 : counters[counter] === counters.totalRuns,
  );
  return rule && counters.totalRuns > 0 ? rule.status : 'PARTIAL';
}

/**
 * Returns the counters of runs that are grouped by their stored status, ignoring its case. Several groups may have the
 * same status; a missing status is null.
 */
export function getCounters(
  groups: readonly { status: string | null; runs: number }[],
): RunCounters {
  const countRuns = (groupsToCount: typeof groups) =>
    groupsToCount.reduce((sum, { runs }) => sum + runs, 0);
  const countRunsWith = (runStatus: RunStatus) =>
    countRuns(groups.filter(({ status }) => status?.toUpperCase() === runStatus));
  return {
    totalRuns: countRuns(groups),
    completedRuns: countRunsWith('COMPLETED'),
    failedRuns: countRunsWith('FAILED'),
    stoppedRuns: countRunsWith('STOPPED'),
    runningRuns: countRunsWith('RUNNING'),
  };
}
