import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followChanges } from './followed-service.ts';

describe('followChanges', () => {
  /** Sends one event in two parts and ends the stream; 503 for other paths. */
  const server = createServer((request, response) => {
    if (request.url !== '/api/changes') response.writeHead(503).end('busy');
    else response.write('da', () => setImmediate(() => response.end('ta: {}\n\n')));
  });
  let address: string;

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  test('rejects a wait for an event when the stream has ended', async () => {
    const stream = await followChanges(address);
    expect(stream.count()).toBe(1);
    await expect(stream.waitForMore(1)).rejects.toThrow('ended after 1 event');
  }, 2_000);

  test('rejects a response that is not a stream', async () => {
    await expect(followChanges(`${address}/other`)).rejects.toThrow('503');
  }, 2_000);
});
