import { statSync, type BigIntStats } from 'node:fs';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { recentWriteMillis } from '../long-writes.ts';
import { realFile } from './sqlite-files.ts';

/** Files whose writes are remembered; two that share a slot take each other's writes for those of others. */
const slots = 256n;
/** Of each file: its identity, when this process last wrote to it (ns), when another did (ns). */
const fieldsPerSlot = 3;

const sharedName = 'evoscope-own-writes';

/** Shared by all threads of the process, as each of them may write. */
const memory = new BigInt64Array(sharedBuffer());

function sharedBuffer(): SharedArrayBuffer {
  const existing = getEnvironmentData(sharedName);
  if (existing instanceof SharedArrayBuffer) return existing;
  const buffer = new SharedArrayBuffer(Number(slots) * fieldsPerSlot * 8);
  setEnvironmentData(sharedName, buffer);
  return buffer;
}

/**
 * Remembers when another process last wrote to a SQLite file. Call it while holding the write lock and before
 * writing, as the own write hides the older ones.
 */
export function rememberOtherWrites(file: string): void {
  otherWrite(file);
}

/** Marks the last write to a SQLite file as one of this process. Call it after a commit or a rollback. */
export function rememberOwnWrite(file: string): void {
  const written = lastWrite(file);
  if (written) slotOf(written.identity)[1] = written.nanos;
}

/**
 * Whether another process wrote to a SQLite file within the last 10 s (or `withinMillis`), whatever it wrote: the system notes when the
 * write-ahead log changed last. Without a write-ahead log the file itself counts. A file in memory or one that does
 * not exist was not written by others.
 */
export function isWrittenByOthers(file: string, withinMillis = recentWriteMillis): boolean {
  const nanos = otherWrite(file);
  // A clock that was set back in between leaves times in the future.
  return Math.abs(Date.now() - Number(nanos / 1_000_000n)) < withinMillis;
}

/** When another process last wrote, in nanoseconds since 1970, as far as this process saw it; 0 for never. */
function otherWrite(file: string): bigint {
  const written = lastWrite(file);
  if (!written) return 0n;
  const slot = slotOf(written.identity);
  if (written.nanos !== slot[1]) slot[2] = written.nanos;
  return slot[2] ?? 0n;
}

function slotOf(identity: bigint): BigInt64Array {
  const start = Number(identity % slots) * fieldsPerSlot;
  const slot = memory.subarray(start, start + fieldsPerSlot);
  if (slot[0] !== identity) slot.set([identity, 0n, 0n]);
  return slot;
}

/** The identity of a file and when anyone last wrote to it or its write-ahead log; null where no one has. */
function lastWrite(file: string): { identity: bigint; nanos: bigint } | null {
  const main = stateOf(file);
  if (!main) return null;
  const log = stateOf(`${realFile(file)}-wal`);
  // An empty log is new or was emptied by a checkpoint, which is no write.
  if (log?.size === 0n) return null;
  // Checkpoints write to the file of a database with a write-ahead log, whoever makes them.
  return { identity: identityOf(main), nanos: (log ?? main).mtimeNs };
}

/** An inode is used again once its file was deleted, so the time of its creation counts too. */
function identityOf({ ino, birthtimeNs }: BigIntStats): bigint {
  return BigInt.asUintN(63, ino ^ (birthtimeNs * 31n));
}

function stateOf(path: string): BigIntStats | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true });
}
