import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openChangeStream, type StreamEvent } from '#renderer/api/change-stream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the reason of a refusal that arrives after the stream is open again does not count', async () => {
  const sources: Source[] = [];
  class Source extends EventTarget {
    static readonly OPEN = 1;
    static readonly CLOSED = 2;
    readyState = Source.CLOSED;
    constructor() {
      super();
      sources.push(this);
    }
    close(): void {}
  }
  const { promise, resolve } = Promise.withResolvers<Response>();
  vi.stubGlobal('EventSource', Source);
  vi.stubGlobal('fetch', () => promise);
  const events: StreamEvent[] = [];
  const close = openChangeStream((event) => events.push(event));
  sources[0]?.dispatchEvent(new Event('error'));
  await vi.advanceTimersByTimeAsync(5_000);
  const [, second] = sources;
  if (second) second.readyState = Source.OPEN;
  second?.dispatchEvent(new Event('open'));
  resolve(new Response());
  await vi.advanceTimersByTimeAsync(0);
  expect(events).toEqual([{ type: 'opened' }]);
  close();
});
