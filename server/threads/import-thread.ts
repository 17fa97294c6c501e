import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ImportProgress } from '#shared/schemas/import.ts';
import type { Database } from '#server/db/database.ts';
import { limitedTo } from '#server/db/identity.ts';
import { cancelled, importDataSets } from '#server/import/import-data-sets.ts';
import {
  sendFailure,
  type ImportOrder,
  type ImportReply,
  type SentFailure,
} from './import-messages.ts';

/** An import that goes on in a thread of its own. */
export interface RunningImport {
  /** Settles when the thread has ended, with what became of the import. Never rejects. */
  ended: Promise<Exclude<ImportReply, { progress: unknown }>>;
  /** Asks it to end with nothing changed; it may have come to its end by then. */
  cancel(): void;
  /** Ends the thread whatever it does, once it has said anything. */
  kill(): void;
}

/** Memory of the thread: a source that needs more ends the import, not the service. */
const resourceLimits = { maxOldGenerationSizeMb: 1_024 };

/** How long a cancelled import may go on reading what it is busy with. */
const cancelMillis = 3_000;

/**
 * Imports in a thread with its own connection, so that nobody else waits while it reads and computes; a database in
 * memory, which no other thread can open, in this one.
 */
export function startImport(
  database: Database,
  order: Omit<ImportOrder, 'database'>,
  onProgress: (progress: ImportProgress) => void,
  // In the service's bundle it lies beside this, as `import-worker.js`.
  program = join(import.meta.dirname, `import-worker${extname(import.meta.filename)}`),
): RunningImport {
  const { source: url } = database;
  const isInMemory = url.dialect === 'sqlite' && url.file === ':memory:';
  if (isInMemory) return importHere(database, order, onProgress);
  const workerData: ImportOrder = { database: url, ...order };
  const worker = new Worker(program, { workerData, resourceLimits });
  let last: Awaited<RunningImport['ended']> = failed(new Error('The thread has ended'));
  let hasStarted = false;
  let isWriting = false;
  worker.on('message', (reply: ImportReply) => {
    hasStarted = true;
    if ('progress' in reply) {
      isWriting = reply.progress.phase === 'writing';
      onProgress(reply.progress);
    } else last = reply;
  });
  /** Ends a thread that is busy with a large file. Once it writes, only the thread knows whether it has finished. */
  const endReading = () => {
    if (!hasStarted || isWriting || 'result' in last) return;
    last = failed(cancelled());
    void worker.terminate();
  };
  worker.on('error', (error) => (last = failed(error)));
  return {
    ended: new Promise((resolve) => worker.once('exit', () => resolve(last))),
    cancel: () => {
      worker.postMessage('cancel');
      setTimeout(endReading, cancelMillis).unref();
    },
    // Ended while it loads native code, a thread takes the process with it; this one was told to end besides.
    kill: () => void (hasStarted && worker.terminate()),
  };
}

function importHere(
  database: Database,
  { source, options, identity }: Omit<ImportOrder, 'database'>,
  onProgress: (progress: ImportProgress) => void,
): RunningImport {
  const cancelling = new AbortController();
  const cancel = () => cancelling.abort();
  const limited = identity === undefined ? database : limitedTo(database, identity);
  const ended = Promise.resolve(limited)
    .then((into) => importDataSets(into, source, options, onProgress, cancelling.signal))
    .then((result) => ({ result }), failed);
  return { ended, cancel, kill: cancel };
}

function failed(error: unknown): { failure: SentFailure } {
  return { failure: sendFailure(error, () => 'other') };
}
