import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '#build/start/free-port.ts';
import {
  makePostgresLocation,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { isLong } from '#tests/support/long.ts';
import { hasNginx, startProxy } from '#tests/support/proxy.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { spawnService, type ServiceProcess } from '#tests/support/service-process.ts';
import { sendRawRequest } from '#tests/support/test-service.ts';

const patience = { timeout: 120_000 };
const slowly = { timeout: 30_000 };
const token = 'sixteen-or-more-characters';
const authorization = `Bearer ${token}`;
const publicName = 'evoscope.example';
const allowedHosts = `${publicName},127.0.0.1`;

/** Services on one host have the same port, for the cookie of the pages, on different addresses of loopback. */
const canStart = isLong && process.platform === 'linux' && hasNginx();

describe.runIf(canStart)('Two services behind the proxy of the composition', () => {
  let place: TestLocation;
  let database: TestDatabase;
  let port: number;
  let services: [ServiceProcess, ServiceProcess];
  let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;

  const startService = (host: string) =>
    spawnService(['--host', host, '--port', String(port), '--allowed-hosts', allowedHosts], {
      environment: { SVC_DB_URL: place.url, SVC_TOKEN: token },
    });

  beforeAll(async () => {
    place = await makePostgresLocation();
    port = await findFreePort();
    // Both create the tables of the empty database.
    services = [startService('127.0.0.2'), startService('127.0.0.3')];
    for (const { readyLine } of services) expect(await readyLine).toContain('ready');
    database = await openTestDatabase(place.url);
    await insertExperiment(database, 'e1');
    await insertRun(database, 'e1', 'live', { status: 'RUNNING' });
    proxy = await startProxy([`127.0.0.2:${port}`, `127.0.0.3:${port}`]);
  }, 120_000);
  afterAll(async () => {
    await proxy?.stop();
    for (const { child } of services) child.kill('SIGKILL');
    await Promise.all(services.map(({ exitCode }) => exitCode));
    await database.close();
    await place.remove();
  });

  /** Sends a request like a browser that opened the proxy by its public name. */
  const send = (
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ) =>
    sendRawRequest({ port: Number(new URL(proxy!.url).port) }, path, {
      ...init,
      headers: { host: publicName, authorization, ...init.headers },
    });
  const agents = Array.from({ length: 20 }, (_, index) => ({ 'user-agent': `client ${index}` }));
  const getUpstreams = async () => {
    const responses = await Promise.all(agents.map((headers) => send('/api/runs', { headers })));
    expect(responses.map(({ status }) => status)).toEqual(agents.map(() => 200));
    return responses.map(({ headers }) => String(headers['x-upstream']));
  };

  test('share the clients, and a client stays at its service', patience, async () => {
    const upstreams = await getUpstreams();
    expect(new Set(upstreams).size).toBe(2);
    expect(await getUpstreams()).toEqual(upstreams);
  });

  test('require the token, and accept its cookie at either service', patience, async () => {
    expect((await send('/api/runs', { headers: { authorization: '' } })).status).toBe(401);
    const link = await send(`/runs?token=${token}`, { headers: { authorization: '' } });
    expect(link).toMatchObject({ status: 303, headers: { location: '/runs' } });
    const [cookie = ''] = String(link.headers['set-cookie']).split(';');
    for (const headers of agents) {
      const init = { headers: { ...headers, cookie, authorization: '' } };
      expect((await send('/api/runs', init)).status).toBe(200);
    }
  });

  test('refuse foreign host names, and changes by pages of other sites', patience, async () => {
    const foreign = await send('/api/runs', { headers: { host: 'foreign.example' } });
    expect(foreign.status).toBe(403);
    expect(foreign.body.toString()).toContain('FORBIDDEN_HOST');
    const stop = (origin: string) =>
      send('/api/runs/live/stop', { method: 'POST', headers: { origin } });
    expect((await stop('https://foreign.example')).body.toString()).toContain('FORBIDDEN_ORIGIN');
    expect((await stop(`https://${publicName}`)).status).toBe(200);
    const withPort = { host: `${publicName}:8443`, origin: `https://${publicName}:8443` };
    const init = { method: 'POST', headers: withPort };
    expect((await send('/api/runs/live/stop', init)).status).toBe(200);
  });

  test('receive long addresses and large uploads, and report their imports', patience, async () => {
    const long = `/api/runs?unused=${'x'.repeat(16_000)}`;
    expect((await send(long)).status).toBe(200);
    const rows = Array.from({ length: 200_000 }, (_, row) => `a,p,1,${row + 1},${-row}`);
    const body = `algorithm,problem,seed,evaluations,best\n${rows.join('\n')}\n`;
    expect(body.length).toBeGreaterThan(2 ** 21);
    const agent = agents[0]!;
    const started = await send('/api/import?name=large', {
      method: 'POST',
      headers: { 'content-type': 'text/csv', ...agent },
      body,
    });
    expect(started.status, started.body.toString()).toBe(202);
    const { importId } = JSON.parse(started.body.toString()) as { importId: string };
    const readState = async () =>
      (await send(`/api/import/${importId}`, { headers: agent })).body.toString();
    await expect.poll(readState, { timeout: 60_000 }).toContain('"status":"done"');
  });

  test('send events immediately, also after one of them is killed', patience, async () => {
    const before = new Set(await getUpstreams());
    const readers = await Promise.all(agents.slice(0, 10).map((agent) => openStream(agent)));
    for (const { next } of readers) expect(await next()).toContain('data: ');
    await insert(database, 'events', { run_id: 'live' });
    for (const { next } of readers) expect(await next()).toContain('data: ');

    services[0].child.kill('SIGKILL');
    await services[0].exitCode;
    expect(new Set(await getUpstreams())).not.toEqual(before);
    const survivor = `127.0.0.3:${port}`;
    const again = await Promise.all(
      readers.map(async (reader) => {
        if (reader.upstream === survivor) return reader;
        // The stream breaks, and a browser opens it again.
        while ((await reader.next()) !== null);
        const other = await openStream(reader.agent);
        expect(await other.next()).toContain('data: ');
        return other;
      }),
    );
    await insert(database, 'events', { run_id: 'live' });
    for (const { next, close } of again) {
      expect(await next()).toContain('data: ');
      close();
    }

    services[0] = startService('127.0.0.2');
    await services[0].readyLine;
    const readUpstreams = async () => new Set(await getUpstreams());
    await expect.poll(readUpstreams, slowly).toEqual(before);
  });

  async function openStream(agent: { 'user-agent': string }) {
    const leaving = new AbortController();
    const response = await fetch(`${proxy!.url}/api/changes`, {
      headers: { ...agent, authorization },
      signal: leaving.signal,
    });
    const stream = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    return {
      agent,
      upstream: response.headers.get('x-upstream')?.split(', ').at(-1),
      /** Returns the next part of the stream, null at its end. */
      next: async () => {
        const part = await stream.read().catch(() => ({ done: true, value: undefined }));
        return part.done ? null : String(part.value);
      },
      close: () => leaving.abort(),
    };
  }
});
