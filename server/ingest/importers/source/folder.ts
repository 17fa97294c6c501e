import { createReadStream, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Entry, Reading } from './entry.ts';

/** A file found in a folder, not opened yet. */
interface FoundFile {
  path: string;
  absolute: string;
  size: number;
  modifiedAt: Date;
}

/** All files below a folder with their sizes, by path; links and devices are noted and never opened. */
export async function listFolder(folder: string, reading: Reading): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const folders = [''];
  for (let parent = folders.pop(); parent !== undefined; parent = folders.pop()) {
    const children = await readdir(join(folder, parent), { withFileTypes: true });
    reading.meter.countEntries(children.length);
    for (const child of children) {
      const path = parent + child.name;
      if (child.isDirectory()) folders.push(`${path}/`);
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

function kindOf(child: Dirent): string {
  return child.isSymbolicLink() ? 'a link' : 'a device';
}

/** The files as entries, each opened when its bytes are asked for. */
export function* folderEntries(files: readonly FoundFile[], reading: Reading): Generator<Entry> {
  for (const { path, absolute, modifiedAt } of files) {
    yield { path, modifiedAt, bytes: fileBytes(absolute, reading.onBytes) };
  }
}

/** The bytes of a file; `onBytes` is told of each chunk. */
export async function* fileBytes(
  absolute: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(absolute, { highWaterMark: 256 * 1024 })) {
    const bytes = chunk as Buffer;
    onBytes(bytes.length);
    yield bytes;
  }
}
