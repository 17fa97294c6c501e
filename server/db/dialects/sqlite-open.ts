import SqliteDatabase from 'better-sqlite3';
import type {
  DatabaseStructure,
  AuxiliaryIndex,
  DatabaseConnections,
  IndexOutcome,
} from '#server/db/dialect.ts';
import type { SchemaState } from '#server/db/ownership.ts';
import type { SqliteUrl } from '#server/db/url.ts';
import type { Tables } from '#server/db/schema.ts';
import { Kysely, sql } from 'kysely';
import { StartUpError } from '#server/db/start-up-error.ts';
import {
  makeUnopenableError,
  toStartUpError,
  assertFile,
  isFileWritable,
  memory,
  reserveFile,
  closeFile,
  connectFile,
  readSchemaTable,
  recordNewLog,
  type AccessMode,
  getFileIdentity,
  isCurrent,
  resolveFile,
  busyTimeoutMillis,
  type SqliteHandle,
  isBusy,
  getSqliteCode,
} from './sqlite-file.ts';
import { inspectFile, inspectSqlite } from './sqlite-inspect.ts';
import { basename } from 'node:path';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import {
  isWrittenByOthers,
  recordOwnWrite,
  write,
  createSqliteKyselyDialect,
} from './sqlite-driver.ts';
import { createSqliteIndex } from './sqlite-index-build.ts';
import { missingIdentity, makeReplacedError, hashIdentity } from '#server/db/identity.ts';
import { createSqliteDialect } from './sqlite.ts';
import { createSqliteDocuments } from './sqlite-documents.ts';

/** Returns functions that inspect, create and replace tables in SQLite; see {@link DatabaseStructure}. */
export function createSqliteStructure(
  getReader: () => SqliteHandle,
  getWriter: () => SqliteHandle,
  file: string,
): DatabaseStructure {
  return {
    columnTypes: { id: 'INTEGER PRIMARY KEY AUTOINCREMENT', double: 'DOUBLE' },
    inspect: async () => inspectSqlite(getReader()),
    createTables: async (statements, identity) =>
      executeAll(getWriter(), statements, () => requireIdentity(file, identity)),
    replaceTables: async (isNeeded, timestamp, statements, identity) => {
      const handle = getWriter();
      const copy = `${file}.legacy-${timestamp}.db`;
      // Another process may replace the tables at the same time. The copy therefore gets its final name only under the
      // write lock.
      const temporaryCopy = `${copy}.${process.pid}`;
      const isStillNeeded = () => isNeeded(inspectSqlite(handle));
      try {
        const version = readDataVersion(handle);
        const tables = [...inspectSqlite(handle).columns.keys()];
        if (!isStillNeeded() || !backUp(handle, tables, temporaryCopy, isStillNeeded))
          return undefined;
        // With foreign keys on, DROP TABLE first deletes the rows. This fails or cascades if rows of other tables refer
        // to them.
        handle.pragma('foreign_keys = off');
        return write(handle, () => {
          requireIdentity(file, identity);
          if (readDataVersion(handle) !== version) {
            if (isStillNeeded()) throw makeChangedError(file);
            return undefined;
          }
          if (existsSync(copy)) throw makeNoBackupError(`${copy} exists`);
          renameSync(temporaryCopy, copy);
          for (const table of tables) handle.exec(`drop table ${table}`);
          for (const statement of statements) handle.exec(statement);
          return copy;
        });
      } finally {
        handle.pragma('foreign_keys = on');
        rmSync(temporaryCopy, { force: true });
      }
    },
  };
}

/**
 * Throws DATABASE_CHANGED if the file at the path has another identity. Does nothing if `identity` is undefined or
 * {@link missingIdentity}.
 */
function requireIdentity(file: string, identity: string | undefined): void {
  if (identity === undefined || identity === missingIdentity) return;
  if (getFileIdentity(file) !== identity) throw makeReplacedError();
}

function executeAll(
  handle: SqliteHandle,
  statements: readonly string[],
  requireSameFile: () => void,
): void {
  write(handle, () => {
    requireSameFile();
    for (const statement of statements) handle.exec(statement);
  });
}

function makeChangedError(file: string): StartUpError {
  return new StartUpError(
    `Another program wrote to ${file} while the service copied it, so the service changed nothing. Try again`,
  );
}

/** Returns a number that differs after a write of another connection. */
function readDataVersion(handle: SqliteHandle): unknown {
  return handle.pragma('data_version', { simple: true });
}

