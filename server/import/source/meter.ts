import { ImportRefused } from '../refusal.ts';

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
