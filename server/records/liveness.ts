import type { Database } from '#server/db/database.ts';
import { runInBatches } from '#server/db/queries.ts';
import { harmlessLockSeconds } from '#server/db/dialect.ts';
import { isSilentRun } from '#server/domain/liveness.ts';
import {
  listLatestRunningRuns,
  listNewestRows,
  listRunningRuns,
} from '#server/repositories/iterations.ts';
import { isRunning } from '#shared/words.ts';

/** A run whose newest rows decide whether it is silent. */
interface SilenceCandidate {
  runId: string;
  status: string;
  startTime: string | null;
}

/** Returns the ids of the silent RUNNING runs among these; see `isSilentRun`. */
export async function findSilentRunIds(
  database: Database,
  runs: readonly SilenceCandidate[],
  nowMillis = Date.now(),
): Promise<Set<string>> {
  const runningRuns = runs.filter(isRunning);
  if (runningRuns.length === 0) return new Set();
  const ids = runningRuns.map(({ runId }) => runId);
  const rows = Map.groupBy(await listNewestRows(database, ids), ({ runId }) => runId);
  const silentRuns = runningRuns.filter(({ runId, startTime }) =>
    isSilentRun(startTime ?? '', rows.get(runId) ?? [], nowMillis),
  );
  return new Set(silentRuns.map(({ runId }) => runId));
}

/** Maximum number of runs whose newest rows {@link countSilentRuns} reads at a time. */
const runsPerBatch = 1_000;

/** Returns the number of silent runs of each of these experiments, by id; omits experiments without silent runs. */
export async function countSilentRuns(
  database: Database,
  experimentIds: readonly string[],
): Promise<Map<string, number>> {
  const runningRuns = await listRunningRuns(database, experimentIds);
  const silentRuns = await runInBatches(runningRuns, runsPerBatch, async (runs) => {
    const ids = await findSilentRunIds(database, runs);
    return runs.filter(({ runId }) => ids.has(runId));
  });
  const runsByExperiment = Map.groupBy(silentRuns, ({ experimentId }) => experimentId);
  return new Map(
    Array.from(runsByExperiment, ([experimentId, runs]) => [experimentId, runs.length]),
  );
}

/**
 * Returns whether a write lock of this many seconds would block a runner for too long: the lock is longer than {@link
 * harmlessLockSeconds}, and {@link isRunnerWriting} is true.
 */
export async function isLockTooLong(database: Database, lockSeconds: number): Promise<boolean> {
  if (lockSeconds <= harmlessLockSeconds) return false;
  return isRunnerWriting(database);
}

/** Maximum number of RUNNING runs to inspect. Few databases have more writers at a time. */
const maximumWriters = 64;

/**
 * Returns whether another program wrote within the last 10 s, which only SQLite shows, or one of the {@link
 * maximumWriters} newest RUNNING runs is not silent. A run may write less often than every 10 s.
 */
export async function isRunnerWriting(database: Database): Promise<boolean> {
  if (database.dialect.isWrittenByOthers()) return true;
  const runningRuns = await listLatestRunningRuns(database, maximumWriters);
  return (await findSilentRunIds(database, runningRuns)).size < runningRuns.length;
}

/**
 * Returns the message of the error RUNNER_WRITING. `action` names the work under the lock (`importing "x"`).
 * `lockSeconds` is the estimated duration of the lock. `alternative` names the way to do the work anyway (`delete with
 * force=true`).
 */
export function describeWritingRunner(
  action: string,
  lockSeconds: number,
  alternative: string,
): string {
  return (
    `A runner is writing, and ${action} would block it for about ${Math.ceil(lockSeconds)} s: ` +
    `its run may fail. Wait until it has ended, or ${alternative}`
  );
}