/**
 * Creates a verified copy of the whole file and returns true. If the copy fails, returns false if another process has
 * replaced the tables meanwhile, and throws a {@link StartUpError} otherwise.
 */
function backUp(
  handle: SqliteHandle,
  tables: readonly string[],
  copy: string,
  isStillNeeded: () => boolean,
): boolean {
  try {
    handle.prepare('vacuum into ?').run(copy);
    const counts = tables.map((table) => countRows(handle, table));
    verify(copy, tables, counts);
    makeDurable(copy);
    return true;
  } catch (error) {
    if (!isStillNeeded()) return false;
    throw makeNoBackupError(error instanceof Error ? error.message : String(error));
  }
}

/** Syncs the copy to the disk, because the caller then deletes the tables. */
function makeDurable(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function makeNoBackupError(reason: string): StartUpError {
  return new StartUpError(
    `The tables belong to an old version of the runner, and the service cannot back them up (${reason}), so it changed nothing. Correct this, then try again`,
  );
}

function countRows(handle: SqliteHandle, table: string): unknown {
  return handle.prepare(`select count(*) from "${table}"`).pluck().get();
}

function verify(copy: string, tables: readonly string[], counts: readonly unknown[]): void {
  const handle = new SqliteDatabase(copy, { readonly: true, timeout: busyTimeoutMillis });
  try {
    const result = handle.pragma('integrity_check', { simple: true });
    if (result !== 'ok') throw new Error(`the copy is damaged: ${String(result)}`);
    tables.forEach((table, index) => {
      if (countRows(handle, table) !== counts[index]) {
        throw new Error(`the copy of ${table} is not complete`);
      }
    });
  } finally {
    handle.close();
  }
}

/** Maximum duration of switching to the write-ahead log while other programs use the file. */
const switchMillis = 2_000;

/**
 * Size of the cache of each connection to an open database. The cache is small, because threads have several
 * connections, and the system caches the pages of the file too.
 */
const cacheKibibytes = 2_048;

/** Options for opening a SQLite database. */
export interface SqliteOpenOptions {
  isReadOnly: boolean;
  /** Whether the file must exist, even if the URL allows its creation. */
  isExistenceRequired: boolean;
  notify: (message: string) => void;
  /**
   * Throws a {@link StartUpError}, before the service changes anything, if the content of the file forbids opening it.
   */
  admit: (state: SchemaState) => void;
}

/**
 * Opens a SQLite database with foreign keys, synchronous NORMAL and a busy timeout of 10 s. Only {@link
 * DatabaseConnections.applyPersistentSettings} switches the file to a write-ahead log. Opens a file read-only with
 * `isReadOnly`, with the mode `ro` or `isImmutable` of the URL, and if the permissions or the file system forbid
 * writing. Opens a WAL database in a read-only folder as immutable if no program has it open, and reopens it when it
 * changes. Before opening a file for writing, takes its write lock for a moment, without waiting, to check that the
 * file system allows writing. Throws the error of `admit`. Throws a {@link StartUpError} like {@link assertFile} and
 * {@link inspectFile}, and for a file that SQLite cannot open or create. Also throws it for a log or a journal that
 * SQLite cannot apply without write permission. Other errors of {@link reserveFile} and {@link connectFile} are
 * unchanged.
 */
export function openSqlite(
  url: SqliteUrl,
  { isReadOnly, isExistenceRequired, notify, admit }: SqliteOpenOptions,
): DatabaseConnections {
  const isNew = url.file !== memory && !existsSync(url.file);
  if (url.file !== memory) {
    assertFile(url, isReadOnly, isExistenceRequired);
    if (!isNew && statSync(url.file).size > 0) admit(inspectFile(url, inspectSqlite));
    // Without this file, SQLite would follow a link that another program creates meanwhile, and create the target of
    // the link.
    if (isNew && url.isRealPathRequired) reserveFile(url.file).release();
  }
  const access = url.file === memory ? 'write' : getAccess(url, isReadOnly);
  const firstHandle = openHandle(url, access);
  const handles = [firstHandle];
  const getReader = createReaderGetter(url, access, firstHandle, handles);
  const connections = connect(url, access, handles, getReader);
  if (isNew) notify(`Created a new database: ${url.file}`);
  return connections;
}

/**
 * Returns the connections to an existing file that only other threads read. Opens nothing, so this thread waits for no
 * lock. Reading through these connections throws an Error, and closing them does nothing.
 */
export function createUnopenedSqlite(url: SqliteUrl, isReadOnly: boolean): DatabaseConnections {
  const getReader = () => {
    throw new Error('This thread must not read the file');
  };
  return { ...connect(url, isReadOnly ? 'read' : 'write', [], getReader), close: async () => {} };
}

/**
 * Returns the connections to a database. `handles` contains the open handles; the connections add each handle that they
 * open later. `getReader` returns the handle for reading.
 */
function connect(
  url: SqliteUrl,
  access: AccessMode,
  handles: SqliteHandle[],
  getReader: () => SqliteHandle,
): DatabaseConnections {
  const kysely = new Kysely<Tables>({
    dialect: createSqliteKyselyDialect({ getHandle: getReader, isWriting: false }),
  });
  const openNewHandle = () => {
    const handle = openHandle(url, access);
    handles.push(handle);
    return handle;
  };
  let writingHandle: SqliteHandle | undefined;
  const getWritingHandle =
    url.file === memory ? getReader : createLazily(() => (writingHandle = openNewHandle()));
  const isWrittenByOtherProcesses = () => {
    if (url.file === memory) return false;
    // Only this connection can write during its transaction. SQLite may already have written a part of the transaction
    // to the log.
    if (writingHandle?.inTransaction === true) recordOwnWrite(url.file);
    return isWrittenByOthers(url.file);
  };
  const getSeparateWriter = createLazily(
    () =>
      new Kysely<Tables>({
        dialect: createSqliteKyselyDialect({ getHandle: getWritingHandle, isWriting: true }),
      }),
  );
  const getWriter = url.file === memory ? () => kysely : getSeparateWriter;
  const getWatcher = createLazily(openNewHandle);
  const origin = Math.random().toString(36).slice(2, 8);
  const readChangeCursor = () =>
    `${origin}-${readChangeCount(url.file, access, getReader, getWatcher)}`;
  return {
    kysely,
    dialect: createSqliteDialect({
      kysely,
      getWriter,
      getReader,
      readChangeCursor,
      isWrittenByOthers: isWrittenByOtherProcesses,
      readIdentity: () =>
        url.file === memory ? hashIdentity([memory, origin]) : getFileIdentity(url.file),
      documents: createSqliteDocuments(url),
      buildIndex: (index, signal) => buildIndex(url, kysely, index, signal),
    }),
    structure: createSqliteStructure(getReader, getWritingHandle, url.file),
    isReadOnly: access !== 'write',
    isOpenedReadOnly: access !== 'write',
    readAccess: async () => ({ isReadOnly: access !== 'write', reason: null }),
    closeImmediately: () => {},
    name: url.file === memory ? memory : basename(url.file),
    schema: 'main',
    applyPersistentSettings: async () => {
      if (access !== 'write' || url.file === memory) return;
      if (await useWriteAheadLog(getReader())) handles.forEach(recordNewLog);
    },
    isCurrent: () => handles.every(isCurrent),
    close: async () => handles.forEach(closeFile),
  };
}

async function buildIndex(
  url: SqliteUrl,
  kysely: Kysely<Tables>,
  index: AuxiliaryIndex,
  signal: AbortSignal,
): Promise<IndexOutcome> {
  if (url.file !== memory) return createSqliteIndex(url, index, () => signal.aborted);
  const { name, table, columns } = index;
  await sql`create index if not exists ${sql.ref(name)} on ${sql.table(table)}
    (${sql.raw(columns.join(', '))})`.execute(kysely);
  return { state: 'built', detail: 'in memory' };
}

function getAccess(url: SqliteUrl, isReadOnly: boolean): AccessMode {
  if (url.isImmutable) return 'immutable';
  const hasFile = existsSync(url.file);
  const canWrite = !hasFile || isFileWritable(url.file);
  const accesses: AccessMode[] =
    isReadOnly || url.mode === 'ro' || !canWrite
      ? ['read', 'immutable']
      : ['write', 'read', 'immutable'];
  for (const access of accesses) if (canOpen(url, access, !hasFile)) return access;
  if (hasContent(url.file, '-journal'))
    throw new StartUpError(
      `A program ended while it wrote to the database ${url.file}, and SQLite cannot undo its unfinished changes without write permission: open it once with write permission`,
    );
  if (!hasContent(url.file, '-wal')) throw makeUnopenableError(url.file);
  throw new StartUpError(
    `The database file ${url.file} has changes in its write-ahead log that SQLite cannot read without write permission: open it once with write permission`,
  );
}

function hasContent(file: string, suffix: '-wal' | '-journal'): boolean {
  return (statSync(`${resolveFile(file)}${suffix}`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function canOpen(url: SqliteUrl, access: AccessMode, canCreate = false): boolean {
  // An immutable connection ignores the log and the journal. It would miss commits, or read unfinished changes.
  if (access === 'immutable' && (hasContent(url.file, '-wal') || hasContent(url.file, '-journal')))
    return false;
  let handle: SqliteHandle | undefined;
  try {
    handle = openHandle(url, access, canCreate);
    readSchemaTable(handle);
    if (access === 'write') probeWriting(handle);
    return true;
  } catch (error) {
    if (/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/.test(getSqliteCode(error) ?? '')) return false;
    throw toStartUpError(error, url.file);
  } finally {
    if (handle) closeFile(handle);
  }
}

/**
 * Takes the write lock for a moment, because the file system may forbid writing although the permissions allow it. Does
 * nothing if another connection has the lock. Throws the other errors of SQLite.
 */
function probeWriting(handle: SqliteHandle): void {
  handle.pragma('busy_timeout = 0');
  try {
    handle.exec('begin immediate; rollback');
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

function openHandle(url: SqliteUrl, access: AccessMode, canCreate = false): SqliteHandle {
  const handle = connectFile(url, access, canCreate);
  handle.pragma(`cache_size = -${cacheKibibytes}`);
  handle.pragma('foreign_keys = on');
  // Views, triggers and defaults of the file must call only harmless functions.
  handle.pragma('trusted_schema = off');
  handle.pragma('synchronous = normal');
  return handle;
}

/**
 * Switches a file to a write-ahead log. Returns false if this fails for {@link switchMillis}, for example because other
 * programs use the file in another mode. Throws the errors of SQLite except SQLITE_BUSY.
 */
async function useWriteAheadLog(handle: SqliteHandle): Promise<boolean> {
  const deadline = performance.now() + switchMillis;
  while (!trySwitchToWriteAheadLog(handle)) {
    // Until the next start, the service uses the file in its current mode.
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

function trySwitchToWriteAheadLog(handle: SqliteHandle): boolean {
  if (handle.pragma('journal_mode', { simple: true }) === 'wal') return true;
  handle.pragma('busy_timeout = 0');
  try {
    return handle.pragma('journal_mode = wal', { simple: true }) === 'wal';
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    handle.pragma(`busy_timeout = ${busyTimeoutMillis}`);
  }
}

/**
 * Returns a function that returns the handle for reading. If the access is immutable but the URL does not require this,
 * the function replaces the handle after each change: if the modification time or the size of the file differs, or if
 * its log has appeared or disappeared. `handles` contains the handles to close at the end. The function adds its new
 * handle in place of its previous one, but leaves `firstHandle` in the list. While the file is missing, it throws
 * SQLITE_CANTOPEN, or a {@link StartUpError} if the path must contain no links.
 */
function createReaderGetter(
  url: SqliteUrl,
  access: AccessMode,
  firstHandle: SqliteHandle,
  handles: SqliteHandle[],
): () => SqliteHandle {
  let handle = firstHandle;
  if (access !== 'immutable' || url.isImmutable) return () => handle;
  let lastState: string | undefined = readFileState(url.file);
  return () => {
    const state = readFileState(url.file);
    if (state === lastState) return handle;
    closeFile(handle);
    lastState = undefined;
    const previousIndex = handles.indexOf(handle, 1);
    handle = openHandle(url, canOpen(url, 'read') ? 'read' : 'immutable');
    handles.splice(previousIndex === -1 ? handles.length : previousIndex, 1, handle);
    lastState = state;
    return handle;
  };
}

function readFileState(file: string): string {
  const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs}-${size}-${existsSync(`${resolveFile(file)}-wal`)}`;
}

function readChangeCount(
  file: string,
  access: AccessMode,
  getReader: () => SqliteHandle,
  getWatcher: () => SqliteHandle,
): string {
  if (file === memory) {
    return String(getReader().prepare('select total_changes()').pluck().get());
  }
  const handle = access === 'immutable' ? getReader() : getWatcher();
  const version = String(handle.pragma('data_version', { simple: true }));
  return access === 'immutable' ? `${readFileState(file)}-${version}` : version;
}

function createLazily<Value>(createValue: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= createValue());
}
