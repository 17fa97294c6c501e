import { maximumPageSize } from '#shared/words.ts';
import { maximumExportedRows } from '#renderer/ui/table/csv.ts';

/**
 * Returns all rows that `fetchPage` returns page by page, at most {@link maximumExportedRows}; `isCut` is true when
 * there are more. Throws the ProblemError of a failed page.
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
