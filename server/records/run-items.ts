import type { Database } from '#server/db/database.ts';
import * as runs from '#server/repositories/runs.ts';
import type { Page } from '#shared/schemas/common.ts';
import type { RunItem } from '#shared/schemas/run.ts';
import { knownAnnotations } from './annotations.ts';
import { fetchPage } from './page.ts';
import { findProgress } from './run-progress.ts';
import { findStopRequests } from './stop-requests.ts';

/** One page of the runs that match, with progress, stop requests, display names and tags. */
export async function listRunItems(
  database: Database,
  filter: runs.RunsFilter,
  selection: runs.RunsSelection,
): Promise<Page<RunItem & { resumedFrom: string | null }>> {
  const page = await fetchPage(
    selection,
    () => runs.listRuns(database, filter, selection),
    () => runs.countRuns(database, filter),
  );
  const progress = await findProgress(database, page.items);
  const stopRequests = await findStopRequests(database, page.items);
  const annotations = await knownAnnotations(database);
  const items = page.items.map((run, index) => ({
    ...run,
    progress: progress.get(run.runId) ?? null,
    stopRequest: stopRequests[index] ?? null,
    ...annotations.fieldsOf('run', run.runId),
  }));
  return { ...page, items };
}
