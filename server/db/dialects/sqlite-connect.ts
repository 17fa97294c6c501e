import { readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { LostLogError, StartUpError } from '../start-up-error.ts';
import type { SqliteUrl } from '../url.ts';
import { busyTimeoutMillis, sqliteCode, type SqliteHandle } from './sqlite-driver.ts';
import {
  filesAt,
  identityOf,
  isCurrent,
  isSameFile,
  realPathOf,
  rememberFileAlone,
  rememberFiles,
  type DatabaseFiles,
} from './sqlite-files.ts';

// The library reads this once, when it loads its binary at the first opening. Without it no `file:` URI works; other
// paths are not affected.
process.env['SQLITE_USE_URI'] = '1';

/**
 * How a file is opened. `immutable` takes no lock and ignores the log; `unlocked` takes no lock and fails with
 * SQLITE_CANTOPEN at the first read of a file with a write-ahead log. Both only read.
 */
export type Access = 'write' | 'read' | 'immutable' | 'unlocked';

/** The part of a URL that names the file. */
export type FilePlace = Pick<SqliteUrl, 'file' | 'noLinks'>;

const parameters: Partial<Record<Access, string>> = {
  immutable: '?immutable=1',
  unlocked: '?nolock=1',
};

/** Number of attempts to open a file that another process moves or replaces meanwhile. */
const attempts = 5;

/**
 * Opens a connection to a database file. The service opens connections only here: a process loses all its POSIX locks
 * on a file when it closes any descriptor of that file, and only SQLite delays such a close until its connections have
 * no locks left (https://www.sqlite.org/howtocorrupt.html, 2.2). Code that reads a database file through `node:fs`
 * would therefore unlock it for all threads. Close the connection with {@link closeFile}. Throws the errors of SQLite;
 * a {@link LostLogError} while the process has connections to files that another program has replaced; and, for a path
 * without links, a {@link StartUpError} if the path contains a link or another file replaces it during the opening.
 */
export function connectFile(place: FilePlace, access: Access, mayMake = false): SqliteHandle {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const handle = connectExactly(place, access, mayMake);
    if (handle !== undefined) return handle;
  }
  if (!place.noLinks) throw new LostLogError(place.file);
  throw new StartUpError(
    `The database file ${place.file} was moved or replaced while it was opened`,
  );
}

/** Returns a connection to exactly the files at the path; undefined if other files replaced them meanwhile. */
function connectExactly(
  place: FilePlace,
  access: Access,
  mayMake: boolean,
): SqliteHandle | undefined {
  const { file } = place;
  if (place.noLinks) assertNoLinks(file);
  const before = filesAt(file);
  const isExact = place.noLinks ? watchPath(file, before) : () => true;
  const handle = connect(file, access, mayMake && !place.noLinks);
  if (handle.memory) return handle;
  try {
    if (isExact(handle) && openLog(handle, file, access, before) && isExact(handle)) return handle;
  } catch (error) {
    const code = sqliteCode(error) ?? '';
    // A connection that reads a log with the index of another log reads nonsense.
    const isNonsense = /^SQLITE_(CORRUPT|NOTADB|IOERR|PROTOCOL|ERROR)/.test(code);
    const isShort = code === 'SQLITE_IOERR_SHORT_READ';
    const isOfFile = !isNonsense || (!isShort && rememberFiles(handle, file, before));
    closeWithoutCheckpoint(handle);
    if (isOfFile) throw error;
    return undefined;
  }
  closeWithoutCheckpoint(handle);
  return undefined;
}

function connect(file: string, access: Access, mayMake: boolean): SqliteHandle {
  const query = parameters[access];
  return new SqliteDatabase(query === undefined ? file : pathToFileURL(file).href + query, {
    readonly: access !== 'write',
    timeout: busyTimeoutMillis,
    fileMustExist: !mayMake,
  });
}

/**
 * Reads the catalogue, at which SQLite opens the log; returns false if the log or the file is not the one at the path.
 */
