import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { castInt8 } from '#server/db/queries.ts';
import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { findRareStatusCondition, hasStatus } from './filters.ts';
import { selectExactInteger, selectNumber, makeRow, selectText } from './row.ts';

const newestRow = makeRow({
  runId: selectText('i.run_id'),
  iteration: selectExactInteger('i.iteration'),
  evaluations: selectExactInteger('i.evaluations'),
  meanFitness: selectNumber('i.mean_fitness'),
  createdAt: selectText('i.created_at'),
});

/** An iteration row of a RUNNING run, without its JSON. */
export type NewestRow = ReturnType<typeof newestRow.read>;

/**
 * Number of newest rows from which the pace of a run is computed. It is small, because `created_at` is stored after the
 * JSON and is expensive to read.
 */
const newestRowCount = 32;

/**
 * Returns the {@link newestRowCount} newest rows of each of these runs, grouped by run, oldest first. Returns more rows
 * of a resumed run if times are equal. A resumed run overwrites rows of its earlier segment, so its newest rows are
 * those written last, not those with the highest iterations.
 */
export async function listNewestRows(
  database: Database,
  runIds: readonly string[],
): Promise<NewestRow[]> {
  if (runIds.length === 0) return [];
  const isNotResumed = sql<SqlBool>`r.resumed_from is null`;
  const isResumed = sql<SqlBool>`r.resumed_from is not null`;
  return [
    ...(await listNewestRowsBy(database, runIds, isNotResumed, 'iteration')),
    ...(await listNewestRowsBy(database, runIds, isResumed, 'created_at')),
  ];
}

/**
 * Returns the newest rows of the matching runs by one column. First finds the lower bound of each run, to read only the
 * rows from this bound on.
 */
async function listNewestRowsBy(
  { kysely, dialect }: Database,
  runIds: readonly string[],
  condition: RawBuilder<SqlBool>,
  order: 'iteration' | 'created_at',
): Promise<NewestRow[]> {
  const selectOrderValue = (table: string) =>
    order === 'iteration'
      ? sql`${sql.ref(`${table}.iteration`)}`
      : dialect.orderByCodePoint(sql.ref<string>(`${table}.created_at`));
  const minimum = order === 'iteration' ? castInt8('-9223372036854775808') : sql`''`;
  const lowerBound = sql`coalesce((select ${selectOrderValue('t')} from iterations t where t.run_id = r.run_id
    order by ${selectOrderValue('t')} desc limit 1 offset ${sql.lit(newestRowCount - 1)}), ${minimum})`;
  const rows = await kysely
    .with(
      (cte) => cte('b').materialized(),
      (query) =>
        query
          .selectFrom('runs as r')
          .select(['r.run_id', lowerBound.as('oldest')])
          .where('r.run_id', 'in', runIds)
          .where(condition),
    )
    .selectFrom('b')
    .innerJoin('iterations as i', (join) =>
      join
        .onRef('i.run_id', '=', 'b.run_id')
        .on(sql<SqlBool>`${selectOrderValue('i')} >= b.oldest`),
    )
    .select(newestRow.columns)
    .orderBy('i.run_id')
    .orderBy(selectOrderValue('i'))
    .execute();
  return rows.map(newestRow.read);
}

/** The lowest and highest finite best fitness of a run's iterations; null if there is none. */
export interface FitnessRange {
  runId: string;
  lowestFitness: number | null;
  highestFitness: number | null;
}

/** Returns the fitness range of each of these runs, in any order, without runs that have no iterations. */
export async function listFitnessRanges(
  { kysely, dialect }: Database,
  runIds: readonly string[],
): Promise<FitnessRange[]> {
  if (runIds.length === 0) return [];
  return kysely
    .selectFrom('iterations as i')
    .select(['i.run_id as runId', ...selectFitnessRange(dialect)])
    .where('i.run_id', 'in', runIds)
    .groupBy('i.run_id')
    .execute();
}

/** Selects the lowest and highest finite best fitness of iterations `i`. */
function selectFitnessRange(dialect: DatabaseDialect) {
  const bestFitness = dialect.selectFiniteNumber(sql.ref<number>('i.best_fitness'));
  return [
    sql<number | null>`min(${bestFitness})`.as('lowestFitness'),
    sql<number | null>`max(${bestFitness})`.as('highestFitness'),
  ] as const;
}

/** The fitness range of all RUNNING runs of an experiment. */
export interface RunningRange extends Omit<FitnessRange, 'runId'> {
  experimentId: string;
}

/**
 * Returns the fitness range of the RUNNING runs of each of these experiments, in any order, without experiments that
 * have no RUNNING run with iterations.
 */
export async function listRunningRanges(
  { kysely, dialect }: Database,
  experimentIds: readonly string[],
): Promise<RunningRange[]> {
  if (experimentIds.length === 0) return [];
  return kysely
    .selectFrom('runs as r')
    .innerJoin('iterations as i', 'i.run_id', 'r.run_id')
    .select(['r.experiment_id as experimentId', ...selectFitnessRange(dialect)])
    .where('r.experiment_id', 'in', experimentIds)
    .where(hasStatus(dialect, 'RUNNING'))
    .groupBy('r.experiment_id')
    .execute();
}

/** Returns the RUNNING runs of these experiments, in any order. */
export async function listRunningRuns(
  { kysely, dialect }: Database,
  experimentIds: readonly string[],
): Promise<{ runId: string; experimentId: string; startTime: string; status: string }[]> {
  if (experimentIds.length === 0) return [];
  return kysely
    .selectFrom('runs as r')
    .select([
      'r.run_id as runId',
      'r.experiment_id as experimentId',
      'r.start_time as startTime',
      'r.status',
    ])
    .where('r.experiment_id', 'in', experimentIds)
    .where(hasStatus(dialect, 'RUNNING'))
    .execute();
}

/** Returns at most `limit` RUNNING runs, those with the latest starts, latest first. */
export async function listLatestRunningRuns(
  database: Database,
  limit: number,
): Promise<{ runId: string; startTime: string; status: string }[]> {
  const { kysely, dialect } = database;
  const isRunning = await findRareStatusCondition(database, 'RUNNING');
  return (
    kysely
      // Materialized, because SQLite would otherwise read all runs in the order of their starts.
      .with(
        (cte) => cte('running').materialized(),
        (query) =>
          query
            .selectFrom('runs as r')
            .select(['r.run_id as runId', 'r.start_time as startTime', 'r.status'])
            .where(isRunning),
      )
      .selectFrom('running')
      .selectAll()
      .orderBy(dialect.orderByCodePoint(sql.ref<string>('startTime')), 'desc')
      .limit(limit)
      .execute()
  );
}
