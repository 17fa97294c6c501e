import type { Database } from '#server/db/database.ts';
import * as progress from '#server/repositories/progress.ts';
import { median } from '#server/stats/quantile.ts';
import { isSilent } from '#shared/silence.ts';
import { isRunning } from '#shared/words.ts';

/** What tells whether a run is silent, besides its newest rows. */
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
  const rows = Map.groupBy(await progress.listNewestRows(database, ids), ({ runId }) => runId);
  const silent = running.filter(({ runId, startTime }) =>
    isSilentRun(startTime ?? '', rows.get(runId) ?? [], nowMillis),
  );
  return new Set(silent.map(({ runId }) => runId));
}

/** Whether a RUNNING run is silent, by its newest rows, oldest first; without any, its start is its last activity. */
export function isSilentRun(
  startTime: string,
  rows: readonly Pick<progress.NewestRow, 'createdAt'>[],
  nowMillis: number,
): boolean {
  const lastActivityAt = rows.at(-1)?.createdAt ?? startTime;
  return isSilent(Date.parse(lastActivityAt), medianGapMillis(rows), nowMillis);
}

/** Median time between rows that follow each other; null below two rows with a time. */
export function medianGapMillis(
  rows: readonly Pick<progress.NewestRow, 'createdAt'>[],
): number | null {
  const times = rows.map(({ createdAt }) => Date.parse(createdAt));
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? NaN));
  return median(gaps.filter(Number.isFinite));
}
