import { readdirSync, readlinkSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { StartUpError } from '../start-up-error.ts';
import type { SqliteUrl } from '../url.ts';
import { busyTimeoutMillis, type SqliteHandle } from './sqlite-driver.ts';

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
 * `node:fs` would therefore unlock it for all threads. Throws what SQLite throws, and for a place without
 * links a {@link StartUpError} when its path leads through a link or another file takes its place during the opening.
 */
export function connectFile(place: FilePlace, access: Access, mayMake = false): SqliteHandle {
  if (!place.noLinks) return connect(place.file, access, mayMake);
  for (let attempt = 1; ; attempt += 1) {
    const handle = connectWithoutLinks(place.file, access);
    if (handle !== undefined) return handle;
    if (attempt === attempts) {
      throw new StartUpError(
        `The database file ${place.file} was moved or replaced while it was opened`,
      );
    }
  }
}

function connect(file: string, access: Access, mayMake: boolean): SqliteHandle {
  const query = parameters[access];
  return new SqliteDatabase(query === undefined ? file : pathToFileURL(file).href + query, {
    readonly: access !== 'write',
    timeout: busyTimeoutMillis,
    fileMustExist: !mayMake,
  });
}

/** A connection to exactly the file at a path without links; undefined when another file was opened in its place. */
function connectWithoutLinks(file: string, access: Access): SqliteHandle | undefined {
  assertNoLinks(file);
  const identity = identityOf(file);
  const earlier = descriptorsLike(file);
  const handle = connect(file, access, false);
  const isExact = () =>
    openedPath(handle) === file &&
    isSameFile(identityOf(file), identity) &&
    [...descriptorsLike(file)].every((one) => earlier.has(one) || isAtPath(one, file));
  try {
    if (isExact()) {
      // The first read opens the log, by its own path.
      if (access === 'read' || access === 'write') readCatalogue(handle);
      if (isExact()) return handle;
    }
  } catch (error) {
    handle.close();
    throw error;
  }
  handle.close();
  return undefined;
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

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
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

/** What tells a file from any other, and whether it is empty. */
export type FileIdentity = Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs' | 'size'>;

/** Which file is at a path, links followed; undefined without one. */
export function identityOf(file: string): FileIdentity | undefined {
  return statSync(file, { throwIfNoEntry: false, bigint: true });
}

/** Whether it is the same file as before. */
export function isSameFile(
  now: FileIdentity | undefined,
  before: FileIdentity | undefined,
): boolean {
  return now?.dev === before?.dev && now?.ino === before?.ino;
}
