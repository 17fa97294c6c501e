import { read } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NoteBook } from '#server/import/notes.ts';
import { ImportRefusal } from '#server/import/refusal.ts';

/** A file of a source. A reader must read its bytes before it requests the next entry. */
export interface Entry {
  /**
   * Path in the source, with `/` between its parts. An archive inside the source counts as a folder. A single file in
   * gzip has its unpacked path instead, unless an earlier file has this path.
   */
  path: string;
  modifiedAt: Date;
  bytes: AsyncIterable<Buffer>;
}

/** Error of a file whose archive, inside the source, is unreadable from this position on. Readers skip the file. */
export class UnreadableEntry extends Error {}

/** The shared state of all readers of a source. */
export interface ReadContext {
  meter: Meter;
  notes: NoteBook;
  /** Receives the number of packed bytes of the source that the readers have read since the last call. */
  onBytes: (bytes: number) => void;
  signal: AbortSignal;
}

/**
 * Returns the path of an entry in its folder or archive, with `/` between its parts, without empty parts and parts `.`.
 * Both `/` and `\` separate the parts of `name`. Returns null if `name` is absolute, begins with a letter and a colon,
 * contains a part `..` or a NUL byte, or has no other parts.
 */
export function toInsidePath(name: string): string | null {
  const path = name.replaceAll('\\', '/');
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.includes('\0')) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? null : parts.join('/');
}

/** Returns the path of `name`, which is relative to the folder of `file`; null if {@link toInsidePath} returns null. */
export function resolveSibling(file: string, name: string): string | null {
  const path = toInsidePath(name);
  return path === null ? null : `${getFolder(file)}${path}`;
}

