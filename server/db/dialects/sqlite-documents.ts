import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  makeDocumentsFullError,
  makeMissingDatabaseError,
  parseValue,
  ProblemError,
  makeUnreadableDocumentsError,
} from '#server/errors.ts';
import {
  maximumDocumentBytes,
  isTooLarge,
  storedDocument,
  type DocumentStore,
  type StoredDocument,
} from '../documents.ts';
import { missingIdentity, makeReplacedError } from '../identity.ts';
import { type FileLocation, memory, getFileIdentity, resolveRealPath } from './sqlite-file.ts';
import * as z from 'zod';

/** Suffix of the name of the file with the documents of a database. */
export const documentsSuffix = '.evoscope.json';

/** Schema of the whole file. `format` distinguishes it from JSON files of other programs. */
const documentsFile = z.object({
  format: z.literal('evoscope-documents-1'),
  documents: z.array(storedDocument),
});

/** Maximum size of a file that the service reads. The files that it writes are smaller. */
const maximumFileBytes = maximumDocumentBytes * 2;

const noFollowFlag = constants.O_NOFOLLOW ?? 0;
const nonBlockingFlag = constants.O_NONBLOCK ?? 0;

/**
 * Returns the store of the documents of a SQLite database: a file next to the database, or {@link noDocuments} in
 * memory. Except on Windows, only the owner can read the file, and the service does not follow a link at its path. The
 * service replaces the whole file under SQLite's write lock on the database, so no other service can replace the file
 * at the same time. The system releases the lock when a process ends.
 */
export function createSqliteDocuments(location: FileLocation): DocumentStore {
  if (location.file === memory) return noDocuments;
  let cache: { version: string; documents: readonly StoredDocument[] } | undefined;
  const load = () =>
    openInFolder(location, (file) => {
      const content = readDocuments(file, cache?.version);
      if (content !== null) cache = content;
      return cache?.documents ?? [];
    });
  return {
    isTransactional: false,
    requireReadPrivilege: async () => {},
    readVersion: async () => {
      try {
        return openInFolder(location, readVersionAt);
      } catch {
        return 'unknown';
      }
    },
    read: async () => load(),
    replace: async (_transaction, change) => {
      const identity = getFileIdentity(location.file);
      const previousDocuments = load();
      const nextDocuments = change(previousDocuments);
      if (nextDocuments === previousDocuments) return;
      if (isTooLarge(nextDocuments)) throw makeDocumentsFullError();
      openInFolder(location, (file) =>
        writeDocuments(file, nextDocuments, () => {
          const currentIdentity = getFileIdentity(location.file);
          if (currentIdentity === missingIdentity) throw makeMissingDatabaseError(location.file);
          if (currentIdentity !== identity) throw makeReplacedError();
        }),
      );
    },
  };
}

/** Store for a database in memory: it has no documents, and `replace` throws READ_ONLY. */
const noDocuments: DocumentStore = {
  isTransactional: false,
  requireReadPrivilege: async () => {},
  readVersion: async () => '',
  read: async () => [],
  replace: async () => {
    throw new ProblemError(
      'READ_ONLY',
      'A database in memory stores no notes. Open a database file to save them',
    );
  },
};

/**
 * Calls `work` with the path of the file with the documents and returns the result. On Linux, the path leads through a
 * descriptor of the folder, so a later replacement of the folder by a link has no effect. On Linux, throws
 * DOCUMENTS_UNREADABLE if the service cannot open the folder, and DATABASE_CHANGED if the path must contain no links
 * and a link has already replaced the folder.
 */
function openInFolder<Result>(location: FileLocation, work: (file: string) => Result): Result {
  const realPath = location.isRealPathRequired
    ? location.file
    : (resolveRealPath(location.file) ?? location.file);
  const [folder, name] = [dirname(realPath), `${basename(realPath)}${documentsSuffix}`];
  if (process.platform !== 'linux') return work(join(folder, name));
  const descriptor = openFolder(name, folder);
  try {
    const descriptorFolder = `/proc/self/fd/${descriptor}`;
    if (location.isRealPathRequired && readlinkSync(descriptorFolder) !== folder)
      throw makeReplacedError();
    return work(join(descriptorFolder, name));
  } finally {
    closeSync(descriptor);
  }
}

