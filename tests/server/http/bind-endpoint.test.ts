import express, { type Express } from 'express';
import type { AddressInfo } from 'node:net';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import type { Endpoint } from '#shared/api.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import { bindEndpoint } from '#server/http/bind-endpoint.ts';
import { writeResponse } from '#server/write-response.ts';
import { createErrorHandler } from '#server/http/error-handler.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const stop = {
  method: 'post',
  path: '/api/things/{id}/stop',
  summary: 'Stop',
  params: z.object({ id: z.string().max(5) }),
  body: z.object({ reason: z.string().max(3) }).optional(),
  response: z.object({ id: z.string(), reason: z.string().nullable() }),
} as const satisfies Endpoint;

const search = {
  method: 'get',
  path: '/api/things',
  summary: 'Search',
  query: z.object({
    q: z.string().optional(),
    algorithm: z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional(),
  }),
  response: z.object({ q: z.string().optional(), algorithm: z.array(z.string()).optional() }),
} as const satisfies Endpoint;

describe('an endpoint with a body', () => {
  const bind = (app: Express) =>
    bindEndpoint(app, stop, async ({ params, body }) =>
      writeBody(stop, { id: params.id, reason: body?.reason ?? null }),
    );

  test('accepts JSON, or no body if the body is optional', async () => {
    const url = await serve(bind);
    expect(await postJson(`${url}/api/things/a/stop`, { reason: 'why' })).toEqual({
      id: 'a',
      reason: 'why',
    });
    const emptyResponse = await fetch(`${url}/api/things/a/stop`, { method: 'POST' });
    expect(await emptyResponse.json()).toEqual({ id: 'a', reason: null });
  });

  test('returns the faults in path and body', async () => {
    const url = await serve(bind);
    const pathFaults = await postJson(`${url}/api/things/toolong/stop`, {});
    expect(pathFaults).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'id' }] });
    const bodyFaults = await postJson(`${url}/api/things/a/stop`, { reason: 'because' });
    expect(bodyFaults).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'reason' }] });
    const list = await postJson(`${url}/api/things/a/stop`, []);
    expect(list).toMatchObject({ errors: [{ path: 'body', message: 'must be an object' }] });
  });

  test('refuses a body that is not valid JSON, has another content type, or is too large', async () => {
    const url = `${await serve(bind)}/api/things/a/stop`;
    const headers = { 'content-type': 'application/json' };
    expect(await fetchProblem(url, { method: 'POST', headers, body: '{"a":' })).toMatchObject({
      status: 400,
      code: 'MALFORMED_JSON',
      detail: 'The body is not valid JSON. Correct its syntax',
    });
    const latin1 = Buffer.from('{"reason":"é"}', 'latin1');
    expect(await fetchProblem(url, { method: 'POST', headers, body: latin1 })).toMatchObject({
      status: 400,
      code: 'MALFORMED_JSON',
      detail: 'The body is not valid UTF-8, so the service changed nothing. Encode it as UTF-8',
    });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: '{}' };
      expect(await fetchProblem(url, init)).toMatchObject({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        detail: 'The body must be application/json',
      });
    }
    const body = JSON.stringify({ reason: 'x'.repeat(1_048_577) });
    expect(await fetchProblem(url, { method: 'POST', headers, body })).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      detail: 'The body is larger than 1 MiB. Send less at a time',
    });
  });
});

describe('an endpoint with a query', () => {
  const bind = (app: Express) =>
    bindEndpoint(app, search, async ({ query }) => writeBody(search, query));

  test('ignores unknown names, also repeated names', async () => {
    const url = await serve(bind);
    const response = await fetch(`${url}/api/things?q=a&other=1&other=2&__proto__=x`);
    expect(await response.json()).toEqual({ q: 'a' });
  });

  test('refuses a repeated single-valued name, and accepts lists for names of lists', async () => {
    const url = await serve(bind);
    expect(await fetchProblem(`${url}/api/things?q=a&q=b`)).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'q', message: 'must occur only once' }],
    });
    const list = await fetch(`${url}/api/things?algorithm=a&algorithm=b`);
    expect(await list.json()).toEqual({ algorithm: ['a', 'b'] });
  });

  test('refuses the NUL character, which PostgreSQL cannot store', async () => {
    const url = await serve(bind);
    expect(await fetchProblem(`${url}/api/things?q=a%00b`)).toMatchObject({
      errors: [{ path: 'q', message: 'must not contain the NUL character' }],
    });
  });
});

