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

// The library reads this once, when it loads its binary at the first opening; without it no `file:` URI
// works, and with it paths that do not begin with `file:` mean what they meant.
process.env['SQLITE_USE_URI'] = '1';

/**
 * How a file is opened. `immutable` takes no lock and ignores the log; `unlocked` takes no lock and fails with
 * SQLITE_CANTOPEN at the first read of a file with a write-ahead log. Both only read.
 */
export type Access = 'write' | 'read' | 'immutable' | 'unlocked';

/** The part of a URL that says where the file is. */
export type FilePlace = Pick<SqliteUrl, 'file' | 'noLinks'>;

const parameters: Partial<Record<Access, string>> = {
  immutable: '?immutable=1',
  unlocked: '?nolock=1',
};

/** How often a file that another process moves or replaces during the opening is tried. */
const attempts = 5;

/**
 * Opens a connection to a database file. This is the only way in which the service opens one: a process loses all its
 * POSIX locks on a file when it closes any descriptor of that file, and only SQLite delays such a close until its
 * connections have no locks left (https://www.sqlite.org/howtocorrupt.html, 2.2). Code that reads a database file through
 * `node:fs` would therefore unlock it for all threads. Close it by {@link closeFile}. Throws what SQLite throws; a
 * {@link LostLogError} while the process has connections to files that another program has replaced; and for a place
 * without links a {@link StartUpError} when its path leads through a link or another file takes its place during the opening.
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

/** A connection that has exactly the files at the path open; undefined when others took their place meanwhile. */
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
    // What a connection finds in a log by the index of another one is nonsense, if it finds anything.
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

/** Reads the catalogue, at which SQLite opens the log; false when the log, or the file, is not the one at the path. */
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
 * Remembers the files of a connection that has just switched its file to a write-ahead log, or follows another that has.
 * Throws a {@link LostLogError} when another program has replaced them meanwhile.
 */
export function rememberNewLog(handle: SqliteHandle): void {
  const before = filesAt(handle.name);
  readCatalogue(handle);
  if (!rememberFiles(handle, handle.name, before)) throw new LostLogError(handle.name);
}

/**
 * Closes a connection. The last connection to a file that can write copies its log into the file and deletes the log at the
 * path. It must not when the log there is another one, with what other programs have committed meanwhile.
 */
export function closeFile(handle: SqliteHandle): void {
  if (!handle.open || isCurrent(handle)) handle.close();
  else closeWithoutCheckpoint(handle);
}

/**
 * Closes a connection while another one of this process, which only reads, holds SQLite's SHARED lock on the file: the one to
 * close cannot lock it for itself alone then, without which SQLite leaves file and log as they are.
 */
function closeWithoutCheckpoint(handle: SqliteHandle): void {
  const keeper = handle.readonly ? undefined : keepShared(openedPath(handle));
  handle.close();
  keeper?.close();
}

/** A connection that only reads and holds the SHARED lock on a file; undefined when the file cannot be opened. */
function keepShared(file: string | undefined): SqliteHandle | undefined {
  let keeper: SqliteHandle | undefined;
  try {
    keeper = file === undefined ? undefined : connect(file, 'read', false);
    keeper?.pragma('busy_timeout = 0');
    if (keeper) readCatalogue(keeper);
  } catch {
    // What it reads may be nonsense. The lock remains until it is closed.
  }
  return keeper;
}

/** Returns a function that tests whether a connection, opened since, has exactly the file at a path without links open. */
function watchPath(file: string, before: DatabaseFiles): (handle: SqliteHandle) => boolean {
  const earlier = descriptorsLike(file);
  return (handle) =>
    openedPath(handle) === file &&
    isSameFile(identityOf(file), before[0]) &&
    [...descriptorsLike(file)].every((one) => earlier.has(one) || isAtPath(one, file));
}

/** The path of the file of a connection with the links that SQLite followed; does not read the file. */
function openedPath(handle: SqliteHandle): string | undefined {
  const [main] = handle.pragma('database_list') as { file: string }[];
  return main?.file;
}

/** Reads the catalogue, with the locks that this takes. */
export function readCatalogue(handle: SqliteHandle): void {
  handle.prepare('select count(*) from sqlite_schema').get();
}

/** Throws a {@link StartUpError} when the path of a file leads through a link, or the file is missing. */
function assertNoLinks(file: string): void {
  const real = realPathOf(file);
  if (real === undefined) throw new StartUpError(`The database file ${file} does not exist`);
  if (real === file) return;
  throw new StartUpError(`The path of the database file ${file} now leads through a link`);
}

/** The ends of the names of the files that SQLite keeps open for one database. */
const ends = ['', '-wal', '-shm'];

/**
 * The open descriptors of this process whose files have the name of a database or of its log, in any folder, as
 * `number path`. Linux only, where /proc shows which file a descriptor really has: a folder of the path may be swapped
 * for a link just while SQLite opens the file. Empty on other systems.
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

/** The file of a descriptor; empty when it was closed meanwhile. */
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
