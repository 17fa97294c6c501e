import { formatCsvLine, formatCsvValue } from '#shared/csv.ts';
import { formatCount } from '#shared/number-format.ts';
import type { CellValue, TableColumn } from './types.ts';

/** Maximum number of rows in one file of a list. */
export const maximumExportedRows = 10_000;

/** Returns a table as CSV, headings first; see {@link formatCsvLine}. */
export function getCsv(
  headings: readonly string[],
  rows: readonly (readonly CellValue[])[],
): string {
  return [headings, ...rows].map(formatCsvLine).join('');
}

/** Returns the tooltip of the CSV button: the selected rows if there are any, else all rows of a list or table. */
export function describeCsv(hasSelected: boolean, isList: boolean): string {
  if (hasSelected) return 'Save the shown columns of the selected rows as CSV';
  return isList
    ? `Save the shown columns of all rows, at most ${formatCount(maximumExportedRows)}, as CSV`
    : 'Save the shown columns as CSV';
}

/** Returns tab-separated text to paste, headings first; tabs and line breaks inside a value become spaces. */
export function getTsv(
  headings: readonly string[],
  rows: readonly (readonly CellValue[])[],
): string {
  return [headings, ...rows]
    .map((row) => row.map((value) => formatCsvValue(value).replace(/[\t\r\n]+/g, ' ')).join('\t'))
    .join('\n');
}

/**
 * Returns headings and values of some rows in these columns with their extra fields, for {@link getCsv} and {@link
 * getTsv}.
 */
export function getTableFields<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): [headings: string[], rows: CellValue[][]] {
  const fields = columns.flatMap((column) => [column, ...(column.fields ?? [])]);
  return [
    fields.map(({ header }) => header),
    rows.map((row) => fields.map(({ value }) => value(row))),
  ];
}

/** Returns the extra fields with the ends of an interval, named after the column, as a table may have several. */
export function makeIntervalFields<Row>(
  header: string,
  interval: (row: Row) => { lower: CellValue; upper: CellValue } | null | undefined,
): NonNullable<TableColumn<Row>['fields']> {
  return [
    { header: `${header} lower`, value: (row) => interval(row)?.lower },
    { header: `${header} upper`, value: (row) => interval(row)?.upper },
  ];
}
