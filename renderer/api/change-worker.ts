import {
  openChangeStream,
  subscribeMillis,
  type FromWorker,
  type StreamEvent,
  type ToWorker,
} from './change-stream.ts';

// The script of the shared worker: one event stream for all visible windows of a browser profile. The first subscriber
// opens the stream.

/** Delay before the stream closes after the last subscriber left, so that switching tabs keeps it open. */
const closeMillis = 2_000;

/** Time without messages after which a window loses its subscription: it crashed, or is frozen and subscribes again. */
const pruneMillis = 6 * subscribeMillis;

/** The ports of subscribed windows, with the time of their latest message: a crashed window does not unsubscribe. */
const subscribers = new Map<MessagePort, number>();
let closeStream: (() => void) | undefined;
let closeTimer: ReturnType<typeof setTimeout> | undefined;
/** Events for a new subscriber: that the stream is open, and its latest change; or that it is lost. */
let state: StreamEvent[] = [];

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  port.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
    if (data === 'subscribe') subscribe(port);
    else leave(port);
  });
  port.start();
});

function subscribe(port: MessagePort): void {
  const isNew = !subscribers.has(port);
  subscribers.set(port, Date.now());
  clearTimeout(closeTimer);
  prune();
  closeStream ??= openChangeStream(hear);
  post(port, { type: 'alive' });
  if (isNew) for (const event of state) post(port, event);
}

function leave(port: MessagePort): void {
  subscribers.delete(port);
  if (subscribers.size > 0) return;
  clearTimeout(closeTimer);
  closeTimer = setTimeout(() => {
    closeStream?.();
    closeStream = undefined;
    state = [];
  }, closeMillis);
}

function hear(event: StreamEvent): void {
  state = event.type === 'changed' ? [{ type: 'opened' }, event] : [event];
  for (const port of subscribers.keys()) post(port, event);
  prune();
}

function prune(): void {
  const now = Date.now();
  for (const [port, lastSeen] of subscribers) if (now - lastSeen > pruneMillis) leave(port);
}

function post(port: MessagePort, message: FromWorker): void {
  port.postMessage(message);
}
