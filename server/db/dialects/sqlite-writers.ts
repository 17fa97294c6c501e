import { statSync, type BigIntStats } from 'node:fs';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { recentWriteMillis } from '../dialect.ts';
import { resolveFile } from './sqlite-file.ts';

/**
 * Number of files whose writes are recorded. Two files that share a slot each count the other's writes as those of
 * other programs.
 */
const slotCount = 256n;
/**
 * Number of values per file: its identity, the last write of this process (ns), the last write of another process (ns).
 */
const fieldsPerSlot = 3;

const bufferName = 'evoscope-own-writes';

/** Buffer that all threads of the process share, because each of them may write. */
const slotBuffer = new BigInt64Array(getSharedBuffer());

function getSharedBuffer(): SharedArrayBuffer {
  const existingBuffer = getEnvironmentData(bufferName);
  if (existingBuffer instanceof SharedArrayBuffer) return existingBuffer;
  const buffer = new SharedArrayBuffer(Number(slotCount) * fieldsPerSlot * 8);
  setEnvironmentData(bufferName, buffer);
  return buffer;
}

/**
 * Records the time of the last write of another process to a SQLite file. Call it while holding the write lock and
 * before writing, because a write of this process hides the older ones.
 */
export function recordOtherWrites(file: string): void {
  findOtherWrite(file);
}

/** Marks the last write to a SQLite file as one of this process. Call it after a commit or a rollback. */
export function recordOwnWrite(file: string): void {
  const lastWrite = findLastWrite(file);
  if (lastWrite) getSlot(lastWrite.identity)[1] = lastWrite.nanos;
}

/**
 * Returns whether another process wrote anything to a SQLite file within the last 10 s (or `maximumAgeMillis`), by the
 * modification time of the write-ahead log, or of the file if there is no log. False for a file in memory or a missing
 * one.
 */
export function isWrittenByOthers(file: string, maximumAgeMillis = recentWriteMillis): boolean {
  const nanos = findOtherWrite(file);
  // A clock that was set back leaves times in the future.
  return Math.abs(Date.now() - Number(nanos / 1_000_000n)) < maximumAgeMillis;
}

/**
 * Returns the time of the last write of another process, in nanoseconds since 1970, as far as this process knows; 0 for
 * none.
 */
function findOtherWrite(file: string): bigint {
  const lastWrite = findLastWrite(file);
  if (!lastWrite) return 0n;
  const slot = getSlot(lastWrite.identity);
  if (lastWrite.nanos !== slot[1]) slot[2] = lastWrite.nanos;
  return slot[2] ?? 0n;
}

function getSlot(identity: bigint): BigInt64Array {
  const start = Number(identity % slotCount) * fieldsPerSlot;
  const slot = slotBuffer.subarray(start, start + fieldsPerSlot);
  if (slot[0] !== identity) slot.set([identity, 0n, 0n]);
  return slot;
}

/** Returns the identity of a file and the last write to it or its write-ahead log; null if there is none. */
function findLastWrite(file: string): { identity: bigint; nanos: bigint } | null {
  const main = statFile(file);
  if (!main) return null;
  const log = statFile(`${resolveFile(file)}-wal`);
  // A new log has no writes. Only other programs empty a log, which they or this process wrote before.
  if (log?.size === 0n && log.mtimeNs <= log.birthtimeNs) return null;
  // Checkpoints of any program write to the file of a database with a write-ahead log.
  return { identity: getIdentity(main), nanos: (log ?? main).mtimeNs };
}

/**
 * Returns the identity of a file. It contains the creation time, because systems reuse an inode after its file is
 * deleted.
 */
function getIdentity({ ino, birthtimeNs }: BigIntStats): bigint {
  return BigInt.asUintN(63, ino ^ (birthtimeNs * 31n));
}

function statFile(path: string): BigIntStats | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true });
}
