import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  type BigIntStats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { hashIdentity, missingIdentity } from '../identity.ts';
import { LostLogError, StartUpError } from '../start-up-error.ts';
import type { SqliteUrl } from '../url.ts';

// The library reads this variable once, when it loads its binary at the first opening. Without the variable, no `file:`
// URI works. The variable does not affect other paths.
process.env['SQLITE_USE_URI'] = '1';

/** A connection to a SQLite database. */
export type SqliteHandle = SqliteDatabase.Database;

/** Maximum wait for another writer, in milliseconds. */
export const busyTimeoutMillis = 10_000;

/** Placeholder for the file of a database in memory. */
export const memory = ':memory:';

/**
 * Throws a {@link StartUpError} if the service cannot read an existing file, or cannot or must not create a missing
 * one. The code is FILE_MISSING if only `isExistenceRequired` forbids the creation.
 */
export function assertFile(
  url: SqliteUrl,
  isReadOnly: boolean,
  isExistenceRequired: boolean,
): void {
  const folder = dirname(url.file);
  if (isMissing(folder)) {
    throw new StartUpError(
      `The folder ${folder} of the database does not exist: create it, or choose another path`,
    );
  }
  if (!isAllowed(folder, constants.X_OK)) {
    throw new StartUpError(
      `The service has no permission to enter the folder ${folder} of the database: grant it, or choose another path`,
    );
  }
  if (!existsSync(url.file)) {
    const canCreate = !isReadOnly && url.mode === 'rwc';
    if (isExistenceRequired || !canCreate) {
      const code = canCreate ? 'FILE_MISSING' : undefined;
      throw new StartUpError(
        `The database file ${url.file} does not exist: check the path, or choose another file`,
        code,
      );
    }
    if (!isWritable(folder)) {
      throw new StartUpError(
        `The service cannot create the database file ${url.file} without write permission for its folder. Grant it, or choose another path`,
      );
    }
    return;
  }
  if (statSync(url.file).isDirectory()) {
    throw new StartUpError(`The database ${url.file} is a folder: choose a file`);
  }
  // Reading a pipe or a device would wait for the program at its other end.
  if (!statSync(url.file).isFile()) {
    throw new StartUpError(`The database ${url.file} is a pipe or a device: choose a file`);
  }
  if (!isAllowed(url.file, constants.R_OK)) {
    throw new StartUpError(
      `The service has no permission to read the database file ${url.file}: grant it, or choose another file`,
    );
  }
}

/** An empty file that {@link reserveFile} has created for a database. */
export interface ReservedFile {
  /** Removes the file, and the files that SQLite has created next to it. */
  remove(): void;
  /** Closes the folder. Call it last, because {@link remove} needs the folder. */
  release(): void;
}

/**
 * Creates an empty file at a path without links. Throws the errors of the file system, such as EEXIST if there is
 * anything at the path, even a dangling link. On Linux, uses a descriptor of the folder, so later changes of the path
 * have no effect, and throws a {@link StartUpError} if a link has replaced the folder.
 */
export function reserveFile(file: string): ReservedFile {
  const folder = dirname(file);
  const descriptor = process.platform === 'linux' ? openFolder(folder) : undefined;
  const descriptorPath = join(
    descriptor === undefined ? folder : `/proc/self/fd/${descriptor}`,
    basename(file),
  );
  const release = () => descriptor !== undefined && closeSync(descriptor);
  try {
    // No connection has opened the file yet, so closing it loses no lock.
    closeSync(openSync(descriptorPath, 'wx'));
  } catch (error) {
    release();
    throw error;
  }
  return {
    remove: () => {
      for (const suffix of ['', '-wal', '-shm', '-journal'])
        rmSync(descriptorPath + suffix, { force: true });
    },
    release,
  };
}

function openFolder(folder: string): number {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  if (readlinkSync(`/proc/self/fd/${descriptor}`) === folder) return descriptor;
  closeSync(descriptor);
  throw new StartUpError(
    `The path of the folder ${folder} now leads through a link: choose the file again`,
  );
}

/**
 * Returns whether permissions allow writing. Without any write permission in the mode of a file or folder, even the
 * superuser must not write.
 */
function isWritable(path: string): boolean {
  return isAllowed(path, constants.W_OK) && (statSync(path).mode & 0o222) !== 0;
}

