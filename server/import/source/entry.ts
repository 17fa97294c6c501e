import { read } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NoteBook } from '#server/import/notes.ts';
import { ImportRefused } from '#server/import/refusal.ts';

/** A file of a source. Its bytes must be read, or given up, before the next entry is requested. */
export interface Entry {
  /** Inside of the source, with `/` between its parts; an archive within counts as a folder. */
  path: string;
  modifiedAt: Date;
  bytes: AsyncIterable<Buffer>;
}

/** What every reader of a source counts with and notes in. */
export interface Reading {
  meter: Meter;
  notes: NoteBook;
  /** Called after every chunk with the number of bytes of the given source that are read. */
  onBytes: (bytes: number) => void;
  signal: AbortSignal;
}

/**
 * The path of an entry inside of its folder or archive, with `/` between its parts and without `.`; null where
 * it is absolute, climbs out with `..`, or is no path at all.
 */
export function insidePath(name: string): string | null {
  const path = name.replaceAll('\\', '/');
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.includes('\0')) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? null : parts.join('/');
}

/** The path of a file that another one names relative to its own folder; null as {@link insidePath} says. */
export function siblingPath(file: string, name: string): string | null {
  const path = insidePath(name);
  return path === null ? null : `${folderOf(file)}${path}`;
}

/** The folder of a path with a `/` at the end; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether operating systems, not people, put the file there: resource forks and folder settings. */
export function isClutter(path: string): boolean {
  return (
    path.split('/').includes('__MACOSX') || /^(\._.*|\.DS_Store|Thumbs\.db)$/i.test(baseName(path))
  );
}

const chunkBytes = 256 * 1024;

/** The bytes of an open file from its beginning; it stays open, as no stream of it would leave it. */
export async function* descriptorBytes(descriptor: number): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await promisify(read)(descriptor, chunk, 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/**
 * The first bytes of a stream, at least `length` unless it is shorter, and the whole stream with them; an error
 * in those first bytes is thrown by the stream. A caller that does not read it to its end must call its `return`.
 */
export async function peek(
  bytes: AsyncIterable<Buffer>,
  length: number,
): Promise<{ head: Buffer; whole: AsyncIterableIterator<Buffer> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const steps: (() => Promise<IteratorResult<Buffer>>)[] = [];
  const chunks: Buffer[] = [];
  while (sizeOf(chunks) < length && steps.length === chunks.length) {
    const step = iterator.next();
    steps.push(() => step);
    const { done, value } = await step.catch(() => ({ done: true, value: undefined }) as const);
    if (!done) chunks.push(value);
  }
  const next = () => (steps.shift() ?? (() => iterator.next()))();
  const whole: AsyncIterableIterator<Buffer> = {
    next,
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]: () => whole,
  };
  return { head: Buffer.concat(chunks), whole };
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((size, chunk) => size + chunk.length, 0);
}

/** All bytes of a stream; null where they are more than `maximum`, with the rest unread. */
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

/** A temporary file that no other user can read, open until it is removed. */
export interface SpooledFile {
  descriptor: number;
  size: number;
  remove: () => Promise<void>;
}

/**
 * Puts bytes, packed as they are, into a temporary file. Where the system allows it the file has no name while it
 * is open, so that nothing is left of it even when the process is killed. Nothing is left of it either when `bytes`
 * throws.
 */
export async function spool(bytes: AsyncIterable<Buffer>): Promise<SpooledFile> {
  const folder = await mkdtemp(join(tmpdir(), 'evoscope-import-'));
  const forget = () => rm(folder, { recursive: true, force: true });
  const file = await open(join(folder, 'source'), 'wx+', 0o600);
  const remove = async () => {
    await file.close();
    await forget();
  };
  await forget().catch(() => {});
  let size = 0;
  try {
    for await (const chunk of bytes) size += (await file.write(chunk)).bytesWritten;
  } catch (error) {
    await remove();
    throw error;
  }
  return { descriptor: file.fd, size, remove };
}

/**
 * Runs `work` with the descriptor of a temporary file that holds the bytes: the directory of a zip is at its
 * end, so that it cannot be read as a stream.
 */
export async function* withSpooled<Item>(
  bytes: AsyncIterable<Buffer>,
  work: (descriptor: number) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const file = await spool(bytes);
  try {
    yield* work(file.descriptor);
  } finally {
    await file.remove();
  }
}

/** Most of a source that is read: entries of all archives together, bytes unpacked, bytes of one file. */
export interface Limits {
  entries: number;
  bytes: number;
  fileBytes: number;
}

export const defaultLimits: Limits = { entries: 100_000, bytes: 4 * 2 ** 30, fileBytes: 2 ** 30 };

/** Counts what is read of a source, and throws ARCHIVE_TOO_LARGE where it is more than the limits. */
export class Meter {
  readonly #limits: Limits;
  #entries = 0;
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Counts entries, read or not. */
  countEntries(entries: number): void {
    this.#entries += entries;
    if (this.#entries > this.#limits.entries)
      tooLarge(`more than ${this.#limits.entries.toLocaleString('en')} files`);
  }

  /** Passes the bytes of one file on and counts them. */
  async *count(path: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let fileBytes = 0;
    for await (const chunk of bytes) {
      fileBytes += chunk.length;
      this.#bytes += chunk.length;
      if (fileBytes > this.#limits.fileBytes)
        tooLarge(`${path} alone is larger than ${sizeText(this.#limits.fileBytes)}`);
      if (this.#bytes > this.#limits.bytes)
        tooLarge(`it holds more than ${sizeText(this.#limits.bytes)}`);
      yield chunk;
    }
  }
}

/** Throws ARCHIVE_TOO_LARGE with a reason. */
export function tooLarge(reason: string): never {
  throw new ImportRefused('ARCHIVE_TOO_LARGE', `The source is too large: ${reason}`);
}

function sizeText(bytes: number): string {
  return bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GB` : `${bytes} bytes`;
}
