import {
  openChangeStream,
  subscribeMillis,
  type FromWorker,
  type StreamEvent,
  type ToWorker,
} from './change-stream.ts';

/** Number of subscriptions without a response after which the shared worker counts as dead. */
const maximumPending = 2;

/** Number of workers to try before the page opens its own stream. */
const mostWorkers = 2;

/**
 * Passes the changes of the database on until the returned function is called. All windows of a browser profile share
 * one event stream through a shared worker, because a browser allows six connections to a service. A page opens its own
 * stream where the browser has no shared workers, the worker does not start, or it does not respond.
 */
export function followChanges(hear: (event: StreamEvent) => void): () => void {
  let stop = followShared(mostWorkers);
  return () => stop();

  function followShared(workers: number): () => void {
    return joinWorker(hear, {
      onBroken: () => (stop = openChangeStream(hear)),
      onDead: () => (stop = workers > 1 ? followShared(workers - 1) : openChangeStream(hear)),
      onAlive: () => (workers = mostWorkers),
    });
  }
}

interface WorkerFate {
  /** The worker cannot run here. */
  onBroken: () => void;
  /** The worker stopped responding: it crashed, or hangs. */
  onDead: () => void;
  onAlive: () => void;
}

/**
 * Subscribes to the shared worker until the returned function is called. Calls at most one of `onBroken` and `onDead`,
 * and only once.
 */
function joinWorker(hear: (event: StreamEvent) => void, fate: WorkerFate): () => void {
  let worker: SharedWorker;
  try {
    worker = new SharedWorker(new URL('./change-worker.ts', import.meta.url), { type: 'module' });
  } catch {
    // Asynchronous: the caller does not have the function to stop this yet.
    const timer = setTimeout(fate.onBroken);
    return () => clearTimeout(timer);
  }
  const { port } = worker;
  const send = (message: ToWorker): void => port.postMessage(message);
  let pendingCount = 0;
  const leaving = new AbortController();
  const { signal } = leaving;
  const leave = (): void => {
    leaving.abort();
    clearInterval(timer);
    send('leave');
    port.close();
  };
  const subscribe = (): void => {
    if (pendingCount >= maximumPending) {
      leave();
      fate.onDead();
      return;
    }
    pendingCount += 1;
    send('subscribe');
  };
  const timer = setInterval(subscribe, subscribeMillis);
  const onError = (): void => {
    leave();
    fate.onBroken();
  };
  worker.addEventListener('error', onError, { signal });
  const onMessage = ({ data }: MessageEvent<FromWorker>): void => {
    pendingCount = 0;
    fate.onAlive();
    if (data.type !== 'alive') hear(data);
  };
  port.addEventListener('message', onMessage, { signal });
  port.start();
  subscribe();
  return leave;
}
