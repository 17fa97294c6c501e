import { createHash, type Hash } from 'node:crypto';
import { resolve } from 'node:path';
import { setImmediate as waitForMessages } from 'node:timers/promises';
import {
  createDataFileReader,
  type DataFile,
  type DataFileReader,
} from '#server/import/formats/data-file.ts';
import {
  removeExtension,
  type Scenario,
  joinPycmaIndexes,
} from '#server/import/formats/indexes.ts';
import { guessScenarios } from '#server/import/formats/unlisted.ts';
import { type ImportNote, NoteBook, type NoteCode } from '#server/import/notes.ts';
import {
  findIndexParser,
  getDigest,
  isDataFile,
  readTextFile,
  type SourceContent,
} from '#server/import/read-data-set.ts';
import {
  defaultLimits,
  formatLimit,
  isSystemFile,
  type Limits,
  Meter,
  readAll,
  removePartialCharacter,
  throwTooLargeError,
} from '#server/import/source/entry.ts';
import {
  type FoundFile,
  listFolder,
  openFile,
  readFileBytes,
} from '#server/import/source/read-source.ts';
import { isArchiveName } from '#server/import/source/archives.ts';

/** The content of a folder of loggers at one time. */
export interface FolderContent {
  content: SourceContent;
  /** Notes about the folder, its indexes, and truncated, replaced or deleted files. */
  notes: NoteBook;
  /** Number of data files and indexes. */
  fileCount: number;
}

/** Options of the reading of a data file. */
interface AppendOptions {
  /** The state after the last reading; default: the stored state. */
  previousFile?: GrowingFile | undefined;
  isFromStart?: boolean;
}

/** The state of a data file after its last reading. */
interface GrowingFile {
  inode: number;
  modifiedAt: Date;
  /** Number of read bytes. */
  offset: number;
  /** Up to 64 bytes before the offset. They show whether another file of at least this size has replaced this one. */
  tail: Buffer;
  reader: DataFileReader;
  hash: Hash;
}

/**
 * The state of an index after its last reading. Scenarios and notes may belong to an earlier content, see
 * `GrowingFolder.#readIndex`.
 */
interface IndexState {
  inode: number;
  /** Size in bytes before the reading, to detect changes. */
  size: number;
  /** Number of read bytes; 0 for a file that is too large. */
  bytes: number;
  modifiedAt: Date;
  scenarios: Scenario[] | null;
  notes: ImportNote[];
  hash: Hash;
}

const tailBytes = 64;
const chunkBytes = 256 * 1024;

/**
 * Maximum number of rounds of a reading. After an index has changed, the next round reads the rows of the runs that it
 * lists.
 */
const maximumRounds = 3;

/**
 * Reads the files of loggers in a folder repeatedly: the new bytes of data files, and the indexes that have changed.
 * Reads truncated and replaced data files again from the start, and removes deleted files, with a note.
 */
export class GrowingFolder {
  readonly #path: string;
  readonly #limits: Limits;
  #dataFiles = new Map<string, GrowingFile>();
  #indexes = new Map<string, IndexState>();
  readonly #generations = new Map<string, number>();
  readonly #notes = new NoteBook();
  #hasChanged = false;
  /** The notes about the folder in the last content, as JSON. */
  #folderNotes = '[]';

  constructor(path: string, limits: Limits = defaultLimits) {
    this.#path = resolve(path);
    this.#limits = limits;
  }

