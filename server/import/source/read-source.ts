import { constants, existsSync, type Dirent } from 'node:fs';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ImportRefusal } from '#server/import/refusal.ts';
import {
  detectContentKind,
  gunzip,
  headLength,
  isArchiveName,
  readTarEntries,
  getUnpackedName,
  readZipEntries,
} from './archives.ts';
import {
  getBaseName,
  readDescriptor,
  type Entry,
  inspectStart,
  readAll,
  type ReadContext,
  spoolEntry,
  UnreadableEntry,
} from './entry.ts';

/**
 * A source of an import: the path of a folder, archive or table on this machine, or the name of an archive or table
 * with its bytes or an open file. `size` is in bytes. The import leaves an open file open.
 */
export type ImportSource =
  | { path: string }
  | { name: string; bytes: AsyncIterable<Buffer>; size?: number | undefined }
  | { name: string; descriptor: number; size: number };

/** An open source: its packed size in bytes (null if unknown), and its files. */
interface OpenSource {
  totalBytes: number | null;
  entries: AsyncIterable<Entry>;
}

/** Maximum nesting depth of archives. A source that is a folder counts as an archive. */
const maximumDepth = 3;

/**
 * Returns the base name of a source. Removes the extension of an archive, and then the extension of a table or index.
 * Returns `data set` if nothing remains.
 */
export function getSourceName(source: ImportSource): string {
  const name = 'path' in source ? basename(resolve(source.path)) : basename(source.name);
  return getUnpackedName(name).replace(/\.(csv|tsv|jsonl|ndjson|info|json)$/i, '') || 'data set';
}

/**
 * Opens a source. Throws SOURCE_UNREADABLE if there is no file or folder at the path, or if the file belongs to an open
 * SQLite database; for a folder, also throws the errors of {@link listFolder}. The entries throw {@link ImportRefusal}
 * if the source is unreadable or too large, the errors of the system, and the reason of `context.signal`. The entries
 * omit, with a note, archives inside the source that are unreadable or nested too deeply. If such an archive becomes
 * unreadable within a file, the bytes of this file throw {@link UnreadableEntry}.
 */
export async function openSource(source: ImportSource, context: ReadContext): Promise<OpenSource> {
  if ('bytes' in source) {
    const { name, bytes, size } = source;
    const file = {
      path: basename(name),
      modifiedAt: new Date(),
      bytes: reportBytes(bytes, context),
    };
    return { totalBytes: size ?? null, entries: readTopEntries(file, context) };
  }
  if ('descriptor' in source) {
    const { name, descriptor, size } = source;
    const bytes = reportBytes(readDescriptor(descriptor), context);
    const file = { path: basename(name), modifiedAt: new Date(), bytes };
    const readZip = () => readZipEntries(descriptor, context);
    return { totalBytes: size, entries: readTopEntries(file, context, readZip) };
  }
  const path = resolve(source.path);
  const stats = await stat(path).catch(() => null);
  if (stats?.isDirectory()) {
    const files = await listFolder(path, context);
    const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
    return { totalBytes, entries: unpackAll(readFolderEntries(files, context), context) };
  }
  if (!stats?.isFile())
    throw new ImportRefusal(
      'SOURCE_UNREADABLE',
      `There is no file or folder at ${path}. Correct the path`,
    );
  if (isOpenDatabase(path))
    throw new ImportRefusal(
      'SOURCE_UNREADABLE',
      `${path} is a SQLite database that a program has open: choose a data set of a benchmark`,
    );
  const bytes = readFileBytes(path, context.onBytes);
  const file = { path: basename(path), modifiedAt: stats.mtime, bytes };
  return {
    totalBytes: stats.size,
    entries: readTopEntries(file, context, () => readZipFile(path, context)),
  };
}

