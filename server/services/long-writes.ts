import type { Database } from '#server/db/database.ts';
import { harmlessLockSeconds } from '#server/db/long-writes.ts';
import * as progress from '#server/repositories/progress.ts';
import { isSilentRun } from '#server/analysis/silent-runs.ts';

/**
 * Whether a write lock of so many seconds would keep a runner waiting too long: the one rule for all writes that can
 * be long. It would where the lock is longer than 1 s and someone is writing: another program wrote within the last
 * 10 s, or a RUNNING run is not silent, which writes more seldom than that.
 */
export async function wouldStarveRunner(database: Database, lockSeconds: number): Promise<boolean> {
  if (lockSeconds <= harmlessLockSeconds) return false;
  return isRunnerWriting(database);
}

/** Whether another program wrote within the last 10 s, or a RUNNING run is not silent. */
export async function isRunnerWriting(database: Database): Promise<boolean> {
  return database.dialect.isWrittenByOthers() || hasLivingRun(database);
}

/**
 * The message of the error RUNNER_WRITING. `action` is what would hold the lock ("importing "x""), `force` how the user
 * does it anyway ("delete with force=true").
 */
export function runnerWritingMessage(action: string, lockSeconds: number, force: string): string {
  return (
    `A runner is writing, and ${action} would keep it waiting for about ${Math.ceil(lockSeconds)} s: ` +
    `its run may fail. Wait until it has ended, or ${force}`
  );
}

/** RUNNING runs that are inspected; more hardly write to one database. */
const maximumWriters = 64;

/** Whether any RUNNING run is not silent by the times of its rows. */
async function hasLivingRun(database: Database, nowMillis = Date.now()): Promise<boolean> {
  const runs = await progress.listLatestRunning(database, maximumWriters);
  const ids = runs.map(({ runId }) => runId);
  const rows = Map.groupBy(await progress.listNewestRows(database, ids), ({ runId }) => runId);
  return runs.some(
    ({ runId, startTime }) => !isSilentRun(startTime, rows.get(runId) ?? [], nowMillis),
  );
}
