import express, { type Express } from 'express';
import type { AddressInfo } from 'node:net';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import type { Endpoint } from '#shared/api.ts';
import type { Problem } from '#shared/schemas/error.ts';
import { bindEndpoint } from '#server/http/bind-endpoint.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { createErrorHandler } from '#server/http/error-handler.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

const stop = {
  method: 'post',
  path: '/api/things/{id}/stop',
  summary: 'Stop',
  params: z.object({ id: z.string().max(5) }),
  body: z.object({ reason: z.string().max(3) }).optional(),
  answer: z.object({ id: z.string(), reason: z.string().nullable() }),
} as const satisfies Endpoint;

const search = {
  method: 'get',
  path: '/api/things',
  summary: 'Search',
  query: z.object({
    q: z.string().optional(),
    algorithm: z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional(),
  }),
  answer: z.object({ q: z.string().optional(), algorithm: z.array(z.string()).optional() }),
} as const satisfies Endpoint;

describe('an endpoint with a body', () => {
  const bind = (app: Express) =>
    bindEndpoint(app, stop, async ({ params, body }) =>
      written(stop, { id: params.id, reason: body?.reason ?? null }),
    );

  test('takes JSON, or no body where it is optional', async () => {
    const url = await serve(bind);
    expect(await answer(`${url}/api/things/a/stop`, { reason: 'why' })).toEqual({
      id: 'a',
      reason: 'why',
    });
    const bare = await fetch(`${url}/api/things/a/stop`, { method: 'POST' });
    expect(await bare.json()).toEqual({ id: 'a', reason: null });
  });

  test('says what is wrong in path and body', async () => {
    const url = await serve(bind);
    const inPath = await answer(`${url}/api/things/toolong/stop`, {});
    expect(inPath).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'id' }] });
    const inBody = await answer(`${url}/api/things/a/stop`, { reason: 'because' });
    expect(inBody).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'reason' }] });
  });

  test('refuses a body that is no JSON, claims to be something else, or is too large', async () => {
    const url = `${await serve(bind)}/api/things/a/stop`;
    const headers = { 'content-type': 'application/json' };
    expect(await problem(url, { method: 'POST', headers, body: '{"a":' })).toMatchObject({
      status: 400,
      code: 'MALFORMED_JSON',
      detail: 'The body is not valid JSON',
    });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const sent = { method: 'POST', headers: { 'content-type': type }, body: '{}' };
      expect(await problem(url, sent)).toMatchObject({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        detail: 'The body must be application/json',
      });
    }
    const body = JSON.stringify({ reason: 'x'.repeat(1_048_577) });
    expect(await problem(url, { method: 'POST', headers, body })).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      detail: 'The body is larger than 1 MiB',
    });
  });
});

describe('an endpoint with a query', () => {
  const bind = (app: Express) =>
    bindEndpoint(app, search, async ({ query }) => written(search, query));

  test('ignores names that it does not know, repeated ones too', async () => {
    const url = await serve(bind);
    const response = await fetch(`${url}/api/things?q=a&other=1&other=2&__proto__=x`);
    expect(await response.json()).toEqual({ q: 'a' });
  });

  test('refuses a single-valued name that is repeated, and takes lists where there are lists', async () => {
    const url = await serve(bind);
    expect(await problem(`${url}/api/things?q=a&q=b`)).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'q', message: 'must be given only once' }],
    });
    const list = await fetch(`${url}/api/things?algorithm=a&algorithm=b`);
    expect(await list.json()).toEqual({ algorithm: ['a', 'b'] });
  });

  test('refuses the NUL character, which PostgreSQL has no text for', async () => {
    const url = await serve(bind);
    expect(await problem(`${url}/api/things?q=a%00b`)).toMatchObject({
      errors: [{ path: 'q', message: 'must not contain the NUL character' }],
    });
  });
});

describe('an answer', () => {
  test('that its schema does not accept is a logged 500 that says nothing about it', async () => {
    const logged: string[] = [];
    const url = await serve(
      (app) => bindEndpoint(app, search, async () => written(search, { q: 5 })),
      logged,
    );
    expect(await problem(`${url}/api/things`)).toMatchObject({
      status: 500,
      code: 'INTERNAL',
      detail: 'The service met an error it did not expect; its log says more',
    });
    expect(logged.join()).toContain('get /api/things answers what its schema does not accept: q');
  });

  test('loses what its schema does not name', async () => {
    const url = await serve((app) =>
      bindEndpoint(app, search, async () => written(search, { q: 'a', password: 'x' })),
    );
    expect(await (await fetch(`${url}/api/things`)).json()).toEqual({ q: 'a' });
  });
});

describe('an answer in parts', () => {
  const part = 'x'.repeat(1_000_000);
  const parts = 200;
  let made: number;
  async function* rest(end = parts) {
    for (made = 0; made < end; made++) yield part;
    if (end < parts) throw new Error('the database is gone');
  }
  const bind = (end?: number) => (app: Express) =>
    bindEndpoint(app, search, async () => ({ body: '[', rest: rest(end) }));

  test('is made no faster than the client takes it, and arrives whole', async () => {
    const url = await serve(bind());
    const response = await request(`${url}/api/things`);
    response.pause();
    await vi.waitFor(() => expect(made).toBeGreaterThan(0));
    await settled(() => made);
    expect(made).toBeLessThan(parts / 2);
    let length = 0;
    for await (const chunk of response) length += (chunk as Buffer).length;
    expect([length, made]).toEqual([1 + parts * part.length, parts]);
  });

  test('is made no further once the client has gone', async () => {
    const url = await serve(bind());
    const response = await request(`${url}/api/things`);
    response.destroy();
    await settled(() => made);
    expect(made).toBeLessThan(parts / 2);
  });

  test('breaks the connection when it cannot be made to its end', async () => {
    const logged: string[] = [];
    const url = await serve(bind(3), logged);
    await expect(fetch(`${url}/api/things`).then((response) => response.text())).rejects.toThrow();
    expect(logged.join()).toContain('the database is gone');
  });

  test('is only its headers for HEAD', async () => {
    const url = await serve(bind());
    made = 0;
    const response = await fetch(`${url}/api/things`, { method: 'HEAD' });
    expect([response.status, await response.text(), made]).toEqual([200, '', 0]);
  });
});

function request(url: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { agent: false }, resolve).on('error', reject);
  return promise;
}

/** Resolves once the number has not changed for a while. */
async function settled(read: () => number): Promise<void> {
  let last: number;
  do {
    last = read();
    await pause(100);
  } while (read() !== last);
}

const written = (endpoint: Endpoint, value: unknown) => ({ body: writeAnswer(endpoint, value) });

async function serve(bind: (app: Express) => void, logged: string[] = []): Promise<string> {
  const app = express();
  app.set('query parser', false);
  bind(app);
  const logger = pino({}, { write: (line: string) => void logged.push(line) });
  app.use(createErrorHandler({ failureKind: () => 'other' }, logger));
  const server = createServer(app);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

async function problem(url: string, init?: RequestInit): Promise<Problem> {
  const response = await fetch(url, init);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  return (await response.json()) as Problem;
}
