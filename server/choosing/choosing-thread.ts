import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { receiveError } from '#server/threads/messages.ts';
import type { Order, OrderReply, SampleProgress } from './orders.ts';

/** What a thread says before it comes to its end. */
export interface ThreadListener {
  onProgress?: (progress: SampleProgress) => void;
  onNotice?: (notice: string) => void;
}

/** What came of an order. */
export type Outcome = Exclude<
  OrderReply,
  { progress: unknown } | { notice: unknown } | { failure: unknown }
>;

/**
 * Does an order in a thread of its own, so that a lock or a backup holds up nobody; rejects with what it fails for. At
 * the signal it ends as soon as it can, with nothing half made.
 */
export async function inThread(
  order: Order,
  { onProgress, onNotice }: ThreadListener,
  signal: AbortSignal,
): Promise<Outcome> {
  // In the service's bundle it lies beside this, as `choosing-worker.js`.
  const program = `./choosing-worker${extname(import.meta.filename)}`;
  const worker = new Worker(new URL(program, import.meta.url), { workerData: order });
  const cancel = () => worker.postMessage('cancel');
  signal.addEventListener('abort', cancel, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  let last: OrderReply | undefined;
  worker.on('message', (reply: OrderReply) => {
    if ('progress' in reply) onProgress?.(reply.progress);
    else if ('notice' in reply) onNotice?.(reply.notice);
    else last = reply;
  });
  worker.on('error', reject);
  worker.on('exit', () => {
    if (last === undefined || 'progress' in last || 'notice' in last) {
      reject(new Error('The thread has ended'));
    } else if ('failure' in last) reject(receiveError(last.failure));
    else resolve(last);
  });
  return promise.finally(() => signal.removeEventListener('abort', cancel));
}
