import type { RunItem } from '#shared/schemas/run.ts';
import { maximumPageSize } from '#shared/schemas/common.ts';
import { call, type QueryOf } from '#renderer/api/client.ts';

/** Most runs that one file of the explorer holds. */
export const maximumExportedRuns = 10_000;

/**
 * All runs that a query matches, page by page, at most {@link maximumExportedRuns}; `isCut` says that
 * there are more. Throws the ProblemError of a page that failed.
 */
export async function fetchAllRuns(
  query: QueryOf<'listRuns'>,
): Promise<{ runs: RunItem[]; isCut: boolean }> {
  const runs: RunItem[] = [];
  for (let page = 0; runs.length < maximumExportedRuns; page += 1) {
    const answer = await call('listRuns', { query: { ...query, page, size: maximumPageSize } });
    runs.push(...answer.items);
    if (page + 1 >= answer.totalPages) return { runs, isCut: false };
  }
  return { runs, isCut: true };
}
