import { createHash, hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lutimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import {
  getPackedNumbers,
  readPackedTraces,
  type PackedTrace,
  type TraceToRead,
} from '#server/analysis/shared-traces.ts';
import { bytesPerMegabyte } from '#server/analysis/memory.ts';
import type { Database } from '#server/db/database.ts';
import { StartUpError } from '#server/db/start-up-error.ts';

/** Options of the cache of traces on disk, which all threads share. */
export interface TraceFilesData {
  folder: string;
  maximumBytes: number;
  /**
   * State of the cache for all threads, as one integer of 32 bits. 0: in use; 1: off, because the service cannot use
   * the folder.
   */
  state: SharedArrayBuffer;
}

/**
 * Creates the folder of the cache if it is missing, with access only for the user of this process. Returns the options
 * for the threads. `megabytes` is the maximum size of the cache. Throws a {@link StartUpError} if the path is a link or
 * not a folder. Except on Windows, also throws it if the folder belongs to another user or is accessible to others, who
 * could otherwise read or replace traces. If the service cannot create or inspect the folder, passes a message to
 * `notify` and returns undefined.
 */
export function openTraceFolder(
  folder: string,
  megabytes: number,
  notify: (message: string) => void,
): TraceFilesData | undefined {
  const maximumBytes = megabytes * bytesPerMegabyte;
  try {
    // `lstat` also finds a dangling link, on which `mkdir` would fail with a misleading message.
    if (!lstatSync(folder, { throwIfNoEntry: false }))
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    const reason = getRefusalReason(folder);
    if (reason === null)
      return { folder, maximumBytes, state: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) };
    throw new StartUpError(
      `The cache folder ${folder} ${reason}. Set --cache-dir to a folder that only you can access`,
    );
  } catch (error) {
    if (error instanceof StartUpError) throw error;
    notify(describeFailure(folder, error));
    return undefined;
  }
}

/**
 * Returns the reason why the service must not use the folder; null if the folder belongs to the user of this process
 * and allows no access to others. On Windows, returns null for any folder. Throws the error of the system if there is
 * nothing at the path.
 */
function getRefusalReason(folder: string): string | null {
  const status = lstatSync(folder);
  if (status.isSymbolicLink()) return 'is a link';
  if (!status.isDirectory()) return 'is not a folder';
  const userId = process.getuid?.();
  if (userId === undefined) return null;
  if (status.uid !== userId) return 'belongs to another user';
  const access = status.mode & 0o777;
  return (access & 0o077) === 0 ? null : `is accessible to others (mode ${access.toString(8)})`;
}

function describeFailure(folder: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `The service cannot use the cache folder ${folder}: ${reason}. Correct this, then restart the service`;
}

/**
 * First bytes of a file: the format, its version and the byte order. The checksum of the file's name and numbers
 * follows.
 */
const signature = Buffer.from(`Evoscope trace 2 ${endianness()}\n`);
const checksumBytes = 32;
const headerBytes = Math.ceil((signature.length + checksumBytes) / 8) * 8;

/**
 * Smallest number of iterations of a run whose trace the cache stores. Reading a shorter run from the database,
 * together with others, is faster than reading it from a file.
 */
const minimumRows = 100;

/** Minimum time between two updates of a file's time of last use. */
const useIntervalMillis = 60_000;

/** Share of the limit that a thread writes before it searches for files to delete. */
const writtenShare = 1 / 16;
/** Share of the limit that is free after the deletion. */
const freeShare = 1 / 4;

/** Usual size of a block of a file system. A file occupies whole blocks. */
const blockBytes = 4_096;

/** Minimum age of a temporary file that its writer has abandoned. */
const abandonedMillis = 3_600_000;

/** Effects of {@link TraceFiles}. A test may replace `writeFile`. */
interface Effects {
  writeFile?: (path: string, bytes: Buffer) => void;
  notify: (message: string) => void;
}

/**
 * Cache of traces on disk, which several threads and services share. Each file contains one version of a run. Writes a
 * file under another name, and then renames it. Deletes a file that is damaged or belongs to another run, and treats it
 * as missing. Above a number of bytes, deletes the least recently used files. No thread of the service uses the cache
 * after a failure to write, such as a full disk, or after another program has replaced the folder or allowed others
 * access to it.
 */
