import type { Request } from 'express';
import type { Endpoint } from '#shared/api.ts';
import { formatQuery, tableNamesOf } from '#shared/schemas/format.ts';
import { readQuery } from './validation.ts';

/**
 * Makes the function that tells which table of an endpoint's answer a request wants as CSV: by `format` in its query,
 * else where its `Accept` names `text/csv` and likes JSON less. Undefined when it wants JSON, as all do that name
 * neither, or there are no tables. It throws VALIDATION_FAILED for a format or a table that there is not.
 */
export function csvReader({ csv }: Endpoint): (request: Request) => { table: string } | undefined {
  if (csv === undefined) return () => undefined;
  const schema = formatQuery(csv);
  const [firstTable] = tableNamesOf(csv);
  return (request) => {
    const asked = readQuery(schema, request.url) as { format?: string; table?: string };
    const isCsv = asked.format === undefined ? prefersCsv(request) : asked.format === 'csv';
    return isCsv ? { table: asked.table ?? firstTable } : undefined;
  };
}

function prefersCsv(request: Request): boolean {
  const isNamed = /\btext\/csv\b/i.test(request.headers.accept ?? '');
  return isNamed && request.accepts('application/json', 'text/csv') === 'text/csv';
}

/** What the headers of CSV say: a file, named after the end of its address and the table, if there are several. */
export function csvHeaders({ path, csv = {} }: Endpoint, table: string): Record<string, string> {
  const last = path.split('/').findLast((part) => !part.startsWith('{'));
  const name = tableNamesOf(csv).length > 1 ? `${last}-${table}` : last;
  return {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
  };
}