async function* reportBytes(bytes: AsyncIterable<Buffer>, { onBytes }: ReadContext) {
  for await (const chunk of bytes) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/**
 * Yields the files of a top-level archive, or the file itself if it is not an archive. `readZip` reads a zip without a
 * temporary copy. Throws ARCHIVE_KIND for an unsupported archive, and ARCHIVE_UNREADABLE for a file that has the name
 * of an archive, but other content.
 */
async function* readTopEntries(
  file: Entry,
  context: ReadContext,
  readZip?: () => AsyncIterable<Entry>,
): AsyncGenerator<Entry> {
  const { head, content } = await inspectStart(file.bytes, headLength);
  const kind = detectContentKind(head);
  try {
    if (kind === 'zip' && readZip) yield* unpackAll(readZip(), context);
    else if (kind !== 'other')
      yield* unpackAll(readArchiveEntries({ ...file, bytes: content }, kind, context), context);
    else if (isArchiveName(file.path)) {
      // If reading the first bytes failed, the content throws the error.
      if (head.length < headLength) await readAll(content, headLength);
      throw makeNotArchiveError(file.path);
    } else {
      context.meter.countEntries(1);
      yield { ...file, bytes: meterBytes(file.path, content, context) };
    }
  } finally {
    await content.return?.();
  }
}

/** Time of reading after which the event loop handles messages, such as a cancellation. */
const sliceMillis = 20;

/** Yields the bytes of a file and counts them, see {@link Meter}. Throws the reason of `signal` if it is aborted. */
async function* meterBytes(
  path: string,
  bytes: AsyncIterable<Buffer>,
  { meter, signal }: ReadContext,
): AsyncGenerator<Buffer> {
  let sliceStart = performance.now();
  for await (const chunk of meter.count(path, bytes)) {
    if (performance.now() - sliceStart > sliceMillis) {
      await new Promise(setImmediate);
      sliceStart = performance.now();
    }
    signal.throwIfAborted();
    yield chunk;
  }
}

function makeNotArchiveError(name: string): ImportRefusal {
  return new ImportRefusal(
    'ARCHIVE_UNREADABLE',
    `${name} has the name of an archive, but other content. Choose an archive or a folder`,
  );
}

async function* readZipFile(path: string, context: ReadContext): AsyncGenerator<Entry> {
  const file = await openFile(path);
  try {
    yield* readZipEntries(file.fd, context);
  } finally {
    await file.close();
  }
}

/**
 * Yields the files of an archive; throws ARCHIVE_KIND for an unsupported archive. `siblingPaths` contains the paths of
 * earlier files next to an archive inside the source. Such an archive counts as a folder. A single file in gzip has its
 * unpacked path instead, unless `siblingPaths` contains this path.
 */
async function* readArchiveEntries(
  file: Entry,
  kind: Exclude<ReturnType<typeof detectContentKind>, 'other'>,
  context: ReadContext,
  siblingPaths?: ReadonlySet<string>,
): AsyncGenerator<Entry> {
  if (kind === 'unsupported-archive') {
    throw new ImportRefusal(
      'ARCHIVE_KIND',
      `${file.path} has an unsupported archive format; use zip, tar, tar.gz or gz`,
    );
  }
  const folder = siblingPaths ? `${file.path}/` : '';
  if (kind === 'tar') yield* prefixPaths(folder, readTarEntries(file.bytes, context));
  else if (kind === 'zip') {
    // Reading `file.bytes` already reports the packed bytes.
    const uncountedContext = { ...context, onBytes: () => {} };
    const readEntries = (descriptor: number) => readZipEntries(descriptor, uncountedContext);
    yield* prefixPaths(folder, spoolEntry(file.bytes, readEntries));
  } else {
    const path = getUnpackedName(file.path);
    const isTaken = siblingPaths?.has(path) ?? false;
    yield* readGzipEntries(file, context, {
      folder,
      path: isTaken ? `${folder}${getBaseName(path)}` : path,
    });
  }
}

/** Yields the files of a tar in gzip with paths below `folder`, or a single file in gzip with the path `path`. */
async function* readGzipEntries(
  file: Entry,
  context: ReadContext,
  { folder, path }: { folder: string; path: string },
): AsyncGenerator<Entry> {
  const { head, content } = await inspectStart(gunzip(file.bytes), headLength);
  if (detectContentKind(head) === 'tar')
    yield* prefixPaths(folder, readTarEntries(content, context));
  else {
    context.meter.countEntries(1);
    // If the head is short, reading may have failed. The importer does not read files with unknown names, so this
    // function reads the rest to detect damage.
    const bytes =
      head.length < headLength ? yieldOnce(await readAll(content, headLength)) : content;
    yield { ...file, path, bytes };
  }
}

async function* yieldOnce(bytes: Buffer | null): AsyncGenerator<Buffer> {
  if (bytes) yield bytes;
}

/**
 * Yields the entries and counts their bytes. Replaces each file that has the name of an archive by the entries of the
 * archive. Skips, with a note, archives that are unreadable or nested too deeply.
 */
async function* unpackAll(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  context: ReadContext,
  depth = 1,
): AsyncGenerator<Entry> {
  const paths = new Set<string>();
  for await (const entry of entries) {
    context.signal.throwIfAborted();
    paths.add(entry.path);
    const bytes = meterBytes(entry.path, entry.bytes, context);
    if (isArchiveName(entry.path)) yield* unpackNested({ ...entry, bytes }, context, depth, paths);
    else yield { ...entry, bytes };
  }
}

async function* unpackNested(
  entry: Entry,
  context: ReadContext,
  depth: number,
  siblingPaths: ReadonlySet<string>,
): AsyncGenerator<Entry> {
  const { head, content } = await inspectStart(entry.bytes, headLength);
  const kind = detectContentKind(head);
  let isNoted = false;
  const noteOnce = (error: unknown) => {
    const code = getUnreadableCode(error);
    if (!isNoted) context.notes.add(code, { file: entry.path });
    isNoted = true;
  };
  /**
   * Yields the bytes of a file. If the archive is unreadable, throws {@link UnreadableEntry}, and adds one note for all
   * files of the archive. Throws other errors unchanged.
   */
  async function* noteFailure(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* bytes;
    } catch (error) {
      if (!(error instanceof UnreadableEntry)) noteOnce(error);
      throw new UnreadableEntry('The archive of this file is unreadable', { cause: error });
    }
  }
  try {
    if (kind === 'other') {
      // If reading the first bytes failed, the content throws the error.
      if (head.length < headLength) await readAll(content, headLength);
      context.notes.add('ARCHIVE_UNREADABLE', { file: entry.path });
    } else if (depth >= maximumDepth) context.notes.add('ARCHIVE_NESTED', { file: entry.path });
    else {
      const archive = { ...entry, bytes: content };
      const archiveEntries = readArchiveEntries(archive, kind, context, siblingPaths);
      const files = unpackAll(archiveEntries, context, depth + 1);
      for await (const file of files) yield { ...file, bytes: noteFailure(file.bytes) };
    }
  } catch (error) {
    noteOnce(error);
  } finally {
    await content.return?.();
  }
}

