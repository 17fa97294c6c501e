import type { StopResponse } from '#shared/schemas/control.ts';
import { makeNotFoundError, ProblemError, requireWritable, truncate } from '#server/errors.ts';
import { writeStopRequests } from '#server/repositories/control.ts';
import type { Database } from '#server/db/database.ts';
import { lockExperimentRuns, lockRun } from '#server/repositories/locks.ts';
import { isRunning } from '#shared/words.ts';

/**
 * Requests a stop of a RUNNING run; the runner reads the request before the next iteration of the run. Replaces an
 * earlier request for the run. Throws RUN_NOT_FOUND, NOT_STOPPABLE unless the run is RUNNING, and READ_ONLY.
 */
export async function requestRunStop(
  database: Database,
  runId: string,
  reason: string | undefined,
): Promise<StopResponse> {
  await requireWritable(database);
  const { dialect } = database;
  await dialect.withWriteTransaction(async (transaction) => {
    const run = await lockRun(transaction, dialect, runId);
    if (run === null) throw makeNotFoundError('run', runId);
    if (!isRunning(run)) {
      const status = run.status || 'UNKNOWN';
      throw new ProblemError(
        'NOT_STOPPABLE',
        `Run "${truncate(runId)}" is ${truncate(status)}, not RUNNING. Select a RUNNING run`,
      );
    }
    const requestedAt = new Date().toISOString();
    await writeStopRequests(transaction, [{ scope: 'run', targetId: runId, requestedAt, reason }]);
  });
  return {
    scope: 'run',
    targetId: runId,
    accepted: true,
    affectedRuns: 1,
    message: `The service requested a stop of run "${runId}". The run ends before its next iteration`,
  };
}

/**
 * Requests a stop of an experiment and of each of its RUNNING runs that has an id, in one transaction. Replaces earlier
 * requests for them. Throws EXPERIMENT_NOT_FOUND, READ_ONLY, and NOT_STOPPABLE if there is no such run, because the
 * request would then stop the next run at its first iteration.
 */
export async function requestExperimentStop(
  database: Database,
  experimentId: string,
  reason: string | undefined,
): Promise<StopResponse> {
  await requireWritable(database);
  const { dialect } = database;
  const affectedRuns = await dialect.withWriteTransaction(async (transaction) => {
    const runs = await lockExperimentRuns(transaction, dialect, experimentId);
    if (runs === null) throw makeNotFoundError('experiment', experimentId);
    const runningRuns = runs.filter(isRunning);
    if (runningRuns.length === 0) {
      throw new ProblemError(
        'NOT_STOPPABLE',
        `Experiment "${truncate(experimentId)}" has no RUNNING run. Select an experiment with one`,
      );
    }
    const requestedAt = new Date().toISOString();
    await writeStopRequests(transaction, [
      { scope: 'experiment', targetId: experimentId, requestedAt, reason },
      ...runningRuns.map(({ runId }) => ({
        scope: 'run' as const,
        targetId: runId,
        requestedAt,
        reason,
      })),
    ]);
    return runningRuns.length;
  });
  const runsText = affectedRuns === 1 ? 'its RUNNING run' : `its ${affectedRuns} RUNNING runs`;
  return {
    scope: 'experiment',
    targetId: experimentId,
    accepted: true,
    affectedRuns,
    message: `The service requested a stop of experiment "${experimentId}" and of ${runsText}`,
  };
}
