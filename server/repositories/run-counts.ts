import { sql, type RawBuilder } from 'kysely';
import {
  getExperimentStatus,
  type ExperimentStatus,
  type RunCounters,
  type RunStatus,
} from '#server/domain/status.ts';
import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { selectInstantKey } from './order.ts';
import { createPreparedQuery } from './prepared-query.ts';
import { count } from './row.ts';
import { hasStatus } from './filters.ts';

/** Which fields of {@link runCounts} are needed besides the counters; each costs a read of all their runs. */
export interface CountedFields {
  latestStart: boolean;
  extremes: boolean;
}

/**
 * Counts the runs of all experiments, or of those with the ids, by experiment, as `c`. `c.lowest` and `c.highest` are
 * the extremes of their best fitness, `c.latest_start` is an {@link selectInstantKey}; all are NULL if they are not needed.
 * First groups by stored status, as an index does, so that a status is evaluated once per group.
 */
export function runCounts(
  { kysely, dialect }: Database,
  fields: CountedFields,
  experimentIds?: readonly string[],
) {
  const best = dialect.selectFiniteNumber(sql.ref<number | null>('r.best_fitness'));
  const start = dialect.orderByCodePoint(selectInstantKey(sql.ref<string>('r.start_time')));
  const none = sql<null>`null`;
  const [latestStart, lowest, highest] = [
    fields.latestStart ? sql<string | null>`max(${start})` : none,
    fields.extremes ? sql<number | null>`min(${best})` : none,
    fields.extremes ? sql<number | null>`max(${best})` : none,
  ];
  return kysely
    .selectFrom((eb) =>
      eb
        .selectFrom('runs as r')
        .select([
          'r.experiment_id',
          'r.status',
          sql<number>`count(*)`.as('runs'),
          latestStart.as('latest_start'),
          lowest.as('lowest'),
          highest.as('highest'),
        ])
        .$if(experimentIds !== undefined, (query) =>
          query.where('r.experiment_id', 'in', experimentIds ?? []),
        )
        .groupBy(['r.experiment_id', 'r.status'])
        .as('g'),
    )
    .select([
      'g.experiment_id as of_experiment',
      ...selectCountsByStatus(dialect),
      sql<string | null>`max(g.latest_start)`.as('latest_start'),
      sql<number | null>`min(g.lowest)`.as('lowest'),
      sql<number | null>`max(g.highest)`.as('highest'),
    ])
    .groupBy('g.experiment_id')
    .as('c');
}

/** Returns the counters of groups `g` of runs of one status. */
function selectCountsByStatus(dialect: DatabaseDialect) {
  const selectSum = (value: RawBuilder<unknown>) =>
    sql<number>`cast(coalesce(sum(${value}), 0) as bigint)`;
  const countRunsWith = (status: RunStatus) =>
    selectSum(sql`case when ${hasStatus(dialect, status, 'g')} then g.runs end`);
  return [
    selectSum(sql`g.runs`).as('total_runs'),
    countRunsWith('COMPLETED').as('completed_runs'),
    countRunsWith('FAILED').as('failed_runs'),
    countRunsWith('STOPPED').as('stopped_runs'),
    countRunsWith('RUNNING').as('running_runs'),
  ] as const;
}

/** Counts the runs of one experiment by stored status. Grouping by both columns uses the index that contains both. */
export const runsByStatus = createPreparedQuery(({ kysely }, experimentId: string) =>
  kysely
    .selectFrom('runs as r')
    .select(['r.status', sql<number>`count(*)`.as('runs')])
    .where('r.experiment_id', '=', experimentId)
    .groupBy(['r.experiment_id', 'r.status']),
);

/**
 * Returns the latest start of the runs of each experiment as `c.latest_start`, an {@link selectInstantKey}; no other fields
 * of `c`.
 */
export function selectLatestStarts({ kysely, dialect }: Database) {
  const start = dialect.orderByCodePoint(selectInstantKey(sql.ref<string>('r.start_time')));
  return kysely
    .selectFrom('runs as r')
    .select([
      'r.experiment_id as of_experiment',
      sql<string | null>`max(${start})`.as('latest_start'),
    ])
    .groupBy('r.experiment_id')
    .as('c');
}

/** The counters of an experiment's runs; NULL, so 0, without any. {@link withStatus} adds the status. */
export const counterFields = {
  totalRuns: count('c.total_runs'),
  completedRuns: count('c.completed_runs'),
  failedRuns: count('c.failed_runs'),
  stoppedRuns: count('c.stopped_runs'),
  runningRuns: count('c.running_runs'),
};

/** Returns the row with the status of its {@link counterFields}. */
export function withStatus<Row extends RunCounters>(row: Row): Row & { status: ExperimentStatus } {
  return { ...row, status: getExperimentStatus(row) };
}