export class TraceFiles {
  readonly #folder: string;
  readonly #maximumBytes: number;
  readonly #state: Int32Array;
  readonly #effects: Required<Effects>;
  readonly #inode: number;
  /**
   * Bytes written since the last search for files to delete; initially infinite, so the first write causes a search.
   */
  #writtenBytes = Infinity;

  constructor({ folder, maximumBytes, state }: TraceFilesData, effects: Effects) {
    this.#folder = folder;
    this.#maximumBytes = maximumBytes;
    this.#state = new Int32Array(state);
    this.#effects = { writeFile: writeNewFile, ...effects };
    this.#inode = lstatSync(folder, { throwIfNoEntry: false })?.ino ?? 0;
  }

  /** Whether the cache is in use. */
  get isEnabled(): boolean {
    return Atomics.load(this.#state, 0) === 0;
  }

  /**
   * Reads traces like {@link readPackedTraces}. While the cache is in use, the traces of ended runs with about {@link
   * minimumRows} iterations or more come from their files. Writes missing files.
   */
  async readTraces(database: Database, runs: readonly TraceToRead[]): Promise<PackedTrace[]> {
    const hasStorableRun = runs.some(isStorable);
    if (!this.isEnabled || !hasStorableRun || !this.#checkFolder())
      return readPackedTraces(database, runs);
    const identity = await database.dialect.readIdentity();
    const names = runs.map((run) => (isStorable(run) ? getName(identity, run) : null));
    const storedTraces = names.map((name) => (name === null ? null : this.read(name)));
    const missingRuns = runs.filter((_, index) => !storedTraces[index]);
    const packedTraces =
      missingRuns.length > 0 ? await readPackedTraces(database, missingRuns) : [];
    let nextIndex = 0;
    const numbersOfRuns = storedTraces.map((numbers, index) => {
      if (numbers) return numbers;
      const packedTrace = packedTraces[nextIndex++];
      const numbersOfTrace = packedTrace ? getPackedNumbers(packedTrace) : new Float64Array();
      const name = names[index];
      if (name) this.write(name, numbersOfTrace);
      return numbersOfTrace;
    });
    if (missingRuns.length === runs.length) return packedTraces;
    return joinTraces(numbersOfRuns);
  }

  /**
   * Returns the numbers in the file of this name; null if the file is missing or unreadable. Records the time of this
   * use at most once a minute. Deletes a damaged file, or a link or folder in its place, and returns null.
   */
  read(name: string): Float64Array | null {
    const path = this.#getPath(name);
    let fileDescriptor: number | undefined;
    try {
      fileDescriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
      const numbers = parse(name, readFileSync(fileDescriptor));
      if (numbers === null) remove(path);
      else if (fstatSync(fileDescriptor).mtimeMs < Date.now() - useIntervalMillis)
        lutimesSync(path, new Date(), new Date());
      return numbers;
    } catch (error) {
      // A link or a folder in place of the file is not a trace. Another service may have deleted the file.
      if (/^(ELOOP|EISDIR)$/.test(getCode(error))) remove(path);
      return null;
    } finally {
      if (fileDescriptor !== undefined) closeSync(fileDescriptor);
    }
  }

  /**
   * Stores the numbers under a name. After the first write, and then after each {@link writtenShare} of the limit,
   * deletes the least recently used files until {@link freeShare} of the limit is free. After a failure the cache is
   * off, and this function does nothing.
   */
  write(name: string, numbers: Float64Array): void {
    if (!this.isEnabled) return;
    const path = this.#getPath(name);
    const temporaryPath = `${path}.${randomUUID()}.tmp`;
    try {
      mkdirSync(join(this.#folder, name.slice(0, 2)), { recursive: true, mode: 0o700 });
      const bytes = format(name, numbers);
      this.#effects.writeFile(temporaryPath, bytes);
      renameSync(temporaryPath, path);
      this.#writtenBytes += blockBytes * Math.ceil(bytes.length / blockBytes);
      if (this.#writtenBytes > this.#maximumBytes * writtenShare) this.#deleteLeastRecentFiles();
    } catch (error) {
      remove(temporaryPath);
      this.#turnOff(describeFailure(this.#folder, error));
    }
  }

  /**
   * Deletes abandoned temporary files. Deletes the least recently used other files until {@link freeShare} of the limit
   * is free.
   */
  #deleteLeastRecentFiles(): void {
    this.#writtenBytes = 0;
    const files: { path: string; bytes: number; usedAt: number }[] = [];
    for (const { parentPath, name } of listFiles(this.#folder)) {
      const path = join(parentPath, name);
      const status = lstatSync(path, { throwIfNoEntry: false });
      if (!status) continue;
      if (name.endsWith('.tmp')) {
        if (status.mtimeMs < Date.now() - abandonedMillis) remove(path);
        continue;
      }
      // A file occupies whole blocks.
      const bytes = Math.max(status.size, 512 * (status.blocks || 0));
      files.push({ path, bytes, usedAt: status.mtimeMs });
    }
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= this.#maximumBytes * (1 - freeShare)) return;
    for (const { path, bytes } of files.sort((a, b) => a.usedAt - b.usedAt)) {
      if (total <= this.#maximumBytes * (1 - freeShare)) break;
      remove(path);
      total -= bytes;
    }
  }

  /**
   * Returns whether the folder is private and still the folder that the constructor found. If it is not, turns the
   * cache off.
   */
  #checkFolder(): boolean {
    try {
      const reason =
        getRefusalReason(this.#folder) ??
        (lstatSync(this.#folder).ino === this.#inode
          ? null
          : 'is not the folder that the service opened');
      if (reason === null) return true;
      this.#turnOff(describeFailure(this.#folder, `it ${reason}`));
    } catch (error) {
      this.#turnOff(describeFailure(this.#folder, error));
    }
    return false;
  }

  #turnOff(message: string): void {
    if (Atomics.exchange(this.#state, 0, 1) === 0) this.#effects.notify(message);
  }

  #getPath(name: string): string {
    return join(this.#folder, name.slice(0, 2), name);
  }
}

function isStorable({ storedVersion, rows = 0 }: TraceToRead): boolean {
  return storedVersion !== undefined && rows >= minimumRows;
}

/** Returns the name of the file of a version of a run in a database: a hash, which contains no part of the run's id. */
function getName(identity: string, { runId, storedVersion }: TraceToRead): string {
  return hash('sha256', JSON.stringify([identity, runId, storedVersion]), 'hex');
}

function getChecksum(name: string, numbers: Uint8Array): Buffer {
  return createHash('sha256').update(name).update(numbers).digest();
}

function format(name: string, numbers: Float64Array): Buffer {
  const bytes = Buffer.alloc(headerBytes + numbers.byteLength);
  const body = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  bytes.set(body, headerBytes);
  bytes.set(signature);
  bytes.set(getChecksum(name, bytes.subarray(headerBytes)), signature.length);
  return bytes;
}

/**
 * Returns the numbers of a file with this name; null if the file is damaged, contains no numbers, or is a copy of
 * another file.
 */
function parse(name: string, bytes: Buffer): Float64Array | null {
  if (bytes.length <= headerBytes || bytes.length % 8 !== headerBytes % 8) return null;
  const body = bytes.subarray(headerBytes);
  const header = Buffer.concat([signature, getChecksum(name, body)]);
  if (!bytes.subarray(0, header.length).equals(header)) return null;
  return new Float64Array(Uint8Array.from(body).buffer);
}

/** Returns traces in one block of memory that all threads share. */
function joinTraces(traces: readonly Float64Array[]): PackedTrace[] {
  const length = traces.reduce((sum, trace) => sum + trace.length, 0);
  const memory = new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT);
  const numbers = new Float64Array(memory);
  let nextOffset = 0;
  return traces.map((trace) => {
    const offset = nextOffset;
    numbers.set(trace, offset);
    nextOffset += trace.length;
    return { memory, offset };
  });
}

/** Lists the files of the cache. Throws the error of the system if it cannot read a folder of the cache. */
function listFiles(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name))
    .flatMap(({ name }) => readdirSync(join(folder, name), { withFileTypes: true }))
    .filter((entry) => entry.isFile());
}

/** Deletes a file, or the link or folder in its place, if that is possible. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true, recursive: true });
  } catch {
    // If the file prevents a later write, that write turns the cache off.
  }
}

function writeNewFile(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
}

function getCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
