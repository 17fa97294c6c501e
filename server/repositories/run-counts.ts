import { sql, type RawBuilder } from 'kysely';
import type { ExperimentStatus } from '#shared/schemas/experiment.ts';
import type { Database } from '#server/db/database.ts';
import { instantKey } from './order.ts';
import { hasStatus, type KnownStatus } from './run-conditions.ts';

/** The runs of an experiment, counted by status; those of an unknown status are in the total only. */
export interface RunCounters {
  totalRuns: number;
  completedRuns: number;
  failedRuns: number;
  stoppedRuns: number;
  runningRuns: number;
}

/**
 * The runs of all experiments, or of those of the ids, counted by experiment, as `c`. `c.lowest` and `c.highest` are
 * the extremes of their best fitness, `c.latest_start` is an {@link instantKey}.
 */
export function runCounts({ kysely, dialect }: Database, experimentIds?: readonly string[]) {
  const count = (status: KnownStatus) =>
    sql<number>`count(case when ${hasStatus(status)} then 1 end)`;
  const best = dialect.finiteNumber(sql.ref<number | null>('r.best_fitness'));
  const start = dialect.byCodePoint(instantKey(sql.ref<string>('r.start_time')));
  return kysely
    .selectFrom('runs as r')
    .select([
      'r.experiment_id as of_experiment',
      sql<number>`count(*)`.as('total_runs'),
      count('COMPLETED').as('completed_runs'),
      count('FAILED').as('failed_runs'),
      count('STOPPED').as('stopped_runs'),
      count('RUNNING').as('running_runs'),
      sql<string | null>`max(${start})`.as('latest_start'),
      sql<number | null>`min(${best})`.as('lowest'),
      sql<number | null>`max(${best})`.as('highest'),
    ])
    .$if(experimentIds !== undefined, (query) =>
      query.where('r.experiment_id', 'in', experimentIds ?? []),
    )
    .groupBy('r.experiment_id')
    .as('c');
}

/**
 * Experiments `e`, all or those of the ids, with their {@link runCounts}, which are NULL for an experiment without
 * runs.
 */
export function experimentsWithCounts(database: Database, experimentIds?: readonly string[]) {
  return database.kysely
    .selectFrom('experiments as e')
    .leftJoin(runCounts(database, experimentIds), (join) =>
      join.onRef('c.of_experiment', '=', 'e.experiment_id'),
    )
    .$if(experimentIds !== undefined, (query) =>
      query.where('e.experiment_id', 'in', experimentIds ?? []),
    );
}

/**
 * The status that its runs give an experiment of {@link experimentsWithCounts}: RUNNING while one of them
 * runs, COMPLETED or FAILED when all of them are, else PARTIAL, which one without runs is too.
 */
export const experimentStatus: RawBuilder<ExperimentStatus> = sql<ExperimentStatus>`case
  when c.running_runs > 0 then 'RUNNING'
  when c.completed_runs = c.total_runs then 'COMPLETED'
  when c.failed_runs = c.total_runs then 'FAILED'
  else 'PARTIAL' end`;

/** The counters of an experiment's runs, to be read by {@link toCounters}. */
export function counterColumns() {
  return [
    'c.total_runs',
    'c.completed_runs',
    'c.failed_runs',
    'c.stopped_runs',
    'c.running_runs',
  ] as const;
}

/** The counters as {@link counterColumns} delivers them, 0 for an experiment without runs. */
export function toCounters(row: {
  total_runs: number | null;
  completed_runs: number | null;
  failed_runs: number | null;
  stopped_runs: number | null;
  running_runs: number | null;
}): RunCounters {
  return {
    totalRuns: row.total_runs ?? 0,
    completedRuns: row.completed_runs ?? 0,
    failedRuns: row.failed_runs ?? 0,
    stoppedRuns: row.stopped_runs ?? 0,
    runningRuns: row.running_runs ?? 0,
  };
}