/** Returns whether permissions allow writing an existing file and its log. */
export function isFileWritable(file: string): boolean {
  return isWritable(file) && isWritable(dirname(file));
}

/** Returns whether there is nothing at a path; false if the permissions of a folder hide it. */
function isMissing(path: string): boolean {
  try {
    accessSync(path);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
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
 * Returns a {@link StartUpError} for an error that a file with `isRealPathRequired` can cause if another program moves,
 * deletes or replaces it during the opening. Returns any other error, and the error of any other file, unchanged.
 */
export function toReplacedError(
  error: unknown,
  { file, isRealPathRequired }: FileLocation,
): unknown {
  const { code } = Object(error) as { code?: unknown };
  const replacementCodes = /^(ENOENT|ENOTDIR|ELOOP|EEXIST|SQLITE_(CANTOPEN|IOERR|READONLY).*)$/;
  if (!isRealPathRequired || !replacementCodes.test(String(code))) return error;
  return new StartUpError(
    `Another program moved or replaced the database file ${file} while the service opened it: choose it again`,
  );
}

/**
 * Returns a {@link StartUpError} for an error of SQLite if the file is not a database, is damaged or locked, or has too
 * long a path. Returns any other error unchanged.
 */
export function toStartUpError(error: unknown, file: string): unknown {
  const code = getSqliteCode(error) ?? '';
  if (code === 'SQLITE_NOTADB')
    return new StartUpError(`${file} is not a SQLite database: choose another file`);
  if (code.startsWith('SQLITE_CORRUPT'))
    return new StartUpError(
      `The database ${file} is damaged: restore it from a backup, or choose another file`,
    );
  if (isBusy(error))
    return new StartUpError(
      `Another program has locked the database ${file}: try again in a moment`,
    );
  const isTooLong = Buffer.byteLength(file) > maximumPathBytes;
  return isTooLong && code.startsWith('SQLITE_CANTOPEN') ? makeUnopenableError(file) : error;
}

/** Maximum length of the path of a file that SQLite can open with its log, in bytes. The limit of SQLite is 512. */
const maximumPathBytes = 500;

/** Returns the error for a file that SQLite cannot open although the permissions allow opening or creating it. */
export function makeUnopenableError(file: string): StartUpError {
  return new StartUpError(
    `SQLite cannot open the database file ${file}: choose a shorter path, or check the disk`,
  );
}

/** Returns whether an error has the code SQLITE_BUSY or one of its extended codes: another connection has a lock. */
export function isBusy(error: unknown): boolean {
  return getSqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** Returns the SQLite result code of an error; undefined for any other error. */
export function getSqliteCode(error: unknown): string | undefined {
  return error instanceof SqliteDatabase.SqliteError ? error.code : undefined;
}

/**
 * Mode of opening a file. `immutable` takes no lock and ignores the log and the journal. `unlocked` takes no lock and
 * fails with SQLITE_CANTOPEN at the first read of a file with a write-ahead log. Both only read.
 */
export type AccessMode = 'write' | 'read' | 'immutable' | 'unlocked';

/** The fields of a URL that name the file. */
export type FileLocation = Pick<SqliteUrl, 'file' | 'isRealPathRequired'>;

const parameters: Partial<Record<AccessMode, string>> = {
  immutable: '?immutable=1',
  unlocked: '?nolock=1',
};

/** Maximum number of attempts to open a file while another process moves or replaces it. */
const maximumAttempts = 5;

/**
 * Opens a connection to a database file. The service opens all connections here, except connections to its own new
 * backups and connections that only hold a lock. A process loses all its POSIX locks on a file when it closes any
 * descriptor of that file. Only SQLite delays such a close until its connections have no locks left
 * (https://www.sqlite.org/howtocorrupt.html, 2.2). Code that reads a database file through `node:fs` would therefore
 * unlock it for all threads. Close the connection with {@link closeFile}. Throws the errors of SQLite. Throws a {@link
 * LostLogError} while the process has connections to files that another program has replaced. With
 * `isRealPathRequired`, throws another {@link StartUpError} instead, and also if the file is missing, its path contains
 * a link, or another file replaces it during the opening.
 */
export function connectFile(
  location: FileLocation,
  access: AccessMode,
  canCreate = false,
): SqliteHandle {
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const handle = connectExactly(location, access, canCreate);
    if (handle !== undefined) return handle;
  }
  if (!location.isRealPathRequired) throw new LostLogError(location.file);
  throw new StartUpError(
    `Another program moved or replaced the database file ${location.file} while the service opened it: choose it again`,
  );
}

/**
 * Returns a connection to exactly the files at the path; undefined if the connection has other files, because another
 * program has replaced them.
 */
function connectExactly(
  location: FileLocation,
  access: AccessMode,
  canCreate: boolean,
): SqliteHandle | undefined {
  const { file } = location;
  if (location.isRealPathRequired) assertNoLinks(file);
  const previousFiles = getFilesAt(file);
  const isExact = location.isRealPathRequired ? watchPath(file, previousFiles) : () => true;
  const handle = connect(file, access, canCreate && !location.isRealPathRequired);
  if (handle.memory) return handle;
  try {
    if (isExact(handle) && openLog(handle, file, access, previousFiles) && isExact(handle))
      return handle;
  } catch (error) {
    const code = getSqliteCode(error) ?? '';
    // A connection that reads a log with the index of another log gets wrong pages.
    const canBeWrongLog = /^SQLITE_(CORRUPT|NOTADB|IOERR|PROTOCOL|ERROR)/.test(code);
    const isShortRead = code === 'SQLITE_IOERR_SHORT_READ';
    const isErrorOfFile =
      !canBeWrongLog || (!isShortRead && recordFiles(handle, file, previousFiles));
    closeWithoutCheckpoint(handle);
    if (isErrorOfFile) throw error;
    return undefined;
  }
  closeWithoutCheckpoint(handle);
  return undefined;
}

function connect(file: string, access: AccessMode, canCreate: boolean): SqliteHandle {
  const query = parameters[access];
  return new SqliteDatabase(query === undefined ? file : pathToFileURL(file).href + query, {
    readonly: access !== 'write',
    timeout: busyTimeoutMillis,
    fileMustExist: !canCreate,
  });
}

/**
 * Reads the schema table, which makes SQLite open the log, and records the open files. Returns false if they are not
 * the files at the path. With `immutable` and `unlocked`, it only records the file and returns true.
 */
function openLog(
  handle: SqliteHandle,
  file: string,
  access: AccessMode,
  previousFiles: DatabaseFiles,
): boolean {
  if (access === 'immutable' || access === 'unlocked') {
    recordFileOnly(handle, file);
    return true;
  }
  readSchemaTable(handle);
  return recordFiles(handle, file, previousFiles);
}

/**
 * Records the files of a connection after the service may have switched its file to a write-ahead log. Throws the
 * errors of SQLite, and a {@link LostLogError} if another program has replaced the files meanwhile.
 */
export function recordNewLog(handle: SqliteHandle): void {
  const previousFiles = getFilesAt(handle.name);
  readSchemaTable(handle);
  if (!recordFiles(handle, handle.name, previousFiles)) throw new LostLogError(handle.name);
}

/**
 * Closes a connection. The last connection that can write to a file copies its log into the file and deletes the log at
 * the path. It must not do this if the log at the path is another file, with commits of other programs.
 */
export function closeFile(handle: SqliteHandle): void {
  if (!handle.open || isCurrent(handle)) handle.close();
  else closeWithoutCheckpoint(handle);
}

/**
 * Closes a connection without changing the file and its log. Meanwhile, a read-only connection holds SQLite's SHARED
 * lock on the file, so SQLite cannot get the exclusive lock for a checkpoint. To close a read-only connection, no such
 * lock is necessary.
 */
function closeWithoutCheckpoint(handle: SqliteHandle): void {
  const lockHolder = handle.readonly ? undefined : openSharedLock(findOpenedPath(handle));
  handle.close();
  lockHolder?.close();
}

/**
 * Returns a read-only connection that holds the SHARED lock on a file with a write-ahead log; undefined if the file is
 * undefined, or if SQLite cannot open it.
 */
function openSharedLock(file: string | undefined): SqliteHandle | undefined {
  let lockHolder: SqliteHandle | undefined;
  try {
    lockHolder = file === undefined ? undefined : connect(file, 'read', false);
    lockHolder?.pragma('busy_timeout = 0');
    if (lockHolder) readSchemaTable(lockHolder);
  } catch {
    // The read may fail because of wrong pages. The connection holds the lock until it closes.
  }
  return lockHolder;
}

/** Returns a function that checks whether a later connection has opened exactly the file at a path without links. */
function watchPath(file: string, previousFiles: DatabaseFiles): (handle: SqliteHandle) => boolean {
  const previousDescriptors = findDescriptorsLike(file);
  return (handle) =>
    findOpenedPath(handle) === file &&
    isSameFile(getIdentity(file), previousFiles[0]) &&
    [...findDescriptorsLike(file)].every(
      (descriptor) => previousDescriptors.has(descriptor) || isAtPath(descriptor, file),
    );
}

/** Returns the path of the file of a connection, in which SQLite has resolved the links. Does not read the file. */
function findOpenedPath(handle: SqliteHandle): string | undefined {
  const [main] = handle.pragma('database_list') as { file: string }[];
  return main?.file;
}

/** Reads the schema table and takes the necessary locks. */
export function readSchemaTable(handle: SqliteHandle): void {
  handle.prepare('select count(*) from sqlite_schema').get();
}

/** Throws a {@link StartUpError} if the path of a file contains a link, or the file is missing. */
function assertNoLinks(file: string): void {
  const realPath = resolveRealPath(file);
  if (realPath === undefined)
    throw new StartUpError(`The database file ${file} does not exist: choose another file`);
  if (realPath === file) return;
  throw new StartUpError(
    `The path of the database file ${file} now leads through a link: choose it again`,
  );
}

/** Suffixes of the files that SQLite has open for one database. */
const suffixes = ['', '-wal', '-shm'];

/**
 * Returns the open descriptors of this process, as `number path`, whose files have the name of a database, its log or
 * the index of the log, in any folder. The descriptors show whether a link has replaced a folder of the path while
 * SQLite opened the file. Returns an empty set on systems other than Linux, because only Linux shows the file of a
 * descriptor in /proc.
 */
function findDescriptorsLike(file: string): Set<string> {
  const names = new Set(suffixes.map((suffix) => basename(file) + suffix));
  const descriptors = new Set<string>();
  for (const descriptor of process.platform === 'linux' ? readdirSync('/proc/self/fd') : []) {
    const path = getDescriptorPath(descriptor);
    if (names.has(basename(path))) descriptors.add(`${descriptor} ${path}`);
  }
  return descriptors;
}

/**
 * Returns the path of the file of a descriptor, also of a deleted file; empty if the process has closed the descriptor
 * meanwhile.
 */
function getDescriptorPath(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`).replace(/ \(deleted\)$/, '');
  } catch {
    return '';
  }
}

function isAtPath(descriptor: string, file: string): boolean {
  return suffixes.some((suffix) => descriptor.endsWith(` ${file}${suffix}`));
}

/** Identity of a file, with its size. */
type FileIdentity = Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs' | 'size'>;

/**
 * Identities of a database file, its write-ahead log and the index of the log, or only of the database file. The
 * identity of a missing file is undefined.
 */
export type DatabaseFiles = readonly (FileIdentity | undefined)[];

/** Path and open files of each connection of this thread to a file. */
const filesByHandle = new WeakMap<SqliteHandle, { file: string; files: DatabaseFiles }>();

/** Returns the identity of the file at a path, following links; undefined if the file is missing. */
export function getIdentity(file: string): FileIdentity | undefined {
  return statSync(file, { throwIfNoEntry: false, bigint: true });
}

/** Returns the identity of the database file at a path as a text; see {@link DatabaseDialect.readIdentity}. */
export function getFileIdentity(file: string): string {
  const identity = getIdentity(file);
  if (identity === undefined) return missingIdentity;
  // Systems reuse an inode after the deletion of its file.
  return hashIdentity([identity.dev, identity.ino, identity.birthtimeNs]);
}

/** Returns whether both identities belong to the same file, or both files are missing. */
export function isSameFile(
  currentIdentity: FileIdentity | undefined,
  previousIdentity: FileIdentity | undefined,
): boolean {
  return (
    currentIdentity?.dev === previousIdentity?.dev && currentIdentity?.ino === previousIdentity?.ino
  );
}

/**
 * Returns the path of a file with its links resolved; undefined if this fails, for example because the file is missing.
 */
export function resolveRealPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Returns the path of a database file with its links resolved. SQLite has the log next to this path. Returns the path
 * unchanged if resolving fails, for example because the file is missing.
 */
export function resolveFile(file: string): string {
  return resolveRealPath(file) ?? file;
}

/** Returns the identities of the files that are now at the path of a database and next to it. */
export function getFilesAt(file: string): DatabaseFiles {
  const realPath = resolveFile(file);
  return ['', '-wal', '-shm'].map((suffix) => getIdentity(realPath + suffix));
}

/**
 * Records the open files of a connection and returns true. Returns false, and records nothing, if they are not the
 * files at its path. `previousFiles` are the files at the path before the connection opens them. The first connection
 * of a process to a database file opens the index of the log (`-shm`), and all later ones share it. After another
 * program has replaced the log and its index, a new connection therefore gets the old index and the new log until all
 * older connections close. A write would then overwrite commits of other programs.
 */
export function recordFiles(
  handle: SqliteHandle,
  file: string,
  previousFiles: DatabaseFiles,
): boolean {
  const files = getFilesAt(file);
  const isReplaced = files.some(
    (currentIdentity, index) =>
      previousFiles[index] !== undefined && !isSameFile(currentIdentity, previousFiles[index]),
  );
  if (isReplaced || !hasFilesOpen(files)) return false;
  filesByHandle.set(handle, { file, files });
  return true;
}

/** Records the file of a connection that uses neither a log nor its index. */
export function recordFileOnly(handle: SqliteHandle, file: string): void {
  filesByHandle.set(handle, { file, files: [getIdentity(file)] });
}

/**
 * Returns whether this process has the log and its index open. Also returns true if there is no log, or if the system
 * does not report open files.
 */
function hasFilesOpen([main, log, index]: DatabaseFiles): boolean {
  const openFiles = listOpenFiles();
  const isOpen = (identity: FileIdentity | undefined) =>
    identity !== undefined && openFiles.has(getKey(identity));
  // If the open files do not include the database file, the system does not report them.
  if (log === undefined || !isOpen(main)) return true;
  return isOpen(log) && isOpen(index);
}

const descriptorFolders: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/proc/self/fd',
  darwin: '/dev/fd',
};

/**
 * Returns the keys of the files that this process has open; an empty set on systems other than Linux and macOS. On
 * Windows, no program can delete an open file.
 */
function listOpenFiles(): Set<string> {
  const openFiles = new Set<string>();
  for (const descriptor of listDescriptors()) {
    try {
      openFiles.add(getKey(fstatSync(descriptor, { bigint: true })));
    } catch {
      // The process has closed the descriptor meanwhile, for example the descriptor of the folder itself.
    }
  }
  return openFiles;
}

function listDescriptors(): number[] {
  const folder = descriptorFolders[process.platform];
  try {
    return folder === undefined ? [] : readdirSync(folder).map(Number);
  } catch {
    return [];
  }
}

function getKey({ dev, ino }: FileIdentity): string {
  return `${dev} ${ino}`;
}

/**
 * Returns whether the files of a connection are still the files at its path, and the database file has not become
 * empty. Otherwise the connection and other programs miss each other's writes. Returns true for a database in memory.
 * Records a log that another program has created since the opening of the connection.
 */
export function isCurrent(handle: SqliteHandle): boolean {
  const { file, files } = filesByHandle.get(handle) ?? {};
  if (file === undefined || files === undefined) return true;
  const currentFiles = getFilesAt(file);
  // Another program has switched the file to a write-ahead log. The connection uses the log from its next read on.
  if (files.length > 1 && files[1] === undefined && currentFiles[1] !== undefined) {
    return recordFiles(handle, file, [files[0]]);
  }
  const isEmptied = currentFiles[0]?.size === 0n && files[0]?.size !== 0n;
  return !isEmptied && files.every((identity, index) => isSameFile(currentFiles[index], identity));
}

/** Throws a {@link LostLogError} unless {@link isCurrent} returns true. Call it while holding the write lock. */
export function assertCurrent(handle: SqliteHandle): void {
  if (!isCurrent(handle)) throw new LostLogError(handle.name);
}
