import type { experimentStatuses } from '#shared/words.ts';

/** What a runner writes as the status of a run, in any case; another text is a status that nothing is known of. */
export type RunStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';

/** What the runs of an experiment make of it. */
export type ExperimentStatus = (typeof experimentStatuses)[number];

/** The runs of an experiment, counted by status; those of an unknown status are in the total only. */
export interface RunCounters {
  totalRuns: number;
  completedRuns: number;
  failedRuns: number;
  stoppedRuns: number;
  runningRuns: number;
}

/**
 * How the runs of an experiment decide its status, the first rule that holds first, for the same rule in SQL:
 * it is `status` when `any` or `all` of its runs are. Otherwise, and without runs, it is PARTIAL.
 */
export const experimentStatusRules = [
  { status: 'RUNNING', counter: 'runningRuns', amount: 'any' },
  { status: 'COMPLETED', counter: 'completedRuns', amount: 'all' },
  { status: 'FAILED', counter: 'failedRuns', amount: 'all' },
] as const;

/** The status of an experiment with these runs, by {@link experimentStatusRules}. */
export function experimentStatusOf(counters: RunCounters): ExperimentStatus {
  const rule = experimentStatusRules.find(({ counter, amount }) =>
    amount === 'any' ? counters[counter] > 0 : counters[counter] === counters.totalRuns,
  );
  return rule && counters.totalRuns > 0 ? rule.status : 'PARTIAL';
}

/** The counters of runs that are grouped by their status as stored. */
export function countersOf(
  groups: readonly { status: string | null; runs: number }[],
): RunCounters {
  const runsOf = (counted: typeof groups) => counted.reduce((sum, { runs }) => sum + runs, 0);
  const runsWith = (wanted: RunStatus) =>
    runsOf(groups.filter(({ status }) => status?.toUpperCase() === wanted));
  return {
    totalRuns: runsOf(groups),
    completedRuns: runsWith('COMPLETED'),
    failedRuns: runsWith('FAILED'),
    stoppedRuns: runsWith('STOPPED'),
    runningRuns: runsWith('RUNNING'),
  };
}
