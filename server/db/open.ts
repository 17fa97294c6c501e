import type { Database } from './database.ts';
import type { DatabaseConnections, DatabaseStructure } from './dialect.ts';
import { StartUpError } from './start-up-error.ts';
import { toReplacedError } from './dialects/sqlite-file.ts';
import {
  assertAdmissible,
  getErtColumn,
  isComplete,
  isLegacy,
  findMissingTable,
  type OwnershipOptions,
  type SchemaState,
} from './ownership.ts';
import {
  createIndexSql,
  createTableSql,
  indexDefinitions,
  newErtColumn,
  tableNames,
} from './tables.ts';
import { makeDatabaseFailure, makeMissingDatabaseError, ProblemError } from '#server/errors.ts';
import { describeDatabase, type DatabaseUrl, type SqliteUrl } from './url.ts';
import { existsSync } from 'node:fs';
import { openSqlite, createUnopenedSqlite } from './dialects/sqlite-open.ts';

/** Options for opening a database. */
export interface OpenOptions extends InitialiseOptions {
  /** Whether to open the database read-only. */
  isReadOnly?: boolean | undefined;
  /** Maximum number of connections, for PostgreSQL only; default 10. */
  maximumConnections?: number | undefined;
  /**
   * Maximum wait of a statement for a lock, for PostgreSQL only. Write transactions and the creation of tables have
   * their own timeouts.
   */
  lockTimeoutMillis?: number | undefined;
  /**
   * Cancels the opening, which then rejects with an error and closes all connections. For SQLite, the service checks
   * the signal only once, after opening the file and before creating a table.
   */
  signal?: AbortSignal | undefined;
}

/**
 * Opens a database with the 13 tables and, if the service may change it, the 16 indexes; see {@link initialise}. Throws
 * DATABASE_CHANGED if the service must create or replace tables and the database does not have the `identity` of the
 * options. Throws a {@link StartUpError} with a text for the user for other known failures, and unknown errors of the
 * driver unchanged. After an error, no connection stays open, and tables have changed only if the service could create
 * or replace all of them. If a SQLite file was missing, an empty file may remain.
 */
export async function openDatabase(url: DatabaseUrl, options: OpenOptions = {}): Promise<Database> {
  try {
    return await open(url, options);
  } catch (error) {
    if (url.dialect === 'sqlite') throw toReplacedError(error, url);
    const { toOpeningError } = await loadPostgres();
    throw toOpeningError(error, url);
  }
}

/** Loads the module on demand, because the PostgreSQL client stays in the memory of each thread that loads it. */
const loadPostgres = () => import('./dialects/postgres-open.ts');

async function open(url: DatabaseUrl, options: OpenOptions): Promise<Database> {
  const connections = await connect(url, options);
  const closeImmediately = () => connections.closeImmediately();
  options.signal?.addEventListener('abort', closeImmediately);
  try {
    options.signal?.throwIfAborted();
    const { ertColumn } = await initialise(connections, url, options);
    return getDatabase(connections, url, ertColumn);
  } catch (error) {
    await connections.close();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', closeImmediately);
  }
}

async function connect(url: DatabaseUrl, options: OpenOptions): Promise<DatabaseConnections> {
  const isReadOnly = options.isReadOnly ?? false;
  if (url.dialect === 'sqlite') {
    return openSqlite(url, {
      isReadOnly,
      isExistenceRequired: options.isExistenceRequired === true || options.canCreate === false,
      notify: options.notify ?? (() => {}),
      admit: (state) => assertAdmissible(state, describeDatabase(url), options),
    });
  }
  const { openPostgres } = await loadPostgres();
  return openPostgres(url, { ...options, isReadOnly });
}

/** Returns the database of a prepared SQLite file without opening it, because only other threads use the file. */
export function createUnopenedDatabase(
  url: SqliteUrl,
  { isReadOnly, ertColumn }: Pick<Database, 'isReadOnly' | 'ertColumn'>,
): Database {
  return getDatabase(createUnopenedSqlite(url, isReadOnly), url, ertColumn);
}

function getDatabase(
  connections: DatabaseConnections,
  url: DatabaseUrl,
  ertColumn: string,
): Database {
  return {
    kysely: connections.kysely,
    dialect: connections.dialect,
    isReadOnly: connections.isReadOnly,
    isOpenedReadOnly: connections.isOpenedReadOnly,
    readAccess: () => connections.readAccess(),
    name: connections.name,
    schema: connections.schema,
    ertColumn,
    file: url.dialect === 'sqlite' && url.file !== ':memory:' ? url.file : null,
    location: url,
    isCurrent: connections.isCurrent,
    closeImmediately: () => connections.closeImmediately(),
    close: () => connections.close(),
  };
}

