import type { experimentStatuses } from '#shared/words.ts';

/** Known status of a run. Databases may contain it in any ASCII case; any other text is an unknown status. */
export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';

/** Status of an experiment, derived from its runs. */
export type ExperimentStatus = (typeof experimentStatuses)[number];

/** Counts of the runs of an experiment by status; runs of an unknown or missing status are only in the total. */
export interface RunCounters {
  totalRuns: number;
  completedRuns: number;
  failedRuns: number;
  stoppedRuns: number;
  runningRuns: number;
}

/**
 * Rules for the status of an experiment, in order, for {@link getExperimentStatus} and its equivalent in SQL: an
 * experiment is `status` if `any` or `all` of its runs are. Otherwise, and without runs, it is PARTIAL.
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

/** Returns the counters of runs in groups by their stored status; several groups may have the same status. */
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
