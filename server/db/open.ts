import type { DatabaseConnections } from './dialect.ts';
import { openPostgres } from './dialects/postgres-open.ts';
import { openSqlite } from './dialects/sqlite-open.ts';
import { initialise, type InitialiseOptions } from './initialise.ts';
import type { DatabaseUrl } from './url.ts';

/** A database with the runner's tables, ready to be asked. */
export interface OpenDatabase extends Omit<DatabaseConnections, 'adopt' | 'structure'> {
  /** The column of `coco_aggregates` with the runner's own ERT: `svc_ert` in a new database. */
  readonly ertColumn: string;
  /** What it was opened with: a thread of its own opens the same database with it. May hold a password. */
  readonly source: DatabaseUrl;
}

export interface OpenOptions extends InitialiseOptions {
  /** Open without the possibility to write. */
  readOnly?: boolean | undefined;
  /** Most connections to hold at the same time; matters for PostgreSQL only, default 10. */
  maximumConnections?: number | undefined;
}

/**
 * Opens a database and sees that the 13 tables and 16 indexes are there (see {@link initialise}); where they
 * are, nothing is written and no lock taken. Throws a {@link StartUpError} with a sentence for the user when
 * that is not possible; then nothing has changed and nothing stays open.
 */
export async function openDatabase(
  url: DatabaseUrl,
  options: OpenOptions = {},
): Promise<OpenDatabase> {
  const readOnly = options.readOnly ?? false;
  const connections =
    url.dialect === 'sqlite'
      ? openSqlite(url, readOnly, options.notify ?? (() => {}))
      : await openPostgres(url, readOnly, options.maximumConnections);
  try {
    const { ertColumn } = await initialise(connections, url, options);
    return {
      kysely: connections.kysely,
      dialect: connections.dialect,
      readOnly: connections.readOnly,
      name: connections.name,
      schema: connections.schema,
      ertColumn,
      source: url,
      close: () => connections.close(),
    };
  } catch (error) {
    await connections.close();
    throw error;
  }
}
