import * as z from 'zod';
import { makeWordFilter } from './common.ts';

/**
 * The CSV and Parquet tables of a response by name; the first is the default. Each value is the path of keys from the
 * response to the rows of the table. A path continues through each item of a list, and the plain fields of the item
 * become columns. `{name}` passes through each value of an object and adds the key of the value as a column `name`.
 */
export type CsvTables = Readonly<Record<string, readonly string[]>>;

/** Returns the names of the tables in their order, at least one: the first is the default. */
export function getTableNames(tables: CsvTables): [string, ...string[]] {
  return Object.keys(tables) as [string, ...string[]];
}

/** Returns the query parameter `format` and, if there are several tables, the parameter `table`. */
export function makeFormatQuery(tables: CsvTables) {
  const names = getTableNames(tables);
  const format = makeWordFilter(['json', 'csv', 'parquet']).describe(
    'Replaces the header `Accept`, which can select `text/csv`: `csv` and `parquet` return a table. The table of a list contains ' +
      'the whole list and ignores `page` and `size`',
  );
  const table = makeWordFilter(names).describe(
    `Table of CSV or Parquet; ignored for JSON. Default: \`${names[0]}\``,
  );
  return z.object({ format, ...(names.length > 1 && { table }) });
}
