import { constants, existsSync, type Dirent } from 'node:fs';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ImportRefused } from '#server/import/refusal.ts';
import {
  contentKind,
  gunzip,
  headLength,
  isArchiveName,
  tarEntries,
  unpackedName,
  zipEntries,
} from './archives.ts';
import { descriptorBytes, type Entry, peek, readAll, type Reading, withSpooled } from './entry.ts';

/**
 * A folder, archive or table of this machine, or an archive or table under a name: its bytes, or an open file that
 * holds them and stays open.
 */
export type ImportSource =
  | { path: string }
  | { name: string; bytes: AsyncIterable<Buffer>; size?: number | undefined }
  | { name: string; descriptor: number; size: number };

/** A source that is open: how large it is as it was given, null = unknown, and its files. */
interface OpenSource {
  totalBytes: number | null;
  entries: AsyncIterable<Entry>;
}

/** Deeper in one another archives are not opened. */
const deepest = 3;

/** The base name of a source without what says how it is packed. */
export function sourceName(source: ImportSource): string {
  const name = 'path' in source ? basename(resolve(source.path)) : basename(source.name);
  return unpackedName(name).replace(/\.(csv|tsv|jsonl|ndjson|info|json)$/i, '') || 'data set';
}

/**
 * Opens a source. Its entries throw {@link ImportRefused} where it cannot be read as a whole; an archive within
 * that cannot be read is noted and left out. Throws SOURCE_UNREADABLE when there is nothing at the path.
 */
export async function openSource(source: ImportSource, reading: Reading): Promise<OpenSource> {
  if ('bytes' in source) {
    const { name, bytes, size } = source;
    const file = { path: basename(name), modifiedAt: new Date(), bytes: counted(bytes, reading) };
    return { totalBytes: size ?? null, entries: topEntries(file, reading) };
  }
  if ('descriptor' in source) {
    const { name, descriptor, size } = source;
    const bytes = counted(descriptorBytes(descriptor), reading);
    const file = { path: basename(name), modifiedAt: new Date(), bytes };
    const zip = () => zipEntries(descriptor, reading);
    return { totalBytes: size, entries: topEntries(file, reading, zip) };
  }
  const path = resolve(source.path);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) {
    const files = await listFolder(path, reading);
    const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
    return { totalBytes, entries: unpackAll(folderEntries(files, reading), reading) };
  }
  if (!found?.isFile())
    throw new ImportRefused('SOURCE_UNREADABLE', `There is no file or folder at ${path}`);
  if (isOpenDatabase(path))
    throw new ImportRefused(
      'SOURCE_UNREADABLE',
      `${path} is a SQLite database that a program has open: choose a data set of a benchmark`,
    );
  const bytes = fileBytes(path, reading.onBytes);
  const file = { path: basename(path), modifiedAt: found.mtime, bytes };
  return { totalBytes: found.size, entries: topEntries(file, reading, () => zipOf(path, reading)) };
}

async function* counted(bytes: AsyncIterable<Buffer>, { onBytes }: Reading) {
  for await (const chunk of bytes) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/**
 * The files of an archive that was chosen, or the file itself where it is none. `zip` reads it as a zip where that
 * needs no copy of it.
 */
async function* topEntries(
  file: Entry,
  reading: Reading,
  zip?: () => AsyncIterable<Entry>,
): AsyncGenerator<Entry> {
  const { head, whole } = await peek(file.bytes, headLength);
  const kind = contentKind(head);
  try {
    if (kind === 'zip' && zip) yield* unpackAll(zip(), reading);
    else if (kind !== 'other')
      yield* unpackAll(archiveEntries({ ...file, bytes: whole }, kind, reading), reading);
    else if (isArchiveName(file.path)) throw notAnArchive(file.path);
    else {
      reading.meter.countEntries(1);
      yield { ...file, bytes: measured(file.path, whole, reading) };
    }
  } finally {
    await whole.return?.();
  }
}

/** How long reading may go on before messages, such as that it is cancelled, have their turn. */
const turnMillis = 20;

/** The bytes of a file, counted; ends the reading once the import is cancelled, whatever reads them. */
async function* measured(
  path: string,
  bytes: AsyncIterable<Buffer>,
  { meter, signal }: Reading,
): AsyncGenerator<Buffer> {
  let turnAt = performance.now();
  for await (const chunk of meter.count(path, bytes)) {
    if (performance.now() - turnAt > turnMillis) {
      await new Promise(setImmediate);
      turnAt = performance.now();
    }
    signal.throwIfAborted();
    yield chunk;
  }
}

function notAnArchive(name: string): ImportRefused {
  return new ImportRefused('ARCHIVE_UNREADABLE', `${name} is no archive by its content`);
}

async function* zipOf(path: string, reading: Reading): AsyncGenerator<Entry> {
  const file = await openFile(path);
  try {
    yield* zipEntries(file.fd, reading);
  } finally {
    await file.close();
  }
}

async function* archiveEntries(
  file: Entry,
  kind: Exclude<ReturnType<typeof contentKind>, 'other'>,
  reading: Reading,
): AsyncGenerator<Entry> {
  if (kind === 'unreadable-archive') {
    throw new ImportRefused(
      'ARCHIVE_KIND',
      `${file.path} is of a kind that cannot be read: zip, tar, tar.gz and gz can`,
    );
  }
  if (kind === 'tar') yield* tarEntries(file.bytes, reading);
  else if (kind === 'zip') {
    // What is inside is counted when it is unpacked, not once more on the way.
    const silent = { ...reading, onBytes: () => {} };
    yield* withSpooled(file.bytes, (descriptor) => zipEntries(descriptor, silent));
  } else yield* gzipEntries(file, reading);
}

async function* gzipEntries(file: Entry, reading: Reading): AsyncGenerator<Entry> {
  const { head, whole } = await peek(gunzip(file.bytes), headLength);
  if (contentKind(head) === 'tar') yield* tarEntries(whole, reading);
  else {
    reading.meter.countEntries(1);
    // An archive that ends so early may be damaged, and no format would notice if none knows the name of its file.
    const bytes = head.length < headLength ? once(await readAll(whole, headLength)) : whole;
    yield { ...file, path: unpackedName(file.path), bytes };
  }
}

async function* once(bytes: Buffer | null): AsyncGenerator<Buffer> {
  if (bytes) yield bytes;
}

/** The entries with those of archives among them in their place, all counted. */
async function* unpackAll(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  reading: Reading,
  depth = 1,
): AsyncGenerator<Entry> {
  for await (const entry of entries) {
    reading.signal.throwIfAborted();
    const bytes = measured(entry.path, entry.bytes, reading);
    if (isArchiveName(entry.path)) yield* unpackNested({ ...entry, bytes }, reading, depth);
    else yield { ...entry, bytes };
  }
}

async function* unpackNested(entry: Entry, reading: Reading, depth: number): AsyncGenerator<Entry> {
  const { head, whole } = await peek(entry.bytes, headLength);
  const kind = contentKind(head);
  try {
    if (kind === 'other') reading.notes.add('ARCHIVE_UNREADABLE', { file: entry.path });
    else if (depth >= deepest) reading.notes.add('ARCHIVE_NESTED', { file: entry.path });
    else {
      const inner = archiveEntries({ ...entry, bytes: whole }, kind, reading);
      yield* unpackAll(inFolder(entry.path, inner), reading, depth + 1);
    }
  } catch (error) {
    noteRefusal(error, entry.path, reading);
  } finally {
    await whole.return?.();
  }
}

async function* inFolder(folder: string, entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const entry of entries) yield { ...entry, path: `${folder}/${entry.path}` };
}