/** Returns the folder of a path with a `/` at the end; an empty text for a path without a folder. */
export function getFolder(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Returns the last part of a path. */
export function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * Returns whether a file is a system file of macOS or Windows: its path contains the part `__MACOSX`, or its name is
 * `._…`, `.DS_Store` or `Thumbs.db` in any letter case.
 */
export function isSystemFile(path: string): boolean {
  return (
    path.split('/').includes('__MACOSX') ||
    /^(\._.*|\.DS_Store|Thumbs\.db)$/i.test(getBaseName(path))
  );
}

const chunkBytes = 256 * 1024;

/** Yields the bytes of an open file from its beginning. Leaves it open; a stream would close it. */
export async function* readDescriptor(descriptor: number): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await promisify(read)(descriptor, chunk, 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/**
 * Returns the first bytes of a stream as `head`, and the whole stream, including these bytes, as `content`. `head` has
 * at least `length` bytes unless the stream is shorter or fails. If reading the first bytes fails, `content` throws the
 * error. A caller that does not read `content` to the end must call its `return`.
 */
export async function inspectStart(
  bytes: AsyncIterable<Buffer>,
  length: number,
): Promise<{ head: Buffer; content: AsyncIterableIterator<Buffer> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const steps: (() => Promise<IteratorResult<Buffer>>)[] = [];
  const chunks: Buffer[] = [];
  while (getSize(chunks) < length && steps.length === chunks.length) {
    const step = iterator.next();
    steps.push(() => step);
    const { done, value } = await step.catch(() => ({ done: true, value: undefined }) as const);
    if (!done) chunks.push(value);
  }
  const readNext = () => (steps.shift() ?? (() => iterator.next()))();
  const content: AsyncIterableIterator<Buffer> = {
    next: readNext,
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => content,
  };
  return { head: Buffer.concat(chunks), content };
}

function getSize(chunks: readonly Buffer[]): number {
  return chunks.reduce((size, chunk) => size + chunk.length, 0);
}

/**
 * Returns the bytes without an incomplete UTF-8 character at their end, because the rest of the character may follow
 * later. With a part of a character, the whole text would not be valid UTF-8.
 */
export function removePartialCharacter(bytes: Buffer): Buffer {
  for (let length = 1; length <= Math.min(3, bytes.length); length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const characterBytes = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length < characterBytes ? bytes.subarray(0, -length) : bytes;
  }
  return bytes;
}

/** Returns all bytes of a stream; null if there are more than `maximum`, without reading the rest. */
export async function readAll(
  bytes: AsyncIterable<Buffer>,
  maximum: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maximum) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A temporary file that no other user can read. It is open until `remove` closes and deletes it. */
export interface SpooledFile {
  descriptor: number;
  size: number;
  remove: () => Promise<void>;
}

/**
 * Writes bytes to a temporary file. If the system allows it, the file has no name while it is open, so the system
 * deletes it even if the process is killed. If reading or writing the bytes fails, deletes the file and rejects with
 * the error; otherwise the caller removes it.
 */
export async function spool(bytes: AsyncIterable<Buffer>): Promise<SpooledFile> {
  const folder = await mkdtemp(join(tmpdir(), 'evoscope-import-'));
  const deleteFolder = () => rm(folder, { recursive: true, force: true });
  const file = await open(join(folder, 'source'), 'wx+', 0o600);
  const remove = async () => {
    await file.close();
    await deleteFolder();
  };
  await deleteFolder().catch(() => {});
  let size = 0;
  try {
    for await (const chunk of bytes) {
      // In contrast to `write`, writes the whole chunk or rejects.
      await file.writeFile(chunk);
      size += chunk.length;
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { descriptor: file.fd, size, remove };
}

/**
 * Yields the items of `readItems`, which gets the descriptor of a temporary file with the bytes. Deletes the file
 * afterwards. A zip needs such a file, because its directory is at the end.
 */
export async function* spoolEntry<Item>(
  bytes: AsyncIterable<Buffer>,
  readItems: (descriptor: number) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const file = await spool(bytes);
  try {
    yield* readItems(file.descriptor);
  } finally {
    await file.remove();
  }
}

/** Limits of a source: number of entries in all folders and archives, and unpacked bytes in total and of one file. */
export interface Limits {
  entries: number;
  bytes: number;
  fileBytes: number;
}

/** Limits of a source: 100,000 entries, 4 GiB in total and 1 GiB for one file. */
export const defaultLimits: Limits = { entries: 100_000, bytes: 4 * 2 ** 30, fileBytes: 2 ** 30 };

/** Counts the entries and bytes of a source, and throws ARCHIVE_TOO_LARGE if they exceed the limits. */
export class Meter {
  readonly #limits: Limits;
  #entryCount = 0;
  #byteCount = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Counts entries, including those that no reader reads. */
  countEntries(count: number): void {
    this.#entryCount += count;
    if (this.#entryCount > this.#limits.entries)
      throwTooLargeError(
        `it has more than ${this.#limits.entries.toLocaleString('en')} files and folders`,
      );
  }

  /** Counts the bytes of one file, and yields them. An archive in the source counts as a file. */
  async *count(path: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let fileBytes = 0;
    for await (const chunk of bytes) {
      fileBytes += chunk.length;
      this.#byteCount += chunk.length;
      if (fileBytes > this.#limits.fileBytes)
        throwTooLargeError(`${path} alone is larger than ${formatLimit(this.#limits.fileBytes)}`);
      if (this.#byteCount > this.#limits.bytes)
        throwTooLargeError(`it has more than ${formatLimit(this.#limits.bytes)}`);
      yield chunk;
    }
  }
}

/** Throws an {@link ImportRefusal} ARCHIVE_TOO_LARGE with a reason and a next step. */
export function throwTooLargeError(reason: string, nextStep = 'Import it in parts'): never {
  throw new ImportRefusal('ARCHIVE_TOO_LARGE', `The source is too large: ${reason}. ${nextStep}`);
}

/** Returns a limit in bytes as text: in GB if it is a multiple of 2^30 bytes, otherwise in bytes. */
export function formatLimit(bytes: number): string {
  return bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GB` : `${bytes.toLocaleString('en')} bytes`;
}