async function* prefixPaths(folder: string, entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const entry of entries) yield { ...entry, path: folder + entry.path };
}

/** Returns the code of the error of an unreadable archive; throws any other error. */
function getUnreadableCode(error: unknown) {
  if (!(error instanceof ImportRefusal)) throw error;
  const { code } = error;
  if (code !== 'ARCHIVE_KIND' && code !== 'ARCHIVE_UNREADABLE' && code !== 'ARCHIVE_TRUNCATED')
    throw error;
  return code;
}

/** A listed file of a folder, with its path in the folder. It is not open yet. */
export interface FoundFile {
  path: string;
  absolutePath: string;
  size: number;
  inode: number;
  modifiedAt: Date;
}

/**
 * Returns all files below a folder with their sizes, sorted by path. Skips links, devices and names that are not in
 * UTF-8, with notes. Skips open databases, and files and folders that no longer exist, without notes. Rejects with the
 * error of the system if the folder is missing or a folder is unreadable, with ARCHIVE_TOO_LARGE if there are too many
 * entries, and with the reason of `context.signal` if it is aborted.
 */
export async function listFolder(folder: string, context: ReadContext): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  const folders = [''];
  for (let parent = folders.pop(); parent !== undefined; parent = folders.pop()) {
    const entries = readdir(join(folder, parent), { withFileTypes: true });
    const children =
      parent === '' ? await entries : await skipMissingFile(entries, parent, context);
    if (children === null) continue;
    context.meter.countEntries(children.length);
    for (const child of children) {
      const path = parent + child.name;
      if (child.isDirectory()) folders.push(`${path}/`);
      else if (isOpenDatabase(join(folder, path))) continue;
      else if (child.isFile()) {
        const file = await skipMissingFile(inspectFile(folder, path), path, context);
        if (file !== null) files.push(file);
      } else context.notes.add('PATH_REFUSED', { file: path, detail: getKind(child) });
    }
    context.signal.throwIfAborted();
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Returns the result; null if the file or folder is missing, because it no longer exists, or because its name is not in
 * UTF-8. Adds a note in the second case.
 */
async function skipMissingFile<Result>(
  result: Promise<Result>,
  path: string,
  { notes }: ReadContext,
): Promise<Result | null> {
  return result.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    if (path.includes('\uFFFD')) notes.add('NAME_NOT_UTF8', { file: path });
    return null;
  });
}

