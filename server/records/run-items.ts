import type { Database } from '#server/db/database.ts';
import type { ListId } from '#server/repositories/list.ts';
import * as runs from '#server/repositories/runs.ts';
import type { RunItem } from '#shared/schemas/run.ts';
import { knownAnnotations } from './annotations.ts';
import { findProgress } from './run-progress.ts';
import { findStopRequests } from './stop-requests.ts';

/** A run of a list, with progress, stop requests, display name and tags. */
export type ListedRun = RunItem & { resumedFrom: string | null };

/** Returns the runs with these ids in this order, with progress, stop requests, display names and tags, without deleted ones. */
export async function listRunItems(
  database: Database,
  runIds: readonly ListId[],
): Promise<ListedRun[]> {
  const rows = await runs.listRuns(database, runIds);
  const progress = await findProgress(database, rows);
  const stopRequests = await findStopRequests(database, rows);
  const annotations = await knownAnnotations(database);
  return rows.map((run, index) => ({
    ...run,
    progress: progress.get(run.runId) ?? null,
    stopRequest: stopRequests[index] ?? null,
    ...annotations.fieldsOf('run', run.runId),
  }));
}
