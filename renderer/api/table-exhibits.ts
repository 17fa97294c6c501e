import type { EndpointName } from '#shared/addresses.ts';
import { useExhibit } from '#renderer/state/exhibits.ts';
import { callTable, type CallOptions, type QueryValue } from './client.ts';

/** A table of a response for the archive. */
export interface ArchivedTable {
  /** Its name in the service. */
  table: string;
  /** Name of its file; default `table`. */
  id?: string;
  title: string;
}

/**
 * Adds tables of an endpoint's response to the archive of the page while the calling component is mounted: as CSV of
 * the service, with the arguments at the time of the export; none while these are undefined.
 */
export function useTableExhibits<Name extends EndpointName>(
  name: Name,
  tables: readonly ArchivedTable[],
  options: () => CallOptions<Name> | undefined,
  caption: () => string,
): void {
  for (const { table, id = table, title } of tables) {
    useExhibit(() => {
      const current = options();
      if (current === undefined) return undefined;
      return {
        kind: 'table',
        id,
        title,
        caption: caption(),
        request: {
          endpoint: name,
          table,
          params: toTexts(current.params as object | undefined),
          query: toTexts(current.query),
        },
        files: async () => [{ ending: 'csv', content: await callTable(name, table, current) }],
      };
    });
  }
}

/** Returns the values as texts, lists as they are, without undefined and empty ones. */
function toTexts<Value>(values: object | undefined): Record<string, Value> {
  const texts = Object.entries<QueryValue>({ ...values }).flatMap(([name, value]) => {
    if (value === undefined || value === '') return [];
    return [[name, typeof value === 'object' ? value : String(value)] as const];
  });
  return Object.fromEntries(texts) as Record<string, Value>;
}
