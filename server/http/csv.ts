import type { Request } from 'express';
import type { Endpoint } from '#shared/api.ts';
import { formatQuery, tableNamesOf } from '#shared/schemas/format.ts';
import { readQuery } from './validation.ts';

/**
 * Returns a function that reads which CSV table of an endpoint a request selects: by `format` in its query, else by
 * `Accept` if it prefers `text/csv` to JSON. The function returns undefined for JSON, which is the default, and throws
 * VALIDATION_FAILED for an unknown format or table.
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

/**
 * Returns the headers of CSV: a file name made of the last part of the address and, if there are several, the table.
 */
export function csvHeaders({ path, csv = {} }: Endpoint, table: string): Record<string, string> {
  const last = path.split('/').findLast((part) => !part.startsWith('{'));
  const name = tableNamesOf(csv).length > 1 ? `${last}-${table}` : last;
  return {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
  };
}
