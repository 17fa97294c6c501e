import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { stoppingProblem } from '#server/errors.ts';
import { receiveError } from '#server/threads/messages.ts';
import type { Order, OrderReply, Outcome, SampleProgress } from './orders.ts';

/** What a thread says before it comes to its end. */
export interface ThreadListener {
  onProgress?: (progress: SampleProgress) => void;
  onNotice?: (notice: string) => void;
}

/**
 * Does an order in a thread of its own, so that a lock or a backup holds up nobody; rejects with what it fails for. At
 * the signal it ends as soon as it can, with nothing half made.
 */
export async function inThread<Asked extends Order>(
  order: Asked,
  { onProgress, onNotice }: ThreadListener,
  signal: AbortSignal,
): Promise<Outcome<Asked>> {
  // In the service's bundle it lies beside this, as `choosing-worker.js`.
  const program = `./choosing-worker${extname(import.meta.filename)}`;
  const worker = new Worker(new URL(program, import.meta.url), { workerData: order });
  let hasStarted = false;
  const cancel = () => {
    // A server that does not answer would hold it; ended while it loads native code, it takes the process with it.
    const waits = order.kind !== 'sample' && order.url.dialect === 'postgres';
    if (waits && hasStarted) void worker.terminate();
    else worker.postMessage('cancel');
  };
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const { promise, resolve, reject } = Promise.withResolvers<Outcome<Asked>>();
  worker.on('message', (reply: OrderReply) => {
    if (reply === 'started') {
      hasStarted = true;
      if (signal.aborted) cancel();
    } else if ('progress' in reply) onProgress?.(reply.progress);
    else if ('notice' in reply) onNotice?.(reply.notice);
    else if ('failure' in reply) reject(receiveError(reply.failure));
    else resolve(reply.outcome as Outcome<Asked>);
  });
  worker.on('error', reject);
  const ended = new Promise((settle) => worker.once('exit', settle));
  void ended.then(() =>
    reject(signal.aborted ? stoppingProblem() : new Error('The thread has ended')),
  );
  try {
    return await promise;
  } finally {
    // Whoever waits for the answer may count on nothing of the thread being left.
    await ended;
    signal.removeEventListener('abort', cancel);
  }
}
