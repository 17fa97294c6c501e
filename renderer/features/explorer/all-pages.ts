import { maximumPageSize } from '#shared/words.ts';
import { maximumExportedRows } from '#renderer/ui/table/csv.ts';

/**
 * Returns all rows that `fetchPage` returns page by page, at most {@link maximumExportedRows}; `isCut` is true when
 * there are more. A row that a new one moves to the next page meanwhile is returned once. Throws the ProblemError of a
 * failed page.
 */
export async function fetchAllPages<Row>(
  fetchPage: (part: { page: number; size: number }) => Promise<{
    items: Row[];
    totalPages: number;
  }>,
  rowId: (row: Row) => string,
): Promise<{ rows: Row[]; isCut: boolean }> {
  const rows = new Map<string, Row>();
  for (let page = 0; ; page += 1) {
    const answer = await fetchPage({ page, size: maximumPageSize });
    for (const row of answer.items) rows.set(rowId(row), row);
    const isLast = page + 1 >= answer.totalPages;
    if (isLast || rows.size >= maximumExportedRows) {
      const isCut = !isLast || rows.size > maximumExportedRows;
      return { rows: [...rows.values()].slice(0, maximumExportedRows), isCut };
    }
  }
}
