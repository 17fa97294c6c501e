import { existsSync } from 'node:fs';
import { databaseFailure, missingDatabase, type ProblemError } from '#server/errors.ts';
import type { Database } from './database.ts';
import type { DatabaseConnections } from './dialect.ts';
import { asReplaced } from './dialects/sqlite-file.ts';
import { openSqlite, unopenedSqlite } from './dialects/sqlite-open.ts';
import { initialise, type InitialiseOptions } from './initialise.ts';
import { assertAdmissible } from './ownership.ts';
import type { StartUpError } from './start-up-error.ts';
import { describeDatabase, type DatabaseUrl, type SqliteUrl } from './url.ts';

export interface OpenOptions extends InitialiseOptions {
  /** Open read-only. */
  readOnly?: boolean | undefined;
  /** Maximum number of connections, for PostgreSQL only; default 10. */
  maximumConnections?: number | undefined;
  /** How long a statement waits for a table that another program has locked, for PostgreSQL only. */
  lockTimeoutMillis?: number | undefined;
  /** Cancels the opening on PostgreSQL: it rejects, with nothing left open. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens a database and ensures that the 13 tables and 16 indexes exist (see {@link initialise}); if they exist, nothing
 * is written and no lock taken. Throws a {@link StartUpError} with a sentence for the user if that fails; then nothing
 * has changed and nothing stays open.
 */
export async function openDatabase(url: DatabaseUrl, options: OpenOptions = {}): Promise<Database> {
  try {
    return await open(url, options);
  } catch (error) {
    throw url.dialect === 'sqlite' ? asReplaced(error, url) : error;
  }
}

async function open(url: DatabaseUrl, options: OpenOptions): Promise<Database> {
  const connections = await connect(url, options);
  const breakOff = () => connections.breakOff();
  options.signal?.addEventListener('abort', breakOff);
  try {
    options.signal?.throwIfAborted();
    const { ertColumn } = await initialise(connections, url, options);
    return databaseOf(connections, url, ertColumn);
  } catch (error) {
    await connections.close();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', breakOff);
  }
}

async function connect(url: DatabaseUrl, options: OpenOptions): Promise<DatabaseConnections> {
  const readOnly = options.readOnly ?? false;
  if (url.dialect === 'sqlite') {
    return openSqlite(url, {
      readOnly,
      existing: options.existing === true || options.create === false,
      notify: options.notify ?? (() => {}),
      admit: (state) => assertAdmissible(state, describeDatabase(url), options),
    });
  }
  // Loaded on demand: each thread that loads the PostgreSQL client keeps it in memory.
  const { openPostgres } = await import('./dialects/postgres-open.ts');
  return openPostgres(url, { ...options, readOnly });
}

/**
 * Returns a SQLite file that a thread has prepared, for a service whose threads alone use it: it is not opened here.
 */
export function unopenedDatabase(
  url: SqliteUrl,
  { readOnly, ertColumn }: Pick<Database, 'readOnly' | 'ertColumn'>,
): Database {
  return databaseOf(unopenedSqlite(url, readOnly), url, ertColumn);
}

function databaseOf(
  connections: DatabaseConnections,
  url: DatabaseUrl,
  ertColumn: string,
): Database {
  return {
    kysely: connections.kysely,
    dialect: connections.dialect,
    readOnly: connections.readOnly,
    neverWrites: connections.neverWrites,
    access: () => connections.access(),
    name: connections.name,
    schema: connections.schema,
    ertColumn,
    file: url.dialect === 'sqlite' && url.file !== ':memory:' ? url.file : null,
    source: url,
    isCurrent: connections.isCurrent,
    breakOff: () => connections.breakOff(),
    close: () => connections.close(),
  };
}

/** Returns the error of a request to a database that was open and cannot be opened again. */
export function openingFailure(error: StartUpError, source: DatabaseUrl): ProblemError {
  if (source.dialect === 'sqlite' && !existsSync(source.file)) return missingDatabase(source.file);
  const explanation = error.kind === 'forbidden' ? error.message : undefined;
  return databaseFailure(error.kind, { explanation });
}
