import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChangeFeed, maximumStreams, sendHeartbeats } from '#server/http/changes.ts';

/** A response with the members that a stream uses. */
class Client extends EventEmitter {
  written: string[] = [];
  headers: Record<string, string> = {};
  headersSent = false;
  closed = false;
  writableLength = 0;
  req = { method: 'GET' };

  set(headers: Record<string, string>): void {
    Object.assign(this.headers, headers);
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  write(text: string): boolean {
    this.written.push(text);
    return true;
  }

  end(): void {
    this.closed = true;
    this.emit('close');
  }

  destroy(): void {
    this.end();
  }

  /** The events received so far. */
  get changes(): unknown[] {
    return this.written
      .flatMap((text) => text.split('\n').filter((line) => line.startsWith('data: ')))
      .map((line) => JSON.parse(line.slice('data: '.length)) as unknown);
  }
}

let state: { cursor: string; running: number; reads: number };
let feed: ChangeFeed;
/** Reading the cursor waits for this promise. */
let pause: Promise<void> | undefined;

const logLines: string[] = [];
const logger = pino({}, { write: (line: string) => void logLines.push(line) });

beforeEach(() => {
  vi.useFakeTimers();
  logLines.length = 0;
  state = { cursor: 'c1', running: 1, reads: 0 };
  feed = new ChangeFeed(
    {
      readCursor: async () => {
        const { cursor } = state;
        state.reads += 1;
        await pause;
        if (cursor === 'down') throw new Error('no database');
        return cursor;
      },
      describe: async (cursor) =>
        JSON.stringify({ cursor, running: cursor === 'c1' ? 1 : state.running }),
    },
    { logger },
  );
});

afterEach(() => {
  feed.close();
  vi.useRealTimers();
});

async function subscribe(): Promise<Client> {
  const client = new Client();
  await feed.subscribe(client as unknown as Response);
  return client;
}

describe('a client of the change feed', () => {
  test('receives the current state immediately, then one event per change', async () => {
    const client = await subscribe();
    expect(client.headers['Content-Type']).toBe('text/event-stream; charset=utf-8');
    expect(client.changes).toEqual([{ cursor: 'c1', running: 1 }]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(client.changes).toHaveLength(1);
    state = { ...state, cursor: 'c2', running: 0 };
    await vi.advanceTimersByTimeAsync(5_000);
    expect(client.changes.slice(1)).toEqual([{ cursor: 'c2', running: 0 }]);
  });

  test('receives a change that a new client received first', async () => {
    const firstClient = await subscribe();
    state.cursor = 'c2';
    const secondClient = await subscribe();
    expect(secondClient.changes).toEqual([{ cursor: 'c2', running: 1 }]);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(firstClient.changes.at(-1)).toEqual({ cursor: 'c2', running: 1 });
  });

  test('receives a change that was sent to others while its own state was being read', async () => {
    await subscribe();
    const cursorRead = Promise.withResolvers<void>();
    pause = cursorRead.promise;
    const newClient = subscribe();
    pause = undefined;
    state = { ...state, cursor: 'c2', running: 0 };
    await vi.advanceTimersByTimeAsync(1_500);
    cursorRead.resolve();
    expect((await newClient).changes).toEqual([
      { cursor: 'c1', running: 1 },
      { cursor: 'c2', running: 0 },
    ]);
  });

  test('gets a heartbeat every 15 s', async () => {
    const client = await subscribe();
    await vi.advanceTimersByTimeAsync(46_000);
    expect(client.written.filter((text) => text.startsWith(':'))).toHaveLength(3);
  });

  test('is disconnected if it does not read', async () => {
    const client = await subscribe();
    client.writableLength = 100_000;
    await vi.advanceTimersByTimeAsync(16_000);
    expect(client.closed).toBe(true);
    expect(feed.size).toBe(0);
  });

  test('gets only the headers after a HEAD request', async () => {
    const client = new Client();
    client.req.method = 'HEAD';
    await feed.subscribe(client as unknown as Response);
    expect(client.headersSent && client.closed).toBe(true);
    expect(feed.size).toBe(0);
  });
});

describe('the watcher', () => {
  test('polls once per second for all clients together, and does not poll without clients', async () => {
    const clients = [await subscribe(), await subscribe(), await subscribe()];
    state.reads = 0;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(state.reads).toBe(10);
    for (const client of clients) client.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(state.reads).toBe(10);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('continues after a failed poll, and logs the failure once', async () => {
    const client = await subscribe();
    state.cursor = 'down';
    await vi.advanceTimersByTimeAsync(1_500);
    state.cursor = 'c9';
    await vi.advanceTimersByTimeAsync(1_500);
    expect(client.changes.at(-1)).toEqual({ cursor: 'c9', running: 1 });
    expect(logLines.filter((line) => line.includes('Cannot watch'))).toHaveLength(1);
  });

  test('ends all streams while the database is unavailable, so that reconnecting clients get the error', async () => {
    const client = await subscribe();
    state.cursor = 'down';
    await vi.advanceTimersByTimeAsync(5_000);
    expect(client.closed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    state.cursor = 'c9';
    const reconnectedClient = await subscribe();
    expect(reconnectedClient.changes).toEqual([{ cursor: 'c9', running: 1 }]);
  });
});

test('a 65th client is refused until another client disconnects', async () => {
  const clients = await Promise.all(Array.from({ length: maximumStreams }, subscribe));
  await expect(subscribe()).rejects.toMatchObject({
    code: 'TOO_MANY_STREAMS',
    message:
      '64 clients are already following the changes, which is the limit. Close one of them, or poll instead.',
  });
  clients[0]?.end();
  await expect(subscribe()).resolves.toBeInstanceOf(Client);
});

test('a client that subscribes while the database is unavailable gets its error and is not counted', async () => {
  state.cursor = 'down';
  await expect(subscribe()).rejects.toThrow('no database');
  expect(feed.size).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('closing the feed ends all streams and refuses new clients', async () => {
  const client = await subscribe();
  feed.close();
  expect(client.closed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  await expect(subscribe()).rejects.toMatchObject({ code: 'TOO_MANY_STREAMS' });
});

test('a client whose state is still being read when the streams end gets this state in a stream', async () => {
  await subscribe();
  const cursorRead = Promise.withResolvers<void>();
  pause = cursorRead.promise;
  const newClient = subscribe();
  pause = undefined;
  state.cursor = 'down';
  await vi.advanceTimersByTimeAsync(5_000);
  feed.close();
  cursorRead.resolve();
  const { headersSent, changes, closed } = await newClient;
  expect({ headersSent, changes, closed }).toEqual({
    headersSent: true,
    changes: [{ cursor: 'c1', running: 1 }],
    closed: true,
  });
});

test('heartbeats of a stream wait while its client does not read, and end with the stream', async () => {
  const client = new Client();
  sendHeartbeats(client as unknown as Response);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(client.written).toEqual([': still here\n\n', ': still here\n\n']);
  client.writableLength = 10;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(client.written).toHaveLength(2);
  client.end();
  expect(vi.getTimerCount()).toBe(0);
});
