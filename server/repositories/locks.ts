import type { Kysely } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { Tables } from '#server/db/schema.ts';

/** A run as a stop or a deletion judges it, with its row locked where the database locks rows. */
export interface RunState {
  runId: string;
  status: string;
}

/** The run, locked until the transaction ends; null when there is none. */
export async function lockRun(
  transaction: Kysely<Tables>,
  dialect: DatabaseDialect,
  runId: string,
): Promise<RunState | null> {
  const query = transaction
    .selectFrom('runs')
    .select(['run_id as runId', 'status'])
    .where('run_id', '=', runId);
  return (await dialect.lockingRows(query).executeTakeFirst()) ?? null;
}

/**
 * All runs of an experiment by id, locked with the experiment until the transaction ends, so that none
 * starts, ends or joins meanwhile; null when there is no such experiment.
 */
export async function lockExperimentRuns(
  transaction: Kysely<Tables>,
  dialect: DatabaseDialect,
  experimentId: string,
): Promise<RunState[] | null> {
  const experiment = transaction
    .selectFrom('experiments')
    .select('experiment_id')
    .where('experiment_id', '=', experimentId);
  if ((await dialect.lockingRows(experiment).executeTakeFirst()) === undefined) return null;
  const runs = transaction
    .selectFrom('runs')
    .select(['run_id as runId', 'status'])
    .where('experiment_id', '=', experimentId)
    .orderBy('run_id');
  return dialect.lockingRows(runs).execute();
}
