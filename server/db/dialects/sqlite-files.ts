import { fstatSync, readdirSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import type SqliteDatabase from 'better-sqlite3';
import { identityFrom, missingIdentity } from '../identity.ts';
import { LostLogError } from '../start-up-error.ts';

/** Identifies a file, and whether it is empty. */
type FileIdentity = Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs' | 'size'>;

/** A database file, its write-ahead log and the index of the log; undefined for a missing file. */
export type DatabaseFiles = readonly (FileIdentity | undefined)[];

/** Path and open files of each connection of this thread. They stay the same until it is closed. */
const opened = new WeakMap<SqliteDatabase.Database, { file: string; files: DatabaseFiles }>();

/** Returns the identity of the file at a path, links followed; undefined without one. */
export function identityOf(file: string): FileIdentity | undefined {
  return statSync(file, { throwIfNoEntry: false, bigint: true });
}

/** Returns the identity of the database file at a path as a text; see {@link DatabaseDialect.identity}. */
export function fileIdentity(file: string): string {
  const identity = identityOf(file);
  if (identity === undefined) return missingIdentity;
  // Systems reuse an inode after its file is deleted.
  return identityFrom([identity.dev, identity.ino, identity.birthtimeNs]);
}

/** Returns whether both are the same file, or both are missing. */
export function isSameFile(
  now: FileIdentity | undefined,
  before: FileIdentity | undefined,
): boolean {
  return now?.dev === before?.dev && now?.ino === before?.ino;
}

/** Returns the path of a file with its links resolved; undefined if it leads to no file. */
export function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Returns the path of a database file with its links resolved, next to which SQLite has its log; unchanged without a
 * file.
 */
export function realFile(file: string): string {
  return realPathOf(file) ?? file;
}

/** Returns the files that are at the path of a database and next to it now. */
export function filesAt(file: string): DatabaseFiles {
  const real = realFile(file);
  return ['', '-wal', '-shm'].map((end) => identityOf(real + end));
}

/**
 * Records the files that a connection has open, which was opened and read since `before`; returns false if these are
 * not the files at its path. A process has one index of a log (`-shm`) for all its connections to a database file,
 * opened by the first. So a new connection gets the old index and the new log after another program has replaced both,
 * until all older connections are closed; a write would then overwrite commits of other programs.
 */
export function rememberFiles(
  handle: SqliteDatabase.Database,
  file: string,
  before: DatabaseFiles,
): boolean {
  const files = filesAt(file);
  const isReplaced = files.some(
    (now, index) => before[index] !== undefined && !isSameFile(now, before[index]),
  );
  if (isReplaced || !areOpen(files)) return false;
  opened.set(handle, { file, files });
  return true;
}

/** Records the file of a connection that uses neither a log nor its index. */
export function rememberFileAlone(handle: SqliteDatabase.Database, file: string): void {
  opened.set(handle, { file, files: [identityOf(file)] });
}

/** Returns whether this process has the files open; log and index only if there is a log. */
function areOpen([main, log, index]: DatabaseFiles): boolean {
  const open = openIdentities();
  const isOpen = (one: FileIdentity | undefined) => one !== undefined && open.has(keyOf(one));
  // If not even the database file is found, the system does not report open files.
  if (log === undefined || !isOpen(main)) return true;
  return isOpen(log) && isOpen(index);
}

const descriptorFolders: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/proc/self/fd',
  darwin: '/dev/fd',
};

/** Returns the files that this process has open. Empty on Windows, where no program can delete an open file. */
function openIdentities(): Set<string> {
  const open = new Set<string>();
  for (const descriptor of descriptors()) {
    try {
      open.add(keyOf(fstatSync(descriptor, { bigint: true })));
    } catch {
      // Another thread has closed it.
    }
  }
  return open;
}

function descriptors(): number[] {
  const folder = descriptorFolders[process.platform];
  try {
    return folder === undefined ? [] : readdirSync(folder).map(Number);
  } catch {
    return [];
  }
}

function keyOf({ dev, ino }: FileIdentity): string {
  return `${dev} ${ino}`;
}

/**
 * Returns whether the files of a connection are still those at its path, and the database file is not empty. Otherwise
 * the connection misses writes of other programs, and they will miss its writes. True for a database in memory.
 */
export function isCurrent(handle: SqliteDatabase.Database): boolean {
  const { file, files } = opened.get(handle) ?? {};
  if (file === undefined || files === undefined) return true;
  const now = filesAt(file);
  // Another program has switched the file to a write-ahead log, and the connection follows when it reads.
  if (files.length > 1 && files[1] === undefined && now[1] !== undefined) {
    return rememberFiles(handle, file, [files[0]]);
  }
  const isEmptied = now[0]?.size === 0n && files[0]?.size !== 0n;
  return !isEmptied && files.every((identity, index) => isSameFile(now[index], identity));
}

/** Throws a {@link LostLogError} unless {@link isCurrent}. Call it while holding the write lock. */
export function assertCurrent(handle: SqliteDatabase.Database): void {
  if (!isCurrent(handle)) throw new LostLogError(handle.name);
}
