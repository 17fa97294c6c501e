import { addresses } from '#shared/addresses.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import type { DatabaseChange } from '#shared/schemas/service.ts';

/** An event that a subscriber of the stream of changes receives. */
export type StreamEvent =
  | { type: 'opened' }
  | { type: 'changed'; change: DatabaseChange }
  /** `reason`: why the service refused the stream; null when the connection broke. */
  | { type: 'lost'; reason: string | null };

/** A message of a window to the shared worker; a window repeats `subscribe` while it needs the stream. */
export type ToWorker = 'subscribe' | 'leave';

/** A message of the shared worker; `alive` is the response to every `subscribe`. */
export type FromWorker = StreamEvent | { type: 'alive' };

/** Interval at which a window repeats its subscription. */
export const subscribeMillis = 5_000;

/** Delay before the page opens a stream again that the service refused. */
const reopenMillis = 5_000;

/**
 * Opens an event stream of changes and passes its events on until the returned function closes it. The browser
 * reconnects a broken stream; a refused stream is opened again every 5 s.
 */
export function openChangeStream(hear: (event: StreamEvent) => void): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const closing = new AbortController();
  const send = (event: StreamEvent): void => {
    if (!closing.signal.aborted) hear(event);
  };
  const reportRefusal = async (): Promise<void> => {
    const reason = await getRefusalReason(closing.signal);
    // A slow response must not end a stream that was opened meanwhile.
    if (source?.readyState !== EventSource.OPEN) send({ type: 'lost', reason });
  };
  const open = (): void => {
    const opened = new EventSource(addresses.watchChanges.path);
    source = opened;
    opened.addEventListener('open', () => send({ type: 'opened' }));
    opened.addEventListener('message', ({ data }: MessageEvent<string>) =>
      send({ type: 'changed', change: JSON.parse(data) as DatabaseChange }),
    );
    opened.addEventListener('error', () => {
      if (opened.readyState !== EventSource.CLOSED) return send({ type: 'lost', reason: null });
      void reportRefusal();
      timer = setTimeout(open, reopenMillis);
    });
  };
  open();
  return () => {
    closing.abort();
    clearTimeout(timer);
    source?.close();
  };
}

/** Returns why the service refuses a stream, which an EventSource does not report; null without a reason. */
async function getRefusalReason(signal: AbortSignal): Promise<string | null> {
  const request = new AbortController();
  try {
    const response = await fetch(addresses.watchChanges.path, {
      signal: AbortSignal.any([signal, request.signal]),
    });
    if (response.ok) return null;
    return ((await response.json()) as Partial<ProblemDocument>).detail ?? null;
  } catch {
    return null;
  } finally {
    // A stream that is accepted this time would never end.
    request.abort();
  }
}