/**
 * Returns the error of a request whose thread cannot open the database of the service. For a missing SQLite file, it is
 * the error of {@link makeMissingDatabaseError}. Otherwise it is the error for the kind of `error`, with the message of
 * `error` if the user must change something.
 */
export function toOpeningFailure(error: StartUpError, url: DatabaseUrl): ProblemError {
  if (url.dialect === 'sqlite' && !existsSync(url.file)) return makeMissingDatabaseError(url.file);
  const { kind, message } = error;
  if (kind === 'refused') return makeDatabaseFailure('unavailable', { explanation: message });
  return makeDatabaseFailure(kind, { explanation: kind === 'forbidden' ? message : undefined });
}

/** Options for creating and replacing tables. */
export interface InitialiseOptions extends OwnershipOptions {
  /** Receives messages for the user, for example about a created file or replaced tables. */
  notify?: ((message: string) => void) | undefined;
  /** The identity of the database in which the service may create or replace tables; undefined allows any database. */
  identity?: string | undefined;
}

const maximumAttempts = 3;

/**
 * Ensures that the runner's 13 tables and 16 indexes exist. Returns the name of the column of the runner's ERT. With
 * `isExistenceRequired`, or if the database is read-only, changes nothing, and indexes may be missing. If all tables of
 * version 3 and all indexes exist, only {@link DatabaseConnections.applyPersistentSettings} may write. Backs up and
 * replaces tables from before version 3 if {@link OwnershipOptions} allow it. Throws a {@link StartUpError} like {@link
 * assertAdmissible} and {@link DatabaseStructure.replaceTables}. Also throws it if creating missing tables fails, or if
 * the service may change nothing and a table is missing or from before version 3. Throws DATABASE_CHANGED like {@link
 * DatabaseStructure.createTables}. Other errors of the driver are unchanged. If creating or replacing tables fails, no
 * table has changed.
 */
export async function initialise(
  connections: DatabaseConnections,
  url: DatabaseUrl,
  options: InitialiseOptions,
): Promise<{ ertColumn: string }> {
  const database = describeDatabase(url);
  const { structure } = connections;
  const canChangeTables = !connections.isReadOnly && options.isExistenceRequired !== true;
  let state = await structure.inspect();
  assertAdmissible(state, database, options);
  if (!canChangeTables) {
    assertComplete(state, database, connections.isReadOnly);
  } else {
    if (isLegacy(state)) await replaceLegacyTables(structure, options);
    await connections.applyPersistentSettings();
    state = await structure.inspect();
    if (!isComplete(state)) {
      await createMissingTables(connections, database, options.identity);
      // A starting runner may have created the tables, with its own name of the ERT column.
      state = await structure.inspect();
    }
  }
  return { ertColumn: getErtColumn(state) ?? newErtColumn };
}

function assertComplete(state: SchemaState, database: string, isReadOnly: boolean): void {
  const condition = isReadOnly ? 'is read-only and' : 'exists, but';
  if (isLegacy(state)) {
    throw new StartUpError(
      `The database ${condition} its tables belong to an old version of the runner (${database}): open it with write permission to replace them after a backup`,
    );
  }
  const missingTable = findMissingTable(state);
  if (missingTable === undefined) return;
  throw new StartUpError(
    `The database ${condition} has no table "${missingTable}" (${database}): open it once with write permission`,
  );
}

/**
 * Creates the missing tables and indexes. Makes at most {@link maximumAttempts} attempts, because another process, such
 * as a starting runner, may create them at the same time. Throws DATABASE_CHANGED like {@link
 * DatabaseStructure.createTables}. Throws a {@link StartUpError} if the last attempt fails, or if the database is not
 * available.
 */
async function createMissingTables(
  { structure, dialect }: DatabaseConnections,
  database: string,
  identity: string | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await structure.createTables(listStatements(structure), identity);
      return;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      const isNowComplete = await structure.inspect().then(isComplete, () => false);
      if (isNowComplete) return;
      if (attempt < maximumAttempts && dialect.classifyFailure(error) !== 'unavailable') continue;
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartUpError(
        `The service cannot create the tables in ${database}: ${reason}. Correct this, or choose another database`,
      );
    }
  }
}

function listStatements({ columnTypes }: DatabaseStructure): string[] {
  return [
    ...tableNames.map((table) => createTableSql(table, columnTypes)),
    ...Object.keys(indexDefinitions).map(createIndexSql),
  ];
}

async function replaceLegacyTables(
  structure: DatabaseStructure,
  { notify, identity }: InitialiseOptions,
): Promise<void> {
  const timestamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const copy = await structure.replaceTables(
    isLegacy,
    timestamp,
    listStatements(structure),
    identity,
  );
  if (copy === undefined) return;
  notify?.(
    `The service backed up tables of an old version of the runner to ${copy} and replaced them`,
  );
}
