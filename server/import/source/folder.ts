import { constants, existsSync, type Dirent } from 'node:fs';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ImportRefused } from '../refusal.ts';
import type { Entry, Reading } from './entry.ts';

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

/** The files as entries, each opened when its bytes are asked for. */
export function* folderEntries(files: readonly FoundFile[], reading: Reading): Generator<Entry> {
  for (const { path, absolute, modifiedAt } of files) {
    yield { path, modifiedAt, bytes: fileBytes(absolute, reading.onBytes) };
  }
}

/** The bytes of a file; `onBytes` is told of each chunk. Throws SOURCE_UNREADABLE for what is no file any more. */
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
 * whoever waits for the other end of a pipe cannot be told that the import was cancelled. Throws SOURCE_UNREADABLE.
 */
export async function openFile(absolute: string): Promise<FileHandle> {
  const file = await open(absolute, withoutWaiting);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new ImportRefused('SOURCE_UNREADABLE', `There is no file any more at ${absolute}`);
}