function openLog(
  handle: SqliteHandle,
  file: string,
  access: Access,
  before: DatabaseFiles,
): boolean {
  if (access === 'immutable' || access === 'unlocked') {
    rememberFileAlone(handle, file);
    return true;
  }
  readCatalogue(handle);
  return rememberFiles(handle, file, before);
}

/**
 * Records the files of a connection that has just switched its file to a write-ahead log, or follows another connection
 * that has. Throws a {@link LostLogError} if another program has replaced them meanwhile.
 */
export function rememberNewLog(handle: SqliteHandle): void {
  const before = filesAt(handle.name);
  readCatalogue(handle);
  if (!rememberFiles(handle, handle.name, before)) throw new LostLogError(handle.name);
}

/**
 * Closes a connection. The last connection to a file that can write copies its log into the file and deletes the log at
 * the path. It must not do this if that is another log, with commits of other programs.
 */
export function closeFile(handle: SqliteHandle): void {
  if (!handle.open || isCurrent(handle)) handle.close();
  else closeWithoutCheckpoint(handle);
}

/**
 * Closes a connection while another one of this process, which only reads, holds SQLite's SHARED lock on the file.
 * SQLite then leaves file and log unchanged, because it cannot get an exclusive lock.
 */
function closeWithoutCheckpoint(handle: SqliteHandle): void {
  const keeper = handle.readonly ? undefined : keepShared(openedPath(handle));
  handle.close();
  keeper?.close();
}

/** Returns a read-only connection that holds the SHARED lock on a file; undefined if the file cannot be opened. */
function keepShared(file: string | undefined): SqliteHandle | undefined {
  let keeper: SqliteHandle | undefined;
  try {
    keeper = file === undefined ? undefined : connect(file, 'read', false);
    keeper?.pragma('busy_timeout = 0');
    if (keeper) readCatalogue(keeper);
  } catch {
    // The result may be nonsense. The lock remains until the connection is closed.
  }
  return keeper;
}

/** Returns a function that tests whether a later connection has exactly the file at a path without links open. */
function watchPath(file: string, before: DatabaseFiles): (handle: SqliteHandle) => boolean {
  const earlier = descriptorsLike(file);
  return (handle) =>
    openedPath(handle) === file &&
    isSameFile(identityOf(file), before[0]) &&
    [...descriptorsLike(file)].every((one) => earlier.has(one) || isAtPath(one, file));
}

/** Returns the path of the file of a connection with the links that SQLite followed; does not read the file. */
function openedPath(handle: SqliteHandle): string | undefined {
  const [main] = handle.pragma('database_list') as { file: string }[];
  return main?.file;
}

/** Reads the catalogue and takes the necessary locks. */
export function readCatalogue(handle: SqliteHandle): void {
  handle.prepare('select count(*) from sqlite_schema').get();
}

/** Throws a {@link StartUpError} if the path of a file contains a link, or the file is missing. */
function assertNoLinks(file: string): void {
  const real = realPathOf(file);
  if (real === undefined) throw new StartUpError(`The database file ${file} does not exist`);
  if (real === file) return;
  throw new StartUpError(`The path of the database file ${file} now leads through a link`);
}

/** The name endings of the files that SQLite keeps open for one database. */
const ends = ['', '-wal', '-shm'];

/**
 * Returns the open descriptors of this process whose files have the name of a database or its log, in any folder, as
 * `number path`. Linux only, where /proc shows the file of a descriptor: a folder of the path may be replaced by a link
 * while SQLite opens the file. Empty on other systems.
 */
function descriptorsLike(file: string): Set<string> {
  const names = new Set(ends.map((end) => basename(file) + end));
  const found = new Set<string>();
  for (const descriptor of process.platform === 'linux' ? readdirSync('/proc/self/fd') : []) {
    const path = targetOf(descriptor);
    if (names.has(basename(path))) found.add(`${descriptor} ${path}`);
  }
  return found;
}

/** Returns the file of a descriptor; empty if it was closed meanwhile. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`).replace(/ \(deleted\)$/, '');
  } catch {
    return '';
  }
}

function isAtPath(descriptor: string, file: string): boolean {
  return ends.some((end) => descriptor.endsWith(` ${file}${end}`));
}
