import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '#server/db/database.ts';
import {
  acknowledgeStops,
  hasPendingStop,
  writeStopRequests,
  type StopTargets,
} from '#server/repositories/control.ts';
import type { RunIdentity } from './publisher.ts';

const mostAttempts = 6;
const backOffMillis = 40;

/**
 * Whether a stop is requested of this run or of its whole experiment. A database that is busy is asked
 * again up to six times, a little later each time, and then counts as having no request.
 */
export async function isStopRequested(database: Database, run: RunIdentity): Promise<boolean> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    try {
      return await hasPendingStop(database, targetsOf(run));
    } catch (error) {
      if (database.dialect.failureKind(error) !== 'busy') throw error;
      await wait(backOffMillis * attempt);
    }
  }
  return false;
}

/** Marks the pending requests that stopped this run as acknowledged by it. */
export async function acknowledgeStop(
  database: Database,
  run: RunIdentity,
  acknowledgedAt: string,
): Promise<void> {
  await database.dialect.withWriteTransaction((transaction) =>
    acknowledgeStops({ ...database, kysely: transaction }, targetsOf(run), acknowledgedAt),
  );
}

/** Asks a run to stop, as a user would from outside. An earlier request for it becomes pending again. */
export async function requestStop(
  database: Database,
  runId: string,
  requestedAt: string,
): Promise<void> {
  const reason = 'The sample shows what a stopped run looks like';
  await database.dialect.withWriteTransaction((transaction) =>
    writeStopRequests(transaction, [{ scope: 'run', targetId: runId, requestedAt, reason }]),
  );
}

function targetsOf({ runId, experiment }: RunIdentity): StopTargets {
  return { runId, experimentId: experiment.experimentId };
}
