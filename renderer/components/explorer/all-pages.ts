import { maximumPageSize } from '#shared/words.ts';

/** Most rows that one file of an explorer holds. */
export const maximumExportedRows = 10_000;

/**
 * All rows that `fetchPage` answers with, page by page, at most {@link maximumExportedRows}; `isCut` says
 * that there are more. Throws the ProblemError of a page that failed.
 */
export async function fetchAllPages<Row>(
  fetchPage: (part: { page: number; size: number }) => Promise<{
    items: Row[];
    totalPages: number;
  }>,
): Promise<{ rows: Row[]; isCut: boolean }> {
  const rows: Row[] = [];
  for (let page = 0; rows.length < maximumExportedRows; page += 1) {
    const answer = await fetchPage({ page, size: maximumPageSize });
    rows.push(...answer.items);
    if (page + 1 >= answer.totalPages) return { rows, isCut: false };
  }
  return { rows, isCut: true };
}