  /**
   * Reads all changes and returns the whole content; null if nothing has changed since the last returned content.
   * Rejects with the error of the system if the folder or a file is unreadable, with ARCHIVE_TOO_LARGE, and with
   * SOURCE_UNREADABLE like {@link openFile}. Also rejects with the reason of `signal` if the signal is aborted before
   * the reading of a data file. The next call continues.
   */
  async read(signal: AbortSignal): Promise<FolderContent | null> {
    const folderNotes = new NoteBook();
    for (let round = 1; round <= maximumRounds; round += 1) {
      const files = await this.#list(round === 1 ? folderNotes : new NoteBook());
      for (const file of files.dataFiles) {
        signal.throwIfAborted();
        await this.#append(file).catch(ignoreMissingFile);
      }
      let hasIndexChanged = false;
      // An index may list a run whose rows the loop above has not read yet. The next round then reads them.
      for (const file of files.indexes) {
        const hasChanged = await this.#readIndex(file).catch(ignoreMissingFile);
        hasIndexChanged ||= hasChanged === true;
      }
      if (!hasIndexChanged) break;
    }
    const notes = JSON.stringify(folderNotes.list());
    if (!this.#hasChanged && notes === this.#folderNotes) return null;
    this.#hasChanged = false;
    this.#folderNotes = notes;
    return this.#getContent(folderNotes);
  }

  /**
   * Reads the whole folder again, ends all files, and returns its content. As in an import, the content has scenarios
   * only from indexes. Rejects with the errors of {@link read} except an abort, and with the error of the system if a
   * file disappears meanwhile. If reading fails, all files retain the state of the last reading.
   */
  async readFinishedFolder(): Promise<FolderContent> {
    const [dataFiles, indexes] = [this.#dataFiles, this.#indexes];
    [this.#dataFiles, this.#indexes] = [new Map(), new Map()];
    const folderNotes = new NoteBook();
    try {
      const files = await this.#list(folderNotes);
      // The stored rows of a file that was replaced after the last reading remain.
      for (const file of files.dataFiles)
        await this.#append(file, { previousFile: dataFiles.get(file.path), isFromStart: true });
      for (const file of files.indexes) await this.#readIndex(file, false);
      return this.endFiles(folderNotes);
    } catch (error) {
      [this.#dataFiles, this.#indexes] = [dataFiles, indexes];
      throw error;
    }
  }

  /** Ends all files in the state of the last reading, and returns their content. Throws ARCHIVE_TOO_LARGE. */
  endFiles(folderNotes = new NoteBook()): FolderContent {
    for (const { reader } of this.#dataFiles.values()) reader.end();
    return this.#getContent(folderNotes, false);
  }

  /**
   * Returns the number of truncations, replacements and deletions of the data files of a run. `origin` identifies the
   * run only together with this number.
   */
  getGeneration(origin: string): number {
    return this.#generations.get(origin.slice(0, origin.lastIndexOf(' '))) ?? 0;
  }

  async #list(notes: NoteBook) {
    const meter = new Meter(this.#limits);
    const { signal } = new AbortController();
    const context = { meter, notes, onBytes: () => {}, signal };
    const files = (await listFolder(this.#path, context)).filter(({ path }) => !isSystemFile(path));
    for (const { path } of files) {
      if (isArchiveName(path) || /\.(csv|tsv|jsonl|ndjson)$/i.test(path))
        notes.add('NOT_WATCHED', { file: path });
    }
    const dataFiles = files.filter(({ path }) => isDataFile(path));
    const indexes = files.filter(({ path }) => findIndexParser(path) !== null);
    this.#removeMissingFiles(this.#dataFiles, dataFiles);
    this.#removeMissingFiles(this.#indexes, indexes);
    return { dataFiles, indexes };
  }

  /** Removes files that are no longer in the folder, with a note. */
  #removeMissingFiles(previousFiles: Map<string, unknown>, foundFiles: readonly FoundFile[]): void {
    const paths = new Set(foundFiles.map(({ path }) => path));
    for (const path of [...previousFiles.keys()].filter(
      (previousPath) => !paths.has(previousPath),
    )) {
      previousFiles.delete(path);
      this.#noteReplacement('FILE_DELETED', path);
    }
  }

  #noteReplacement(code: NoteCode, path: string): void {
    const data = removeExtension(path);
    this.#generations.set(data, (this.#generations.get(data) ?? 0) + 1);
    this.#notes.add(code, { file: path });
    this.#hasChanged = true;
  }

  /**
   * Reads the new bytes of a data file; with `isFromStart`, all its bytes. Reads a file that was truncated or replaced
   * since `previousFile` from the start, with a note.
   */
  async #append(
    { path, absolutePath, size, modifiedAt, inode }: FoundFile,
    { previousFile = this.#dataFiles.get(path), isFromStart = false }: AppendOptions = {},
  ): Promise<void> {
    const hasSameSize = previousFile?.inode === inode && previousFile.offset === size;
    const hasSameTime = previousFile?.modifiedAt.getTime() === modifiedAt.getTime();
    if (hasSameSize && hasSameTime && !isFromStart) return;
    const handle = await openFile(absolutePath);
    try {
      const stats = await handle.stat();
      const code = previousFile && (await findReplacement(previousFile, handle));
      if (code) this.#noteReplacement(code, path);
      const file = (!isFromStart && !code && previousFile) || {
        inode: stats.ino,
        modifiedAt: stats.mtime,
        offset: 0,
        tail: Buffer.alloc(0),
        reader: createDataFileReader(path),
        hash: createHash('sha256'),
      };
      this.#dataFiles.set(path, file);
      if (file.offset === 0) this.#hasChanged = true;
      for (;;) {
        const chunk = Buffer.allocUnsafe(chunkBytes);
        const { bytesRead } = await handle.read(chunk, 0, chunkBytes, file.offset);
        if (bytesRead === 0) break;
        this.#take(path, file, chunk.subarray(0, bytesRead));
        if (bytesRead === chunkBytes) await waitForMessages();
      }
      const { ino, mtime } = await handle.stat();
      Object.assign(file, { inode: ino, modifiedAt: mtime });
    } finally {
      await handle.close();
    }
  }

  #take(path: string, file: GrowingFile, bytes: Buffer): void {
    this.#hasChanged = true;
    file.offset += bytes.length;
    if (file.offset > this.#limits.fileBytes)
      throwTooLargeError(`${path} alone is larger than ${formatLimit(this.#limits.fileBytes)}`);
    file.reader.push(bytes);
    file.hash.update(bytes);
    file.tail = Buffer.from(Buffer.concat([file.tail, bytes]).subarray(-tailBytes));
  }

  /**
   * Reads an index if it has changed, and returns whether it has changed. If `isGrowing` is true, an index that is
   * empty, too large or an invalid JSON index retains its previous scenarios and notes until it is complete, because a
   * logger may be writing it.
   */
  async #readIndex(
    { path, absolutePath, size, modifiedAt, inode }: FoundFile,
    isGrowing = true,
  ): Promise<boolean> {
    const previousIndex = this.#indexes.get(path);
    const hasSameSize = previousIndex?.inode === inode && previousIndex.size === size;
    if (hasSameSize && previousIndex.modifiedAt.getTime() === modifiedAt.getTime()) return false;
    const hash = createHash('sha256');
    const wholeContent = await readAll(
      readFileBytes(absolutePath, () => {}),
      this.#limits.fileBytes,
    );
    const bytes = wholeContent ?? Buffer.alloc(0);
    hash.update(bytes);
    const notes = new NoteBook();
    const completeBytes = isGrowing ? removePartialCharacter(bytes) : bytes;
    const entry = { path, modifiedAt, bytes: yieldBytes(completeBytes) };
    const text = await readTextFile(entry, notes);
    const parseIndex = findIndexParser(path);
    const scenarios = text === null || parseIndex === null ? null : parseIndex(path, text, notes);
    const isPartial = text === null || notes.list().some(({ code }) => code === 'BAD_JSON');
    const isWaiting = isGrowing && isPartial;
    this.#indexes.set(path, {
      inode,
      size,
      bytes: bytes.length,
      modifiedAt,
      scenarios: isWaiting ? (previousIndex?.scenarios ?? null) : scenarios,
      notes: isWaiting ? (previousIndex?.notes ?? []) : notes.list(),
      hash,
    });
    this.#hasChanged = true;
    return true;
  }

  #getContent(folderNotes: NoteBook, isGrowing = true): FolderContent {
    const dataFiles = [...this.#dataFiles].map(([, { reader, modifiedAt }]): DataFile =>
      reader.getFile(modifiedAt),
    );
    const notes = new NoteBook();
    notes.addAll(folderNotes.list());
    const paths = [...this.#indexes.keys()].sort((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    for (const path of paths) notes.addAll(this.#indexes.get(path)?.notes ?? []);
    notes.addAll(this.#notes.list());
    const indexScenarios = paths.flatMap((path) => this.#indexes.get(path)?.scenarios ?? []);
    const listedScenarios = joinPycmaIndexes(indexScenarios);
    const scenarios = isGrowing
      ? [...listedScenarios, ...guessScenarios(listedScenarios, dataFiles)]
      : listedScenarios;
    const digests = new Map(
      [...this.#dataFiles, ...this.#indexes].map(([path, { hash }]) => [path, hash.copy()]),
    );
    const sizes = [
      ...[...this.#dataFiles.values()].map(({ offset }) => offset),
      ...[...this.#indexes.values()].map(({ bytes }) => bytes),
    ];
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (bytes > this.#limits.bytes)
      throwTooLargeError(`it has more than ${formatLimit(this.#limits.bytes)}`);
    return {
      content: { tables: [], scenarios, dataFiles, bytes, sha256: getDigest(digests) },
      notes,
      fileCount: digests.size,
    };
  }
}

/**
 * Ignores the error of a file that disappeared after the listing of the folder, because the next listing shows the
 * deletion. Throws other errors.
 */
function ignoreMissingFile(error: unknown): void {
  if ((Object(error) as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/**
 * Returns whether a file is shorter than its read part, or another file: the bytes before the offset differ from the
 * tail. Returns null if it still begins with the read part.
 */
async function findReplacement(
  { offset, tail }: GrowingFile,
  handle: Awaited<ReturnType<typeof openFile>>,
): Promise<'FILE_TRUNCATED' | 'FILE_REPLACED' | null> {
  const { size } = await handle.stat();
  if (size < offset) return 'FILE_TRUNCATED';
  const bytes = Buffer.alloc(tail.length);
  await handle.read(bytes, 0, tail.length, offset - tail.length);
  return bytes.equals(tail) ? null : 'FILE_REPLACED';
}

async function* yieldBytes(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}
