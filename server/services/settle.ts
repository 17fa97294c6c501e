import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#server/db/database.ts';
import { ProblemError, requireWritable, makeNotFoundError, truncate } from '#server/errors.ts';
import { findNewestEventId, settledType } from '#server/repositories/events.ts';
import { lockRun } from '#server/repositories/locks.ts';
import { updateRun, writeRows } from '#server/repositories/recording.ts';
import { findRun } from '#server/repositories/runs.ts';
import { settlingMillis, getWatchMillis } from '#server/domain/liveness.ts';
import { findProgress } from '#server/records/runs.ts';
import { formatDuration } from '#shared/number-format.ts';
import type { RunProgress } from '#shared/schemas/run.ts';
import type { SettleResponse } from '#shared/schemas/control.ts';
import { getSilenceMillis } from '#shared/silence.ts';
import { toMillis } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';

/**
 * Ends a RUNNING run whose runner no longer runs: sets it to FAILED at the time of its last activity, with a message
 * that ends with any `reason`, and an event `run_settled`. The clocks of the runner and the service may differ. The
 * service therefore watches the run first, and checks it again in the transaction, while no other program can write its
 * iterations. On SQLite the transaction locks the database, on PostgreSQL the row of the run. Throws RUN_NOT_FOUND,
 * NOT_RUNNING and READ_ONLY. Throws STILL_ALIVE if the run is not silent, wrote in the last 10 minutes, or has another
 * {@link SilentRun.version} after the watch.
 */
export async function settleRun(
  database: Database,
  runId: string,
  reason: string | undefined,
): Promise<SettleResponse> {
  await requireWritable(database);
  const silentRun = await requireSilentRun(database, runId);
  const gapSeconds = silentRun.progress.secondsPerIteration;
  const watchedMillis = getWatchMillis(gapSeconds === null ? null : gapSeconds * 1_000);
  await delay(watchedMillis);
  return database.dialect.withWriteTransaction(async (transaction) => {
    const lockedDatabase = { ...database, kysely: transaction };
    await lockRun(transaction, database.dialect, runId);
    const lockedRun = await requireSilentRun(lockedDatabase, runId);
    if (lockedRun.version !== silentRun.version) {
      throw makeStillAliveError(
        runId,
        `wrote while the service watched it for ${formatDuration(watchedMillis)}: request a stop instead`,
      );
    }
    const { lastActivityAt } = lockedRun.progress;
    await writeEnd(lockedDatabase, runId, lastActivityAt, reason);
    return { runId, settled: true, lastActivityAt };
  });
}

/** A silent RUNNING run; `version` differs after the run has started again, or has written an iteration or event. */
interface SilentRun {
  progress: RunProgress;
  version: string;
}

async function requireSilentRun(database: Database, runId: string): Promise<SilentRun> {
  const run = await findRun(database, runId);
  if (!run) throw makeNotFoundError('run', runId);
  const progress = (await findProgress(database, [run])).get(runId);
  if (!progress || !isRunning(run)) throw makeNotRunningError(runId, run.status);
  const { lastActivityAt, secondsPerIteration, silent } = progress;
  const ageMillis = Date.now() - toMillis(lastActivityAt);
  const lastWriteText = `last wrote at ${lastActivityAt}`;
  if (!silent) {
    const gapMillis = secondsPerIteration === null ? null : 1_000 * secondsPerIteration;
    const limitText = formatDuration(getSilenceMillis(gapMillis));
    throw makeStillAliveError(
      runId,
      `${lastWriteText}: it counts as silent after ${limitText}. Wait, or request a stop instead`,
    );
  }
  if (!(ageMillis > settlingMillis)) {
    throw makeStillAliveError(
      runId,
      `${lastWriteText}: you can settle it ${formatDuration(settlingMillis)} later. Wait until then`,
    );
  }
  const { iteration, evaluations } = progress;
  const newestEvent = await findNewestEventId(database, runId);
  return {
    progress,
    version: JSON.stringify([run.startTime, iteration, evaluations, lastActivityAt, newestEvent]),
  };
}

function makeNotRunningError(runId: string, status: string): ProblemError {
  return new ProblemError(
    'NOT_RUNNING',
    `Run "${truncate(runId)}" is ${truncate(status || 'UNKNOWN')}, not RUNNING. Select a RUNNING run`,
  );
}

function makeStillAliveError(runId: string, reason: string): ProblemError {
  return new ProblemError('STILL_ALIVE', `Run "${truncate(runId)}" ${reason}`);
}

async function writeEnd(
  database: Database,
  runId: string,
  lastActivityAt: string,
  reason: string | undefined,
): Promise<void> {
  const message = `Settled by hand: silent since ${lastActivityAt}.${reason ? ` ${reason}` : ''}`;
  const change = { status: 'FAILED', end_time: lastActivityAt, error_message: message };
  await updateRun(database, runId, change);
  const now = new Date();
  const payload = {
    runId,
    timestamp: now.getTime() / 1_000,
    lastActivityAt,
    reason: reason ?? null,
  };
  const event = {
    run_id: runId,
    event_type: settledType,
    payload_json: JSON.stringify(payload),
    created_at: now.toISOString(),
  };
  await writeRows(database, 'events', [event]);
}