function openFolder(name: string, folder: string): number {
  try {
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw makeUnreadableError(name, `is in a folder that the service cannot open (${code})`);
  }
}

/** Returns a text that differs after a replacement of the file; `none` if the file is missing. */
function readVersionAt(file: string): string {
  const state = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return state === undefined ? 'none' : getVersion(state);
}

function getVersion({ dev, ino, mtimeNs, ctimeNs, size }: BigIntStats): string {
  return [dev, ino, mtimeNs, ctimeNs, size].join('-');
}

/**
 * Returns the documents in a file and the version of the file; null for a file with the version `cachedVersion`. A
 * missing file has no documents and the version `none`. Throws DOCUMENTS_UNREADABLE if the service cannot open the
 * file, or if the file is not a regular file, is too large or does not have the format of this version of Evoscope.
 */
function readDocuments(
  file: string,
  cachedVersion: string | undefined,
): { version: string; documents: StoredDocument[] } | null {
  let descriptor: number;
  try {
    // Without `nonBlockingFlag`, opening a pipe would wait for the program at its other end.
    descriptor = openSync(file, constants.O_RDONLY | noFollowFlag | nonBlockingFlag);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { version: 'none', documents: [] };
    if (code === 'ELOOP') throw makeUnreadableError(file, 'is a symbolic link');
    throw makeUnreadableError(file, `is not readable (${code})`);
  }
  try {
    const state = fstatSync(descriptor, { bigint: true });
    if (!state.isFile()) throw makeUnreadableError(file, 'is not a file');
    if (state.size > maximumFileBytes)
      throw makeUnreadableError(file, 'is larger than any file that Evoscope writes');
    const version = getVersion(state);
    if (version === cachedVersion) return null;
    return { version, documents: parse(file, readFileSync(descriptor, 'utf8')) };
  } finally {
    closeSync(descriptor);
  }
}

function parse(file: string, text: string): StoredDocument[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw makeUnreadableError(file, 'is damaged');
  }
  const result = parseValue(documentsFile, content);
  if ('issues' in result)
    throw makeUnreadableError(file, 'does not have the format of this version of Evoscope');
  return result.data.documents;
}

function makeUnreadableError(file: string, reason: string): ProblemError {
  return makeUnreadableDocumentsError(basename(file), reason);
}

/**
 * Replaces the whole file immediately after a call of `requireSameFile`. The caller holds SQLite's write lock, so an
 * existing temporary file comes from a killed process. Throws the error of `requireSameFile`, DOCUMENTS_FULL if the
 * disk or quota is full, and READ_ONLY for any other failure.
 */
function writeDocuments(
  file: string,
  documents: readonly StoredDocument[],
  requireSameFile: () => void,
): void {
  const temporaryFile = `${file}.new`;
  const format: z.infer<typeof documentsFile>['format'] = 'evoscope-documents-1';
  try {
    rmSync(temporaryFile, { force: true });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollowFlag;
    const descriptor = openSync(temporaryFile, flags, 0o600);
    try {
      fchmodSync(descriptor, 0o600);
      writeAll(descriptor, `${JSON.stringify({ format, documents })}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    requireSameFile();
    renameSync(temporaryFile, file);
  } catch (error) {
    removeIfPossible(temporaryFile);
    throw error instanceof ProblemError ? error : makeWriteError(error);
  }
  syncFolder(dirname(file));
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The next change retries the deletion.
  }
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length;) offset += writeSync(descriptor, bytes, offset);
}

/** Makes the renames in a folder durable if the system can sync folders. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, constants.O_RDONLY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Windows cannot open folders, and some file systems cannot sync them.
  }
}

function makeWriteError(error: unknown): ProblemError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ProblemError(
      'DOCUMENTS_FULL',
      'The disk is full, so the service saved nothing. Free some space, then save again',
    );
  }
  return new ProblemError(
    'READ_ONLY',
    `The service cannot write the file with the notes next to the database (${code}), so it saved nothing. Check the permissions of its folder`,
  );
}
