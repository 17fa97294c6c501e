import { sql, type Kysely, type SqlBool } from 'kysely';
import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { Tables } from '#server/db/schema.ts';
import { readText } from './row.ts';

/** The id and the stored status of a run. */
export interface RunState {
  /** Empty for a run without an id, which SQLite's keys allow. */
  runId: string;
  status: string;
}

/** Returns the run, locked until the transaction ends; null if there is none. */
export async function lockRun(
  transaction: Kysely<Tables>,
  dialect: DatabaseDialect,
  runId: string,
): Promise<RunState | null> {
  const query = transaction
    .selectFrom('runs')
    .select(['run_id as runId', 'status'])
    .where('run_id', '=', runId);
  return (await dialect.lockRows(query).executeTakeFirst()) ?? null;
}

/**
 * Returns the ids of these experiments that exist, in the sort order of the database; `isLocked` locks the experiments
 * until the transaction ends.
 */
export async function listPresentExperiments(
  database: Kysely<Tables>,
  dialect: DatabaseDialect,
  experimentIds: readonly string[],
  { isLocked }: { isLocked: boolean },
): Promise<string[]> {
  if (experimentIds.length === 0) return [];
  const query = database
    .selectFrom('experiments')
    .select('experiment_id')
    .where(dialect.isAmong(sql.ref<string>('experiment_id'), experimentIds))
    .orderBy('experiment_id');
  const rows = await (isLocked ? dialect.lockRows(query) : query).execute();
  return rows.map((row) => row.experiment_id);
}

/**
 * Returns the runs of these experiments by id; `isLocked` locks the runs until the transaction ends. If the transaction
 * has also locked these experiments before, no other transaction can change or add runs of these experiments until this
 * transaction ends.
 */
export async function listRunStates(
  database: Kysely<Tables>,
  dialect: DatabaseDialect,
  experimentIds: readonly string[],
  { isLocked }: { isLocked: boolean },
): Promise<RunState[]> {
  if (experimentIds.length === 0) return [];
  const query = database
    .selectFrom('runs')
    .select(['run_id as runId', 'status'])
    .where(dialect.isAmong(sql.ref<string>('experiment_id'), experimentIds))
    .orderBy('run_id');
  const runs = await (isLocked ? dialect.lockRows(query) : query).execute();
  return runs.map(({ runId, status }) => ({ runId: readText(runId), status }));
}

/** Returns the first of these runs that no longer exists; undefined if all exist. */
export async function findDeletedRun<Run extends { runId: string; experimentId: string }>(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  runs: readonly Run[],
): Promise<Run | undefined> {
  const experimentIds = [...new Set(runs.map(({ experimentId }) => experimentId))];
  // Compares the ids here, because ids that are stored as bytes equal no text in a query.
  const presentRuns = await listRunStates(kysely, dialect, experimentIds, { isLocked: false });
  const presentIds = new Set(presentRuns.map(({ runId }) => runId));
  return runs.find(({ runId }) => !presentIds.has(runId));
}

/**
 * Returns the ids of runs of these experiments that runs of other experiments have too, in any order. Only tables of
 * other programs contain an id twice.
 */
export async function listSharedRunIds(
  database: Kysely<Tables>,
  dialect: DatabaseDialect,
  experimentIds: readonly string[],
): Promise<string[]> {
  if (experimentIds.length === 0) return [];
  const isInExperiments = (column: string) =>
    dialect.isAmong(sql.ref<string>(column), experimentIds);
  const rows = await database
    .selectFrom('runs as r')
    .innerJoin('runs as o', 'o.run_id', 'r.run_id')
    .select('r.run_id')
    .distinct()
    .where(isInExperiments('r.experiment_id'))
    .where(sql<SqlBool>`(${isInExperiments('o.experiment_id')}) is not true`)
    .execute();
  return rows.map((row) => row.run_id);
}

/**
 * Locks an experiment and its runs until the transaction ends. Returns the runs by id, without runs that have no id;
 * null if there is no such experiment.
 */
export async function lockExperimentRuns(
  transaction: Kysely<Tables>,
  dialect: DatabaseDialect,
  experimentId: string,
): Promise<RunState[] | null> {
  const lock = { isLocked: true };
  const [presentExperiment] = await listPresentExperiments(
    transaction,
    dialect,
    [experimentId],
    lock,
  );
  if (presentExperiment === undefined) return null;
  const runs = await listRunStates(transaction, dialect, [experimentId], lock);
  return runs.filter(({ runId }) => runId !== '');
}

/** Returns the ids of these experiments that have runs, in any order. */
export async function listExperimentsWithRuns(
  { kysely, dialect }: { kysely: Kysely<Tables>; dialect: DatabaseDialect },
  experimentIds: readonly string[],
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('runs')
    .select('experiment_id')
    .distinct()
    .where(dialect.isAmong(sql.ref<string>('experiment_id'), experimentIds))
    .execute();
  return rows.map((row) => row.experiment_id);
}
