import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StartUpError } from '../start-up-error.ts';
import type { SqliteUrl } from '../url.ts';
import type { FilePlace } from './sqlite-connect.ts';
import { isBusy, sqliteCode } from './sqlite-driver.ts';
import { peekSqlite, type Look } from './sqlite-inspect.ts';

/** Placeholder for the file of a database in memory. */
export const memory = ':memory:';

/** Inspects a file; see {@link peekSqlite}. Throws a {@link StartUpError} if it is not a database. */
export function peekFile<Found>(place: FilePlace, look: Look<Found>): Found {
  try {
    return peekSqlite(place, look);
  } catch (error) {
    throw asStartUpError(error, place.file);
  }
}

/** Throws a {@link StartUpError} unless there is a file to read or, if it may be missing, one can be created. */
export function assertFile(url: SqliteUrl, readOnly: boolean, existing: boolean): void {
  const folder = dirname(url.file);
  if (!existsSync(folder)) {
    throw new StartUpError(`The folder ${folder} of the database does not exist`);
  }
  if (!isAllowed(folder, constants.X_OK)) {
    throw new StartUpError(`No permission to enter the folder ${folder} of the database`);
  }
  if (!existsSync(url.file)) {
    const mayMake = !readOnly && url.mode === 'rwc';
    if (existing || !mayMake) {
      const code = mayMake ? 'FILE_MISSING' : undefined;
      throw new StartUpError(`The database file ${url.file} does not exist`, code);
    }
    if (!isWritable(folder)) {
      throw new StartUpError(
        `The database file ${url.file} cannot be created: no write permission`,
      );
    }
    return;
  }
  if (statSync(url.file).isDirectory()) {
    throw new StartUpError(`The database ${url.file} is a folder, not a file`);
  }
  // Reading a pipe or a device would wait for the program at its other end.
  if (!statSync(url.file).isFile()) {
    throw new StartUpError(`The database ${url.file} is a pipe or a device, not a file`);
  }
  if (!isAllowed(url.file, constants.R_OK)) {
    throw new StartUpError(`No permission to read the database file ${url.file}`);
  }
}

/** An empty file that was created for a database. */
export interface ReservedFile {
  /** Removes the file, and the files that SQLite has created next to it. */
  remove(): void;
  /** Must be called when it is no longer filled or removed. */
  release(): void;
}

/**
 * Creates an empty file at a path without links. Throws EEXIST if there is anything at the path, even a dangling link,
 * and a {@link StartUpError} if a link has replaced its folder. On Linux a descriptor of the folder is used, so that
 * later changes of the path have no effect.
 */
export function reserveFile(file: string): ReservedFile {
  const folder = dirname(file);
  const descriptor = process.platform === 'linux' ? openFolder(folder) : undefined;
  const inFolder = join(
    descriptor === undefined ? folder : `/proc/self/fd/${descriptor}`,
    basename(file),
  );
  const release = () => descriptor !== undefined && closeSync(descriptor);
  try {
    // No connection has opened it yet: closing it loses no lock.
    closeSync(openSync(inFolder, 'wx'));
  } catch (error) {
    release();
    throw error;
  }
  return {
    remove: () => {
      for (const end of ['', '-wal', '-shm', '-journal']) rmSync(inFolder + end, { force: true });
    },
    release,
  };
}

function openFolder(folder: string): number {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  if (readlinkSync(`/proc/self/fd/${descriptor}`) === folder) return descriptor;
  closeSync(descriptor);
  throw new StartUpError(`The path of the folder ${folder} now leads through a link`);
}

/** Returns whether permissions allow writing; the mode bits apply to the superuser too. */
function isWritable(path: string): boolean {
  return isAllowed(path, constants.W_OK) && (statSync(path).mode & 0o222) !== 0;
}

/** Returns whether permissions allow writing an existing file and its log. */
export function isFileWritable(file: string): boolean {
  return isWritable(file) && isWritable(dirname(file));
}

function isAllowed(path: string, permission: number): boolean {
  try {
    accessSync(path, permission);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the error of a chosen file that was moved, deleted or replaced by a link while it was opened, in a sentence
 * for the user; any other error unchanged.
 */
export function asReplaced(error: unknown, { file, noLinks }: FilePlace): unknown {
  const { code } = Object(error) as { code?: unknown };
  const isReplaced = /^(ENOENT|ENOTDIR|ELOOP|EEXIST|SQLITE_(CANTOPEN|IOERR|READONLY).*)$/;
  if (!noLinks || !isReplaced.test(String(code))) return error;
  return new StartUpError(`The database file ${file} was moved or replaced while it was opened`);
}

/** Returns an error of SQLite about a file, in a sentence for the user if possible. */
export function asStartUpError(error: unknown, file: string): unknown {
  const code = sqliteCode(error) ?? '';
  if (code === 'SQLITE_NOTADB') return new StartUpError(`${file} is not a SQLite database`);
  if (code.startsWith('SQLITE_CORRUPT')) return new StartUpError(`The database ${file} is damaged`);
  if (isBusy(error)) return new StartUpError(`The database ${file} is locked by another program`);
  return error;
}
