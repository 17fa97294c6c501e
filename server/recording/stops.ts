import type { RecordResponse } from '#shared/schemas/recording.ts';
import { isRunning } from '#shared/words.ts';
import type { Database } from '#server/db/database.ts';
import { ProblemError } from '#server/errors.ts';
import { listStopRequests } from '#server/repositories/control.ts';
import { listRecordedRuns } from '#server/repositories/recorded-runs.ts';

/**
 * Returns the runs among these that are RUNNING and recorded and have a pending stop request, in any order. The request
 * is for the run or its experiment. `reason` comes from the request for the run. If this request does not exist or has
 * no reason, `reason` comes from the request for the experiment; null if neither request has a reason. Ignores ids that
 * the database cannot store, because no run has such an id.
 */
export async function listStops(
  database: Database,
  ids: readonly string[],
): Promise<RecordResponse['stop']> {
  try {
    return await listStopsOfRuns(database, ids);
  } catch (error) {
    if (!isUnstorableTextError(error)) throw error;
    if (ids.length === 1) return [];
    const middle = ids.length >> 1;
    const lists = [ids.slice(0, middle), ids.slice(middle)].map((part) =>
      listStops(database, part),
    );
    return (await Promise.all(lists)).flat();
  }
}

async function listStopsOfRuns(
  database: Database,
  ids: readonly string[],
): Promise<RecordResponse['stop']> {
  if (ids.length === 0) return [];
  const runs = (await listRecordedRuns(database, ids)).filter(
    (run) => run.isRecorded && isRunning(run),
  );
  const requests = await listStopRequests(
    database,
    runs.map((run) => run.runId),
    [...new Set(runs.map((run) => run.experimentId))],
  );
  const pendingReasons = new Map(
    requests
      .filter(({ status }) => status === 'PENDING')
      .map(({ scope, targetId, reason }) => [`${scope} ${targetId}`, reason]),
  );
  return runs.flatMap(({ runId, experimentId }) => {
    // A missing request is undefined, and a request without a reason has the reason null.
    const reasons = [`run ${runId}`, `experiment ${experimentId}`]
      .map((target) => pendingReasons.get(target))
      .filter((reason) => reason !== undefined);
    if (reasons.length === 0) return [];
    return [{ runId, reason: reasons.find((reason) => reason !== null) ?? null }];
  });
}

/** Returns whether an error reports a text with a character that the encoding of a PostgreSQL database lacks. */
export function isUnstorableTextError(
  error: unknown,
): error is ProblemError & { code: 'VALIDATION_FAILED' } {
  return error instanceof ProblemError && error.code === 'VALIDATION_FAILED';
}
