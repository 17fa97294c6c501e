import { sql, type RawBuilder } from 'kysely';
import {
  getExperimentStatus,
  type ExperimentStatus,
  type RunCounters,
  type RunStatus,
} from '#server/domain/status.ts';
import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { selectTimeKey } from './order.ts';
import { createPreparedQuery } from '#server/db/queries.ts';
import { selectCount } from './row.ts';
import { hasStatus } from './filters.ts';

/**
 * Returns the counts of the runs of all experiments, or of those in `experimentIds`, by experiment, as subquery `c`.
 * With `experimentIds`, `c.lowest_fitness` and `c.highest_fitness` are the extremes of the finite best fitness of the
 * runs, and `c.latest_start` is their latest start as a key of {@link selectTimeKey}. Otherwise, these columns are
 * NULL, because the database would have to read all runs for them. Groups by stored status first, as an index does, so
 * the database evaluates a status once per group.
 */
export function selectRunCounts({ kysely, dialect }: Database, experimentIds?: readonly string[]) {
  const bestFitness = dialect.selectFiniteNumber(sql.ref<number | null>('r.best_fitness'));
  const start = dialect.orderByCodePoint(selectTimeKey(sql.ref<string>('r.start_time')));
  const selectForIds = <Value>(value: RawBuilder<Value>): RawBuilder<Value | null> =>
    experimentIds === undefined ? sql<null>`null` : value;
  const [latestStart, lowestFitness, highestFitness] = [
    selectForIds(sql<string>`max(${start})`),
    selectForIds(sql<number>`min(${bestFitness})`),
    selectForIds(sql<number>`max(${bestFitness})`),
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
          lowestFitness.as('lowest_fitness'),
          highestFitness.as('highest_fitness'),
        ])
        .$if(experimentIds !== undefined, (query) =>
          query.where(dialect.isAmong(sql.ref<string>('r.experiment_id'), experimentIds ?? [])),
        )
        .groupBy(['r.experiment_id', 'r.status'])
        .as('g'),
    )
    .select([
      'g.experiment_id as counted_experiment_id',
      ...selectCountsByStatus(dialect),
      sql<string | null>`max(g.latest_start)`.as('latest_start'),
      sql<number | null>`min(g.lowest_fitness)`.as('lowest_fitness'),
      sql<number | null>`max(g.highest_fitness)`.as('highest_fitness'),
    ])
    .groupBy('g.experiment_id')
    .as('c');
}

/**
 * Returns the number of all runs in groups `g`, and the numbers by status. A group contains the runs of one stored
 * status.
 */
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

/**
 * Counts the runs of one experiment by stored status, in any order. Groups by both columns to use the index that has
 * both.
 */
export const countRunsByStatus = createPreparedQuery(({ kysely }, experimentId: string) =>
  kysely
    .selectFrom('runs as r')
    .select(['r.status', sql<number>`count(*)`.as('runs')])
    .where('r.experiment_id', '=', experimentId)
    .groupBy(['r.experiment_id', 'r.status']),
);

/**
 * Returns the latest start of the runs of an experiment `e` as SQL, a key of {@link selectTimeKey}; NULL without
 * runs. If the index of the service exists, the query reads one row of this index.
 */
export function selectLatestStart({ dialect }: Database): RawBuilder<string | null> {
  const start = dialect.orderByCodePoint(selectTimeKey(sql.ref<string>('r.start_time')));
  return sql<string | null>`(select ${start} from runs r where r.experiment_id = e.experiment_id
    order by ${start} desc nulls last limit 1)`;
}

/**
 * Returns the lowest or highest finite best fitness of the runs of an experiment `e` as SQL; NULL if there is none. If
 * the index of the service exists, the query reads one row of this index.
 */
export function selectExtreme(
  { dialect }: Database,
  extreme: 'min' | 'max',
): RawBuilder<number | null> {
  const bestFitness = dialect.selectFiniteNumber(sql.ref<number | null>('r.best_fitness'));
  // In ascending order, the index has NULLs first.
  const order = sql.raw(extreme === 'min' ? 'asc nulls first' : 'desc nulls last');
  return sql<number | null>`(select ${bestFitness} from runs r
    where r.experiment_id = e.experiment_id and ${bestFitness} is not null order by ${bestFitness} ${order} limit 1)`;
}

/**
 * The counts of an experiment's runs. Without runs, SQL has NULL and the fields have 0. {@link addStatus} adds the
 * status.
 */
export const counterFields = {
  totalRuns: selectCount('c.total_runs'),
  completedRuns: selectCount('c.completed_runs'),
  failedRuns: selectCount('c.failed_runs'),
  stoppedRuns: selectCount('c.stopped_runs'),
  runningRuns: selectCount('c.running_runs'),
};

/** Returns the row with the status of its {@link counterFields}. */
export function addStatus<Row extends RunCounters>(row: Row): Row & { status: ExperimentStatus } {
  return { ...row, status: getExperimentStatus(row) };
}