function noteRefusal(error: unknown, file: string, { notes }: Reading): void {
  if (!(error instanceof ImportRefused)) throw error;
  const { code } = error;
  if (code !== 'ARCHIVE_KIND' && code !== 'ARCHIVE_UNREADABLE' && code !== 'ARCHIVE_TRUNCATED')
    throw error;
  notes.add(code, { file });
}

/** A file found in a folder, not opened yet. */
interface FoundFile {
  path: string;
  absolute: string;
  size: number;
  modifiedAt: Date;
}

/**
 * All files below a folder with their sizes, by path; links and devices are noted and never opened, open databases are
 * skipped.
 */
export async function listFolder(folder: string, reading: Reading): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const folders = [''];
  for (let parent = folders.pop(); parent !== undefined; parent = folders.pop()) {
    const children = await readdir(join(folder, parent), { withFileTypes: true });
    reading.meter.countEntries(children.length);
    for (const child of children) {
      const path = parent + child.name;
      if (child.isDirectory()) folders.push(`${path}/`);
      else if (isOpenDatabase(join(folder, path))) continue;
      else if (child.isFile()) found.push(await foundFile(folder, path));
      else reading.notes.add('PATH_REFUSED', { file: path, detail: kindOf(child) });
    }
    reading.signal.throwIfAborted();
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function foundFile(folder: string, path: string): Promise<FoundFile> {
  const absolute = join(folder, path);
  const { size, mtime } = await stat(absolute);
  return { path, absolute, size, modifiedAt: mtime };
}

/**
 * Whether a file belongs to a SQLite database with a write-ahead log that a program has open, which may be this process:
 * it would lose its locks on a file that it reads and closes here.
 */
export function isOpenDatabase(absolute: string): boolean {
  return existsSync(`${absolute.replace(/-(?:shm|wal)$/, '')}-shm`);
}

function kindOf(child: Dirent): string {
  return child.isSymbolicLink() ? 'a link' : 'a device';
}

/** Yields the files as entries, each opened when its bytes are requested. */
export function* folderEntries(files: readonly FoundFile[], reading: Reading): Generator<Entry> {
  for (const { path, absolute, modifiedAt } of files) {
    yield { path, modifiedAt, bytes: fileBytes(absolute, reading.onBytes) };
  }
}

/** Yields the bytes of a file; `onBytes` is called for each chunk. Throws SOURCE_UNREADABLE for what is no longer a file. */
export async function* fileBytes(
  absolute: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const file = await openFile(absolute);
  for await (const chunk of file.createReadStream({ highWaterMark: 256 * 1024 })) {
    const bytes = chunk as Buffer;
    onBytes(bytes.length);
    yield bytes;
  }
}

/** Windows knows no such flag, and has no pipes among its files. */
const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file to read it. What has become a pipe or a device since it was found is refused, and nothing is waited for:
 * a read that waits for the other end of a pipe cannot be cancelled with the import. Throws SOURCE_UNREADABLE.
 */
export async function openFile(absolute: string): Promise<FileHandle> {
  const file = await open(absolute, withoutWaiting);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new ImportRefused('SOURCE_UNREADABLE', `There is no file any more at ${absolute}`);
}
