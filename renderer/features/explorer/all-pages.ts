import { maximumPageSize } from '#shared/words.ts';
import { maximumExportedRows } from '#renderer/ui/table/csv.ts';

/**
 * Returns all rows that `fetchPage` returns page by page, at most {@link maximumExportedRows}; `isTruncated` is true
 * when there are more. A row that a new one moves to the next page meanwhile is returned once. Throws the ProblemError
 * of a failed page.
 */
export async function fetchAllPages<Row>(
  fetchPage: (part: { page: number; size: number }) => Promise<{
    items: Row[];
    totalPages: number;
  }>,
  rowId: (row: Row) => string,
): Promise<{ rows: Row[]; isTruncated: boolean }> {
  const rows = new Map<string, Row>();
  for (let page = 0; ; page += 1) {
    const response = await fetchPage({ page, size: maximumPageSize });
    for (const row of response.items) rows.set(rowId(row), row);
    const isLast = page + 1 >= response.totalPages;
    if (isLast || rows.size >= maximumExportedRows) {
      const isTruncated = !isLast || rows.size > maximumExportedRows;
      return { rows: [...rows.values()].slice(0, maximumExportedRows), isTruncated };
    }
  }
}
