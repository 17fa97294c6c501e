import type { EndpointName } from '#shared/addresses.ts';
import { useExhibit } from '#renderer/state/exhibits.ts';
import { callTable, type CallOptions } from './client.ts';

/** A table of an answer as it goes into an archive. */
export interface ArchivedTable {
  /** As the service calls it. */
  table: string;
  /** Names its file; `table` unless given. */
  id?: string;
  title: string;
}

/**
 * Puts tables of an endpoint's answer into the archive of the page while the calling component lives: as the service
 * writes them in CSV, with the arguments in force when the archive is made; none while these are undefined.
 */
export function useTableExhibits<Name extends EndpointName>(
  name: Name,
  tables: readonly ArchivedTable[],
  options: () => CallOptions<Name> | undefined,
  caption: () => string,
): void {
  for (const { table, id = table, title } of tables) {
    useExhibit(() => {
      const asked = options();
      if (asked === undefined) return undefined;
      return {
        kind: 'table',
        id,
        title,
        caption: caption(),
        files: async () => [{ ending: 'csv', content: await callTable(name, table, asked) }],
      };
    });
  }
}
