import { existsSync, statSync } from 'node:fs';
import {
  getFileIdentity,
  toReplacedError,
  assertFile,
  isFileWritable,
} from './dialects/sqlite-file.ts';
import { inspectFile, countSqlite, inspectSqlite } from './dialects/sqlite-inspect.ts';
import { isLegacy, findMissingTable, type SchemaState } from './ownership.ts';
import type { DatabaseUrl, PostgresUrl, SqliteUrl } from './url.ts';

/** Numbers of rows in the tables of an old or current runner. */
export interface Counts {
  /** Number of experiments; null if one of the 13 tables is missing, as in tables of an old runner. */
  experiments: number | null;
  runs: number;
}

/** Result of inspecting a URL. */
export interface DatabaseInspection {
  /** The tables; null for a missing or empty file. */
  state: SchemaState | null;
  isMissing: boolean;
  /** The identity of the database; see {@link DatabaseDialect.readIdentity}. */
  identity: string;
  /**
   * Whether the service can only read the database, because of its URL, permissions or server; false for a missing
   * file.
   */
  isReadOnly: boolean;
  /**
   * Numbers of rows; null if the database has neither all tables of a current runner nor the table `runs` of an old
   * one, or if the user lacks the privilege to read one of our tables.
   */
  counts: Counts | null;
}

/**
 * Inspects a database without changing it. For SQLite, it changes no byte of the file and creates no file next to it.
 * Exception: for a file above 256 MiB, SQLite may create the index of the log. Throws the {@link StartUpError}s of
 * {@link assertFile}, {@link inspectFile} and `openPostgres`, and the error that {@link toReplacedError} returns. Other
 * errors of the driver are unchanged.
 */
export function inspectDatabase(url: DatabaseUrl): Promise<DatabaseInspection> {
  if (url.dialect === 'postgres') return inspectServer(url);
  return inspectSqliteFile(url).catch((error: unknown) => {
    throw toReplacedError(error, url);
  });
}

async function inspectSqliteFile(url: SqliteUrl): Promise<DatabaseInspection> {
  assertFile(url, false, false);
  // Reads the identity first. If another file replaces this one meanwhile, the result must not allow changes to the new
  // file.
  const identity = getFileIdentity(url.file);
  const isMissing = !existsSync(url.file);
  const isReadOnly = !isMissing && isOpenedReadOnly(url);
  if (isMissing || statSync(url.file).size === 0)
    return { state: null, isMissing, identity, isReadOnly, counts: null };
  return inspectFile(url, (handle) => {
    const state = inspectSqlite(handle);
    const tablesToCount = getTablesToCount(state);
    return {
      state,
      isMissing,
      identity,
      isReadOnly,
      counts: tablesToCount && countSqlite(handle, tablesToCount),
    };
  });
}

/**
 * Returns whether the mode, `isImmutable`, or missing permissions to write the file or its folder make the service open
 * this file read-only.
 */
export function isOpenedReadOnly({ file, mode, isImmutable }: SqliteUrl): boolean {
  return mode === 'ro' || isImmutable || !isFileWritable(file);
}

async function inspectServer(url: PostgresUrl): Promise<DatabaseInspection> {
  const { openPostgres } = await import('./dialects/postgres-open.ts');
  const connections = await openPostgres(url, { isReadOnly: false, maximumConnections: 1 });
  const { kysely, structure } = connections;
  const count = async (table: 'experiments' | 'runs') => {
    const countQuery = kysely.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('rows'));
    return (await countQuery.executeTakeFirst())?.rows ?? 0;
  };
  try {
    const state = await structure.inspect();
    const tables = state.unreadableTables.length === 0 ? getTablesToCount(state) : null;
    const experiments = tables?.hasExperiments ? await count('experiments') : null;
    const counts = tables && { experiments, runs: await count('runs') };
    const identity = await connections.dialect.readIdentity();
    return { state, isMissing: false, identity, isReadOnly: connections.isReadOnly, counts };
  } finally {
    await connections.close();
  }
}

/**
 * Returns the tables to count: runs, and experiments if all tables of a current runner exist. Returns null if neither
 * all these tables nor the table `runs` of an old runner exist.
 */
function getTablesToCount(state: SchemaState): { hasExperiments: boolean } | null {
  const hasAllTables = findMissingTable(state) === undefined;
  if (!hasAllTables && !isLegacy(state)) return null;
  return { hasExperiments: hasAllTables };
}
