import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CurrentDatabase } from '#shared/schemas/databases.ts';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import {
  makePostgresLocation,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { behaviours, startFakePostgres, type FakePostgres } from '#tests/support/fake-postgres.ts';
import { whySkipped } from '#tests/support/long.ts';
import { writeSampleFile } from '#tests/support/sample-file.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

/** A server is waited for for 10 s; the rest is for a busy machine. */
const patience = { timeout: 120_000 };
const slowly = { timeout: 30_000 };

let folder: string;
let location: TestLocation;
let service: ServiceProcess;
let url: string;
const fakes = new Map<keyof typeof behaviours, FakePostgres>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evoscope-broken-'));
  writeSampleFile(join(folder, 'a.db'));
  location = await makePostgresLocation();
  await (await openTestDatabase(location.url)).close();
  for (const [name, behave] of Object.entries(behaviours)) {
    fakes.set(name as keyof typeof behaviours, await startFakePostgres(behave));
  }
  await start();
});
afterAll(async () => {
  service.child.kill('SIGTERM');
  await service.exitCode;
  for (const server of fakes.values()) await server.close();
  await location.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = spawnService(['--choose', folder, '--choose-postgres', '127.0.0.1', '--port', '0']);
  url = parseAddress(await service.readyLine);
}

async function open(body: object, signal?: AbortSignal) {
  const response = await fetch(`${url}/api/databases/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  return {
    status: response.status,
    body: (await response.json()) as CurrentDatabase & ProblemDocument,
  };
}

function makeServer(name: keyof typeof behaviours): FakePostgres {
  const found = fakes.get(name);
  if (!found) throw new Error(`no server is ${name}`);
  return found;
}

const makeServerUrl = (name: keyof typeof behaviours, password = ':secret') =>
  `postgres://me${password}@127.0.0.1:${makeServer(name).port}/d`;

/**
 * Returns a behaviour that passes the connections of a preparation to the real server. Those of requests, which limit
 * the wait for locks, get no response and are reported by `onSilence`.
 */
function passPreparations(onSilence: () => void): (socket: Socket) => void {
  return (socket) => {
    const upstream = connect(Number(new URL(location.url).port), '127.0.0.1');
    upstream.on('error', () => socket.destroy());
    upstream.pipe(socket);
    socket.once('close', () => upstream.destroy());
    let isSilent = false;
    socket.on('data', (data) => {
      isSilent ||= data.includes('lock_timeout=');
      if (isSilent) onSilence();
      else upstream.write(data);
    });
  };
}

describe('While servers do not respond', () => {
  test.skipIf(whySkipped)(
    `other databases open, and each opening fails with the reason${whySkipped}`,
    patience,
    async () => {
      const broken = {
        silent: makeServerUrl('silent'),
        requestingPassword: makeServerUrl('requestingPassword', ''),
        dying: makeServerUrl('dying'),
        dripping: makeServerUrl('dripping'),
        silentAfterLogin: makeServerUrl('silentAfterLogin'),
      };
      const failed = Object.entries(broken).map(async ([name, address]) => {
        const { body } = await open({ url: address });
        return [name, body.code, body.detail, body.errors?.[0]?.path] as const;
      });
      // A busy machine may need longer for a file than a server is waited for: then once more.
      let wasFirst = false;
      for (let attempt = 0; attempt < 3 && !wasFirst; attempt += 1) {
        let hasFailed = false;
        const hanging = open({ url: makeServerUrl('silent') }).then(() => (hasFailed = true));
        await expect.poll(() => makeServer('silent').countConnections(), slowly).toBeGreaterThan(0);
        expect((await open({ file: 'a.db' })).status).toBe(200);
        expect((await open({ url: location.url })).status).toBe(200);
        wasFirst = !hasFailed;
        await hanging;
      }
      expect(wasFirst).toBe(true);
      expect((await open({ file: 'a.db' })).status).toBe(200);
      const reasons = new Map(
        (await Promise.all(failed)).map(([name, ...reason]) => [name, reason]),
      );
      const late = (name: keyof typeof behaviours) => [
        'DATABASE_REFUSED',
        `The PostgreSQL server of postgres: 127.0.0.1:${makeServer(name).port}/d does not respond: no response within 10 s. Check the host and the port`,
        'postgres.host',
      ];
      expect(reasons.get('silent')).toEqual(late('silent'));
      expect(reasons.get('dripping')).toEqual(late('dripping'));
      expect(reasons.get('silentAfterLogin')).toEqual(late('silentAfterLogin'));
      expect(reasons.get('requestingPassword')).toEqual(late('requestingPassword'));
      expect(reasons.get('dying')?.[1]).toMatch(
        /^(The PostgreSQL server of .* does not respond|The service cannot open )/,
      );
      expect(reasons.get('dying')?.[2]).toMatch(/^postgres/);
      // What is open stays open.
      expect((await fetch(`${url}/api/runs`)).status).toBe(200);
      for (const [name, server] of fakes) {
        await expect.poll(() => server.countConnections(), { message: name, ...slowly }).toBe(0);
      }
    },
  );

  test(
    'an opening delays no other one, and closes its connection to the server when its client disconnects',
    patience,
    async () => {
      for (const name of ['silent', 'dripping', 'silentAfterLogin'] as const) {
        const leaving = new AbortController();
        const opening = open({ url: makeServerUrl(name) }, leaving.signal).catch(() => 'left');
        await expect.poll(() => makeServer(name).countConnections(), slowly).toBeGreaterThan(0);
        expect((await open({ file: 'a.db' })).status).toBe(200);
        leaving.abort();
        expect(await opening).toBe('left');
        await expect.poll(() => makeServer(name).countConnections(), { timeout: 8_000 }).toBe(0);
      }
    },
  );

  test('a wrong password for the open database is refused', patience, async () => {
    expect((await open({ url: location.url })).status).toBe(200);
    const wrong = new URL(location.url);
    wrong.password = 'wrong';
    const { status, body } = await open({ url: wrong.href });
    expect(status).toBe(422);
    expect(body.detail).toMatch(/password authentication failed/);
    expect((await fetch(`${url}/api/runs`)).status).toBe(200);
    expect((await open({ url: location.url })).status).toBe(200);
  });

  test(
    'SIGTERM ends the service within 5 s, and its openings with the reason',
    patience,
    async () => {
      let hasReachedOpening = false;
      const proxy = await startFakePostgres(passPreparations(() => (hasReachedOpening = true)));
      const proxyUrl = new URL(location.url);
      proxyUrl.port = String(proxy.port);
      const names = ['silent', 'dripping', 'silentAfterLogin'] as const;
      const openings = [proxyUrl.href, ...names.map((name) => makeServerUrl(name))].map((address) =>
        open({ url: address }),
      );
      await expect.poll(() => hasReachedOpening, slowly).toBe(true);
      for (const name of names)
        await expect.poll(() => makeServer(name).countConnections(), slowly).toBeGreaterThan(0);
      const requested = performance.now();
      service.child.kill('SIGTERM');
      expect(await service.exitCode).toBe(0);
      expect(performance.now() - requested).toBeLessThan(5_000);
      for (const opening of openings) {
        expect(await opening).toMatchObject({ status: 503, body: { code: 'SERVICE_STOPPING' } });
      }
      await proxy.close();
      await start();
    },
  );
});
