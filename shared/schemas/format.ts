import * as z from 'zod';
import { wordFilter } from './common.ts';

/**
 * The tables of an answer that can be asked for as CSV, by name, the first unless another is asked for. Each is the
 * way from the answer to its rows: keys, going through each item of a list and on with what else that item says as
 * columns; `{name}` goes through each value of an object, with its key in a column of this name.
 */
export type CsvTables = Readonly<Record<string, readonly string[]>>;

/** The names of a list of tables, never none. */
export function tableNamesOf(tables: CsvTables): [string, ...string[]] {
  return Object.keys(tables) as [string, ...string[]];
}

/** What an endpoint with tables takes in its query beside what is its own. */
export function formatQuery(tables: CsvTables) {
  const names = tableNamesOf(tables);
  const format = wordFilter(['json', 'csv']).describe(
    'In place of the header `Accept`: `csv` gives `text/csv`, of a list all of it, whatever `page` and `size` say',
  );
  const table = wordFilter(names).describe(`Which table as CSV; \`${names[0]}\` unless given`);
  return z.object({ format, ...(names.length > 1 && { table }) });
}
