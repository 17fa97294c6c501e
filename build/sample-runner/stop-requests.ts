import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '#server/db/database.ts';
import type { RunIdentity } from './recorder.ts';

const mostAttempts = 6;
const backOffMillis = 40;

/**
 * Whether a stop is requested of this run or of its whole experiment. A database that is busy is asked
 * again up to six times, a little later each time, and then counts as having no request.
 */
export async function isStopRequested(database: Database, run: RunIdentity): Promise<boolean> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    try {
      const request = await pendingRequests(database.kysely, run).executeTakeFirst();
      return request !== undefined;
    } catch (error) {
      if (database.dialect.failureKind(error) !== 'busy') throw error;
      await wait(backOffMillis * attempt);
    }
  }
  return false;
}

type Queries = Pick<Database['kysely'], 'selectFrom'>;

function pendingRequests(queries: Queries, { runId, experiment }: RunIdentity) {
  return queries
    .selectFrom('control_requests')
    .select(['scope', 'target_id'])
    .where('action', '=', 'STOP')
    .where('status', '=', 'PENDING')
    .where((request) =>
      request.or([
        request.and({ scope: 'run', target_id: runId }),
        request.and({ scope: 'experiment', target_id: experiment.experimentId }),
      ]),
    );
}

/** Marks the pending requests that stopped this run as acknowledged by it. */
export async function acknowledgeStop(
  database: Database,
  run: RunIdentity,
  acknowledgedAt: string,
): Promise<void> {
  await database.dialect.withWriteTransaction(async (transaction) => {
    for (const request of await pendingRequests(transaction, run).execute()) {
      await transaction
        .updateTable('control_requests')
        .set({
          status: 'ACKNOWLEDGED',
          acknowledged_at: acknowledgedAt,
          acknowledged_by_run_id: run.runId,
        })
        .where('scope', '=', request.scope)
        .where('target_id', '=', request.target_id)
        .where('action', '=', 'STOP')
        .execute();
    }
  });
}

/** Asks a run to stop, as a user would from outside. An earlier request for it becomes pending again. */
export async function requestStop(
  database: Database,
  runId: string,
  requestedAt: string,
): Promise<void> {
  const request = {
    requested_at: requestedAt,
    requested_by: 'sample-runner',
    reason: 'The sample shows what a stopped run looks like',
    status: 'PENDING',
    acknowledged_at: null,
    acknowledged_by_run_id: null,
  };
  await database.dialect.withWriteTransaction(async (transaction) => {
    await transaction
      .insertInto('control_requests')
      .values({ scope: 'run', target_id: runId, action: 'STOP', ...request })
      .onConflict((conflict) =>
        conflict.columns(['scope', 'target_id', 'action']).doUpdateSet(request),
      )
      .execute();
  });
}
