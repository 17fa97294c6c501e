import type { Database } from '#server/db/database.ts';
import { inBatches } from '#server/db/queries.ts';
import { harmlessLockSeconds } from '#server/db/dialect.ts';
import { isSilentRun } from '#server/domain/liveness.ts';
import { listLatestRunning, listNewestRows, listRunningOf } from '#server/repositories/progress.ts';
import { isRunning } from '#shared/words.ts';

/** A run whose newest rows decide whether it is silent. */
interface PossiblySilent {
  runId: string;
  status: string;
  startTime: string | null;
}

/** Returns the ids of the RUNNING runs that have written no row for a long time. */
export async function findSilentRuns(
  database: Database,
  runs: readonly PossiblySilent[],
  nowMillis = Date.now(),
): Promise<Set<string>> {
  const running = runs.filter(isRunning);
  if (running.length === 0) return new Set();
  const ids = running.map(({ runId }) => runId);
  const rows = Map.groupBy(await listNewestRows(database, ids), ({ runId }) => runId);
  const silent = running.filter(({ runId, startTime }) =>
    isSilentRun(startTime ?? '', rows.get(runId) ?? [], nowMillis),
  );
  return new Set(silent.map(({ runId }) => runId));
}

/** Runs whose newest rows are read with one query. */
const runsAtOnce = 1_000;

/** Returns the number of silent runs of each of these experiments by id; those without any are missing. */
export async function countSilentRuns(
  database: Database,
  experimentIds: readonly string[],
): Promise<Map<string, number>> {
  const running = await listRunningOf(database, experimentIds);
  const silent = await inBatches(running, runsAtOnce, async (runs) => {
    const ids = await findSilentRuns(database, runs);
    return runs.filter(({ runId }) => ids.has(runId));
  });
  const byExperiment = Map.groupBy(silent, ({ experimentId }) => experimentId);
  return new Map(Array.from(byExperiment, ([experimentId, runs]) => [experimentId, runs.length]));
}

/**
 * Whether a write lock of so many seconds would keep a runner waiting too long: the one rule for all writes that can
 * be long. It would where the lock is longer than 1 s and someone is writing: another program wrote within the last
 * 10 s, or a RUNNING run is not silent, which writes more seldom than that.
 */
export async function wouldStarveRunner(database: Database, lockSeconds: number): Promise<boolean> {
  if (lockSeconds <= harmlessLockSeconds) return false;
  return isRunnerWriting(database);
}

/** RUNNING runs that are inspected; more hardly write to one database. */
const maximumWriters = 64;

/** Whether another program wrote within the last 10 s, or a RUNNING run is not silent. */
export async function isRunnerWriting(database: Database): Promise<boolean> {
  if (database.dialect.isWrittenByOthers()) return true;
  const running = await listLatestRunning(database, maximumWriters);
  return (await findSilentRuns(database, running)).size < running.length;
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
