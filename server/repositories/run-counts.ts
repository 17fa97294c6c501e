import { sql, type RawBuilder } from 'kysely';
import {
  experimentStatusOf,
  type ExperimentStatus,
  type RunCounters,
  type RunStatus,
} from '#server/rules/status.ts';
import type { Database } from '#server/db/database.ts';
import { instantKey } from './order.ts';
import { hasStatus } from './run-conditions.ts';

/**
 * The runs of all experiments, or of those of the ids, counted by experiment, as `c`. `c.lowest` and `c.highest` are
 * the extremes of their best fitness, `c.latest_start` is an {@link instantKey}. They are grouped by status as stored
 * first, as an index has them, so that a status is judged once a group.
 */
export function runCounts({ kysely, dialect }: Database, experimentIds?: readonly string[]) {
  const best = dialect.finiteNumber(sql.ref<number | null>('r.best_fitness'));
  const start = dialect.byCodePoint(instantKey(sql.ref<string>('r.start_time')));
  const sumOf = (value: RawBuilder<unknown>) =>
    sql<number>`cast(coalesce(sum(${value}), 0) as bigint)`;
  const count = (status: RunStatus) =>
    sumOf(sql`case when ${hasStatus(dialect, status, 'g')} then g.runs end`);
  return kysely
    .selectFrom((eb) =>
      eb
        .selectFrom('runs as r')
        .select([
          'r.experiment_id',
          'r.status',
          sql<number>`count(*)`.as('runs'),
          sql<string | null>`max(${start})`.as('latest_start'),
          sql<number | null>`min(${best})`.as('lowest'),
          sql<number | null>`max(${best})`.as('highest'),
        ])
        .$if(experimentIds !== undefined, (query) =>
          query.where('r.experiment_id', 'in', experimentIds ?? []),
        )
        .groupBy(['r.experiment_id', 'r.status'])
        .as('g'),
    )
    .select([
      'g.experiment_id as of_experiment',
      sumOf(sql`g.runs`).as('total_runs'),
      count('COMPLETED').as('completed_runs'),
      count('FAILED').as('failed_runs'),
      count('STOPPED').as('stopped_runs'),
      count('RUNNING').as('running_runs'),
      sql<string | null>`max(g.latest_start)`.as('latest_start'),
      sql<number | null>`min(g.lowest)`.as('lowest'),
      sql<number | null>`max(g.highest)`.as('highest'),
    ])
    .groupBy('g.experiment_id')
    .as('c');
}

/** Only what {@link experimentStatus} needs of the {@link runCounts} of all experiments. */
export function statusCounts({ kysely, dialect }: Database) {
  const sumOf = (value: RawBuilder<unknown>) => sql<number>`coalesce(sum(${value}), 0)`;
  const count = (status: RunStatus) =>
    sumOf(sql`case when ${hasStatus(dialect, status, 'g')} then g.runs end`);
  return kysely
    .selectFrom((eb) =>
      eb
        .selectFrom('runs as r')
        .select(['r.experiment_id', 'r.status', sql<number>`count(*)`.as('runs')])
        .groupBy(['r.experiment_id', 'r.status'])
        .as('g'),
    )
    .select([
      'g.experiment_id as of_experiment',
      sumOf(sql`g.runs`).as('total_runs'),
      count('COMPLETED').as('completed_runs'),
      count('FAILED').as('failed_runs'),
      count('RUNNING').as('running_runs'),
    ])
    .groupBy('g.experiment_id')
    .as('c');
}

/** When the last run of each experiment started, as `c.latest_start`, an {@link instantKey}; no more of `c`. */
export function latestStarts({ kysely, dialect }: Database) {
  const start = dialect.byCodePoint(instantKey(sql.ref<string>('r.start_time')));
  return kysely
    .selectFrom('runs as r')
    .select([
      'r.experiment_id as of_experiment',
      sql<string | null>`max(${start})`.as('latest_start'),
    ])
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

/** The counters as {@link counterColumns} delivers them, 0 without runs, and the status they give. */
export function toCounters(
  row: Record<CounterColumn, number | null>,
): RunCounters & { status: ExperimentStatus } {
  const counters = {
    totalRuns: row.total_runs ?? 0,
    completedRuns: row.completed_runs ?? 0,
    failedRuns: row.failed_runs ?? 0,
    stoppedRuns: row.stopped_runs ?? 0,
    runningRuns: row.running_runs ?? 0,
  };
  return { ...counters, status: experimentStatusOf(counters) };
}

type CounterColumn =
  'total_runs' | 'completed_runs' | 'failed_runs' | 'stopped_runs' | 'running_runs';