async function inspectFile(folder: string, path: string): Promise<FoundFile> {
  const absolutePath = join(folder, path);
  const { size, ino, mtime } = await stat(absolutePath);
  return { path, absolutePath, size, inode: ino, modifiedAt: mtime };
}

/**
 * Returns whether a file belongs to a SQLite database with a `-shm` file. A database has this file while a program has
 * the database open with a write-ahead log. If that program is this process, reading and closing the file here would
 * release the locks of SQLite.
 */
export function isOpenDatabase(absolutePath: string): boolean {
  return existsSync(`${absolutePath.replace(/-(?:shm|wal)$/, '')}-shm`);
}

function getKind(child: Dirent): string {
  return child.isSymbolicLink() ? 'a link' : 'a device';
}

/** Yields the files as entries. Opens each file when a reader requests its bytes. */
export function* readFolderEntries(
  files: readonly FoundFile[],
  context: ReadContext,
): Generator<Entry> {
  for (const { path, absolutePath, modifiedAt } of files) {
    yield { path, modifiedAt, bytes: readFileBytes(absolutePath, context.onBytes) };
  }
}

/**
 * Yields the bytes of a file and calls `onBytes` for each chunk. Throws the errors of {@link openFile}, and the error
 * of the system if reading fails.
 */
export async function* readFileBytes(
  absolutePath: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const file = await openFile(absolutePath);
  for await (const chunk of file.createReadStream({ highWaterMark: 256 * 1024 })) {
    const bytes = chunk as Buffer;
    onBytes(bytes.length);
    yield bytes;
  }
}

/**
 * Flags that open a pipe without waiting for its other end. Windows has no such flag, and no pipes in its file system.
 */
const nonBlockingFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file for reading. Throws SOURCE_UNREADABLE if it has become a pipe, device or folder, and the error of the
 * system if opening fails. Does not wait for the other end of a pipe, because an import cannot cancel that wait.
 */
export async function openFile(absolutePath: string): Promise<FileHandle> {
  const file = await open(absolutePath, nonBlockingFlags);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new ImportRefusal(
    'SOURCE_UNREADABLE',
    `${absolutePath} is no longer a file. Restore it, and import again`,
  );
}
