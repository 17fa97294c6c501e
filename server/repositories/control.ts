import type { Kysely } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import type { Database } from '#server/db/schema.ts';

/** A wish that the runner reads before its next iteration. */
export interface StopRequestRow {
  scope: 'run' | 'experiment';
  targetId: string;
  /** UTC, ISO 8601. */
  requestedAt: string;
  reason: string | undefined;
}

/** Who asks, as the runner's table names it. */
const requestedBy = 'evoscope';

/** A run as a stop or a deletion judges it, with its row locked where the database locks rows. */
export interface JudgedRun {
  runId: string;
  status: string;
}

/** Whether a stored status says that the run goes on. */
export function isRunning(status: string): boolean {
  return status.toUpperCase() === 'RUNNING';
}

/** The run, locked until the transaction ends; null when there is none. */
export async function lockRun(
  transaction: Kysely<Database>,
  dialect: DatabaseDialect,
  runId: string,
): Promise<JudgedRun | null> {
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
  transaction: Kysely<Database>,
  dialect: DatabaseDialect,
  experimentId: string,
): Promise<JudgedRun[] | null> {
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

/**
 * Writes stop requests, each over an earlier one for the same target: PENDING again, with nothing
 * acknowledged.
 */
export async function writeStopRequests(
  transaction: Kysely<Database>,
  requests: readonly StopRequestRow[],
): Promise<void> {
  for (const { scope, targetId, requestedAt, reason } of requests) {
    const state = {
      requested_at: requestedAt,
      requested_by: requestedBy,
      reason: reason ?? null,
      status: 'PENDING',
      acknowledged_at: null,
      acknowledged_by_run_id: null,
    };
    await transaction
      .insertInto('control_requests')
      .values({ scope, target_id: targetId, action: 'STOP', ...state })
      .onConflict((conflict) =>
        conflict.columns(['scope', 'target_id', 'action']).doUpdateSet(state),
      )
      .execute();
  }
}

