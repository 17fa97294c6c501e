import { constants, crc32, deflateRawSync } from 'node:zlib';

/** The open file of an archive. */
interface OpenFile {
  name: string;
  modifiedAt: Date;
  /** Position of the header of the file, in bytes. */
  start: number;
  checksum: number;
  /** Number of bytes of its content before compression. */
  size: number;
  compressedSize: number;
}

/** The state of a partly written archive, from which the next writer continues. `file` is null if no file is open. */
export interface ZipState {
  /** Number of written bytes. */
  offset: number;
  /** Entries of the central directory. */
  directory: Uint8Array<ArrayBuffer>;
  fileCount: number;
  file: OpenFile | null;
}

const maximumBytes = 0xff_ff_ff_ff;
const maximumFiles = 0xff_fe;

/** Version 2.0 of the format, which supports deflated files. */
const version = 20;
/** General purpose flags: sizes follow the content, and names are in UTF-8. */
const flags = 0x08_08;
const deflateMethod = 8;
/**
 * Empty last block of deflated content. The writer deflates content in parts and ends each part with a flush, so only
 * this block ends the content.
 */
const lastBlock = Buffer.from([3, 0]);

/**
 * Writes a zip archive in parts, so no file has to be in memory as a whole. {@link ZipWriter.take} returns the bytes of
 * a part, and a state from which another writer can continue, even in another thread. At most one file is open at a
 * time: `open` throws an Error if a file is open. `close`, and `write` with content, throw an Error if no file is open.
 * The methods throw a RangeError if the archive or a file has 4 GiB or more, and if the archive has more than 65,534
 * files. Follows PKWARE APPNOTE 6.3.10, without ZIP64.
 */
export class ZipWriter {
  readonly #parts: Uint8Array[] = [];
  /** Entries of the directory that this writer has added. */
  readonly #entries: Uint8Array[] = [];
  readonly #state: ZipState;

  /** Continues an archive from its state, or starts one without a state. */
  constructor(state?: ZipState) {
    this.#state = state
      ? { ...state, file: state.file && { ...state.file } }
      : { offset: 0, directory: new Uint8Array(), fileCount: 0, file: null };
  }

  /** Whether a file is open. */
  get isOpen(): boolean {
    return this.#state.file !== null;
  }

  /** Starts a file. The caller ensures that the name is a safe and unique relative path. */
  open(name: string, modifiedAt: Date): void {
    if (this.#state.file)
      throw new Error('The previous file is still open. Close it before you open another one.');
    if (this.#state.fileCount >= maximumFiles)
      throw new RangeError(`A zip archive has at most ${maximumFiles} files. Select fewer runs.`);
    const encodedName = Buffer.from(name);
    const start = this.#state.offset;
    this.#state.file = { name, modifiedAt, start, checksum: 0, size: 0, compressedSize: 0 };
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04_03_4b_50, 0);
    writeFields(header, 4, modifiedAt);
    header.writeUInt16LE(encodedName.length, 26);
    header.writeUInt16LE(timeLength, 28);
    this.#push(header, encodedName, formatTime(modifiedAt));
  }

  /** Appends content to the open file; text as UTF-8. Empty content has no effect, even if no file is open. */
  write(content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (bytes.length === 0) return;
    const file = this.#requireFile();
    const deflatedBytes = deflateRawSync(bytes, { level: 6, finishFlush: constants.Z_SYNC_FLUSH });
    file.checksum = crc32(bytes, file.checksum);
    file.size = checkSize(file.size + bytes.length);
    file.compressedSize += deflatedBytes.length;
    this.#push(deflatedBytes);
  }

  /** Ends the open file. */
  close(): void {
    const file = this.#requireFile();
    file.compressedSize += lastBlock.length;
    const descriptor = Buffer.alloc(16);
    descriptor.writeUInt32LE(0x08_07_4b_50, 0);
    writeSizes(descriptor, 4, file);
    this.#push(lastBlock, descriptor);
    const encodedName = Buffer.from(file.name);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02_01_4b_50, 0);
    entry.writeUInt16LE(version, 4);
    writeFields(entry, 6, file.modifiedAt);
    writeSizes(entry, 16, file);
    entry.writeUInt16LE(encodedName.length, 28);
    entry.writeUInt16LE(timeLength, 30);
    entry.writeUInt32LE(file.start, 42);
    this.#entries.push(entry, encodedName, formatTime(file.modifiedAt));
    this.#state.fileCount += 1;
    this.#state.file = null;
  }

  /** Ends the archive. The caller must close the last file before this call. */
  end(): void {
    const { offset, fileCount } = this.#state;
    const directory = this.#getDirectory();
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06_05_4b_50, 0);
    end.writeUInt16LE(fileCount, 8);
    end.writeUInt16LE(fileCount, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(offset, 16);
    this.#push(directory, end);
  }

  /** Returns the bytes that this writer has written, and the state for the next writer. */
  take(): { bytes: Uint8Array<ArrayBuffer>; state: ZipState } {
    const state = { ...this.#state, directory: this.#getDirectory() };
    return { bytes: Uint8Array.from(Buffer.concat(this.#parts)), state };
  }

  #getDirectory(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(Buffer.concat([this.#state.directory, ...this.#entries]));
  }

  #requireFile(): OpenFile {
    if (!this.#state.file)
      throw new Error('No file is open. Open one before you write or close it.');
    return this.#state.file;
  }

  #push(...parts: Uint8Array[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#state.offset = checkSize(this.#state.offset + part.length);
    }
  }
}

function checkSize(size: number): number {
  if (size > maximumBytes)
    throw new RangeError(
      'A zip archive and each of its files must have less than 4 GiB. Select fewer runs.',
    );
  return size;
}

/** Writes version, flags, method, time and date, which the header of a file and its entry in the directory share. */
function writeFields(buffer: Buffer, offset: number, modifiedAt: Date): void {
  buffer.writeUInt16LE(version, offset);
  buffer.writeUInt16LE(flags, offset + 2);
  buffer.writeUInt16LE(deflateMethod, offset + 4);
  const { time, date } = getDosTime(modifiedAt);
  buffer.writeUInt16LE(time, offset + 6);
  buffer.writeUInt16LE(date, offset + 8);
}

function writeSizes(
  buffer: Buffer,
  offset: number,
  { checksum, compressedSize, size }: OpenFile,
): void {
  buffer.writeUInt32LE(checksum, offset);
  buffer.writeUInt32LE(compressedSize, offset + 4);
  buffer.writeUInt32LE(size, offset + 8);
}

/**
 * Returns the time and date of an instant in the format of MS-DOS: UTC, rounded down to even seconds. A year before
 * 1980 becomes 1980, and a year after 2107 becomes 2107.
 */
function getDosTime(instant: Date): { time: number; date: number } {
  const year = Math.min(Math.max(instant.getUTCFullYear(), 1980), 2107) - 1980;
  return {
    time:
      (instant.getUTCHours() << 11) |
      (instant.getUTCMinutes() << 5) |
      (instant.getUTCSeconds() >> 1),
    date: (year << 9) | ((instant.getUTCMonth() + 1) << 5) | instant.getUTCDate(),
  };
}

const timeLength = 9;

/** Returns the extra field with the time of modification: whole seconds since 1970 in UTC, limited to 0 to 2^31 − 1. */
function formatTime(instant: Date): Buffer {
  const field = Buffer.alloc(timeLength);
  field.writeUInt16LE(0x54_55, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  const seconds = Math.floor(instant.getTime() / 1_000);
  field.writeInt32LE(Math.min(Math.max(seconds, 0), 0x7f_ff_ff_ff), 5);
  return field;
}
