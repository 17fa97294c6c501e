import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { sql, type Kysely } from 'kysely';
import type { DatabaseDialect, IndexOutcome, AuxiliaryIndex } from '../dialect.ts';
import type { Tables } from '../schema.ts';
import type { FilePlace } from './sqlite-connect.ts';
import { memory } from './sqlite-file.ts';

/** The input of the thread that makes an index. */
export interface IndexTask {
  place: FilePlace;
  index: AuxiliaryIndex;
  /** Shared with the thread: 1 when the build is cancelled. */
  cancelled: Int32Array<SharedArrayBuffer>;
}

/** Makes indexes of a SQLite file in a thread of its own, in memory at once; see {@link DatabaseDialect.makeIndex}. */
export function sqliteIndexMaker(
  kysely: Kysely<Tables>,
  place: FilePlace,
): DatabaseDialect['makeIndex'] {
  return async (index, signal) => {
    if (place.file !== memory) return inThread(place, index, signal);
    const { name, table, columns } = index;
    await sql`create index if not exists ${sql.ref(name)} on ${sql.table(table)}
      (${sql.join(columns.map((column) => sql.ref(column)))})`.execute(kysely);
    return { state: 'made', detail: 'in memory' };
  };
}

async function inThread(
  place: FilePlace,
  index: AuxiliaryIndex,
  signal: AbortSignal,
): Promise<IndexOutcome> {
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  const task: IndexTask = { place, index, cancelled };
  // In the service's bundle it lies beside this, as `sqlite-index-worker.js`.
  const program = `./sqlite-index-worker${extname(import.meta.filename)}`;
  const worker = new Worker(new URL(program, import.meta.url), { workerData: task });
  // The thread ends on its own: one that is terminated closes its connection without a look at the log.
  const abort = () => Atomics.store(cancelled, 0, 1);
  signal.addEventListener('abort', abort, { once: true });
  worker.unref();
  try {
    const ended = once(worker, 'exit').then(() => ['stopped'] as const);
    const [outcome] = await Promise.race([once(worker, 'message'), ended]);
    return outcome === 'stopped'
      ? { state: 'failed', detail: 'its thread was ended' }
      : (outcome as IndexOutcome);
  } catch (error) {
    return { state: 'failed', detail: error instanceof Error ? error.message : String(error) };
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
