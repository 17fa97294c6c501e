import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { sql, type Kysely } from 'kysely';
import type { DatabaseDialect, IndexOutcome, AuxiliaryIndex } from '../dialect.ts';
import type { Tables } from '../schema.ts';
import type { FilePlace } from './sqlite-connect.ts';
import { memory } from './sqlite-file.ts';

/** What the thread that makes an index is told. */
export interface IndexTask {
  place: FilePlace;
  index: AuxiliaryIndex;
}

/** Makes indexes of a SQLite file in a thread of its own, in memory at once; see {@link DatabaseDialect.makeIndex}. */
export function sqliteIndexMaker(
  kysely: Kysely<Tables>,
  place: FilePlace,
): DatabaseDialect['makeIndex'] {
  return async (index, signal) => {
    if (place.file !== memory) return inThread({ place, index }, signal);
    const { name, table, columns } = index;
    await sql`create index if not exists ${sql.ref(name)} on ${sql.table(table)}
      (${sql.join(columns.map((column) => sql.ref(column)))})`.execute(kysely);
    return { state: 'made', detail: 'in memory' };
  };
}

async function inThread(task: IndexTask, signal: AbortSignal): Promise<IndexOutcome> {
  // In the service's bundle it lies beside this, as `sqlite-index-worker.js`.
  const program = `./sqlite-index-worker${extname(import.meta.filename)}`;
  const worker = new Worker(new URL(program, import.meta.url), { workerData: task });
  const abort = () => void worker.terminate();
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
