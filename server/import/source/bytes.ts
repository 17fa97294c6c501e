import { ImportRefused } from '#server/import/refusal.ts';
import { createGunzip } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { read } from 'node:fs';

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

/** Most of a source that is read: entries of all archives together, bytes unpacked, bytes of one file. */
export interface Limits {
  entries: number;
  bytes: number;
  fileBytes: number;
}

export const defaultLimits: Limits = { entries: 100_000, bytes: 4 * 2 ** 30, fileBytes: 2 ** 30 };

/** Text of benchmarks packs 5 to 30 times; what unpacks to more than this many times its size is made to harm. */
const largestRatio = 200;
/** So much unpacks whatever its ratio. */
const harmlessBytes = 64 * 2 ** 20;

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

/** Throws ARCHIVE_TOO_LARGE where `packed` bytes have unpacked to more than data of benchmarks ever do. */
export function checkRatio(packed: number, unpacked: number): void {
  if (unpacked > harmlessBytes && unpacked > packed * largestRatio)
    tooLarge(`it unpacks to more than ${largestRatio} times its size`);
}

function tooLarge(reason: string): never {
  throw new ImportRefused('ARCHIVE_TOO_LARGE', `The source is too large: ${reason}`);
}

function sizeText(bytes: number): string {
  return bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GB` : `${bytes} bytes`;
}

/**
 * The unpacked bytes. Throws {@link ImportRefused}: ARCHIVE_TRUNCATED where the packed ones end early,
 * ARCHIVE_UNREADABLE where they are damaged, ARCHIVE_TOO_LARGE where they unpack to far more than data do.
 */
export async function* gunzip(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let packedBytes = 0;
  let unpackedBytes = 0;
  async function* counted() {
    for await (const chunk of packed) {
      packedBytes += chunk.length;
      yield chunk;
    }
  }
  const unpacked = createGunzip({ chunkSize: 256 * 1024 });
  pipeline(Readable.from(counted()), unpacked, () => {});
  try {
    for await (const chunk of unpacked) {
      const bytes = chunk as Buffer;
      unpackedBytes += bytes.length;
      checkRatio(packedBytes, unpackedBytes);
      yield bytes;
    }
  } catch (error) {
    throw refusalOf(error);
  } finally {
    unpacked.destroy();
  }
}

function refusalOf(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return truncated();
  if (code === 'Z_DATA_ERROR')
    return new ImportRefused('ARCHIVE_UNREADABLE', 'The archive is damaged: it cannot be unpacked');
  return error;
}

/** The refusal of an archive that ends early. */
export function truncated(): ImportRefused {
  return new ImportRefused(
    'ARCHIVE_TRUNCATED',
    'The archive ends early, as after a download that broke off',
  );
}