describe('a response', () => {
  test('that its schema does not accept is logged, and the client gets 500 without details', async () => {
    const logLines: string[] = [];
    const url = await serve(
      (app) => bindEndpoint(app, search, async () => writeBody(search, { q: 5 })),
      logLines,
    );
    expect(await fetchProblem(`${url}/api/things`)).toMatchObject({
      status: 500,
      code: 'INTERNAL',
      detail: 'An unexpected error occurred in the service. See its log for details.',
    });
    expect(logLines.join()).toContain(
      'The response of get /api/things does not match its schema: q',
    );
  });

  test('contains only the fields of its schema', async () => {
    const url = await serve((app) =>
      bindEndpoint(app, search, async () => writeBody(search, { q: 'a', password: 'x' })),
    );
    expect(await (await fetch(`${url}/api/things`)).json()).toEqual({ q: 'a' });
  });
});

describe('a response in slices', () => {
  const slice = 'x'.repeat(1_000_000);
  const sliceCount = 200;
  let generatedSlices: number;
  async function* generateSlices(end = sliceCount) {
    for (generatedSlices = 0; generatedSlices < end; generatedSlices++) yield slice;
    if (end < sliceCount) throw new Error('the database is gone');
  }
  const bind = (end?: number) => (app: Express) =>
    bindEndpoint(app, search, async () => ({ body: '[', nextSlices: generateSlices(end) }));

  test('is generated no faster than the client reads it, and arrives complete', async () => {
    const url = await serve(bind());
    const response = await request(`${url}/api/things`);
    response.pause();
    await vi.waitFor(() => expect(generatedSlices).toBeGreaterThan(0));
    await waitUntilSettled(() => generatedSlices);
    expect(generatedSlices).toBeLessThan(sliceCount / 2);
    let length = 0;
    for await (const chunk of response) length += (chunk as Buffer).length;
    expect([length, generatedSlices]).toEqual([1 + sliceCount * slice.length, sliceCount]);
  });

  test('is not generated further after the client has disconnected', async () => {
    const url = await serve(bind());
    const response = await request(`${url}/api/things`);
    response.destroy();
    await waitUntilSettled(() => generatedSlices);
    expect(generatedSlices).toBeLessThan(sliceCount / 2);
  });

  test('closes the connection if it cannot be completed', async () => {
    const logLines: string[] = [];
    const url = await serve(bind(3), logLines);
    await expect(fetch(`${url}/api/things`).then((response) => response.text())).rejects.toThrow();
    expect(logLines.join()).toContain('the database is gone');
  });

  test('has only headers for HEAD', async () => {
    const url = await serve(bind());
    generatedSlices = 0;
    const response = await fetch(`${url}/api/things`, { method: 'HEAD' });
    expect([response.status, await response.text(), generatedSlices]).toEqual([200, '', 0]);
  });
});

function request(url: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { agent: false }, resolve).on('error', reject);
  return promise;
}

/** Resolves once the number has not changed for a while. */
async function waitUntilSettled(read: () => number): Promise<void> {
  let lastNumber: number;
  do {
    lastNumber = read();
    await pause(100);
  } while (read() !== lastNumber);
}

const writeBody = (endpoint: Endpoint, value: unknown) => ({
  body: writeResponse(endpoint, value),
});

async function serve(bind: (app: Express) => void, logLines: string[] = []): Promise<string> {
  const app = express();
  app.set('query parser', false);
  bind(app);
  const logger = pino({}, { write: (line: string) => void logLines.push(line) });
  app.use(createErrorHandler({ classifyFailure: () => 'other' }, logger));
  const server = createServer(app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function postJson(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

async function fetchProblem(url: string, init?: RequestInit): Promise<ProblemDocument> {
  const response = await fetch(url, init);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  return (await response.json()) as ProblemDocument;
}
