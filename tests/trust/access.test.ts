import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  makePostgresLocation,
  makeSqliteLocation,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';
import { sendRawRequest } from '#tests/support/test-service.ts';

const token = 'a-token-of-16-chars';
const running: ServiceProcess[] = [];

/** The service in a separate process, until the test ends. */
async function start(flags: string[], environment: Record<string, string> = {}) {
  const service = spawnService([...flags, '--port', '0', '--log-level', 'error'], { environment });
  running.push(service);
  return { service, address: parseAddress(await service.readyLine) };
}

afterEach(async () => {
  for (const { child, exitCode } of running.splice(0)) {
    child.kill();
    await exitCode;
  }
});

/** Starts a service over a SQLite file for all tests of a suite. */
function shareService(environment: Record<string, string> = {}) {
  const shared = { address: '', url: '' };
  let service: ServiceProcess;
  let location: TestLocation;
  beforeAll(async () => {
    location = await makeSqliteLocation();
    shared.url = location.url;
    ({ service, address: shared.address } = await start(['--db', location.url], environment));
    // It outlives the tests.
    running.pop();
  });
  afterAll(async () => {
    service.child.kill();
    await service.exitCode;
    await location.remove();
  });
  return shared;
}

/** Output of a process of the user `nobody` that runs this program; Node is loaded before the user changes. */
function asNobody(program: string): string {
  const drop = 'process.setgroups([]); process.setgid(65534); process.setuid(65534);';
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', `${drop}\n${program}`], {
    encoding: 'utf8',
  });
  return run.stdout + run.stderr;
}

/** Only the superuser can start processes of another user, and only Linux reports the user of a connection. */
const canBecomeNobody = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!canBecomeNobody)('a process of another user of this machine', () => {
  const service = shareService();
  /** Returns the responses of a service to requests of such a process. */
  const askAsNobody = (address: string) =>
    asNobody(`for (const [method, path] of [['GET', '/api/runs'], ['DELETE',
      '/api/experiments/e1'], ['GET', '/api/health']]) {
      const answer = await fetch('${address}' + path, { method });
      const { code, detail } = await answer.json();
      console.log(answer.status, code, detail);
    }`);
  const reason =
    'This service belongs to another user of this machine. It can serve other users with a token (SVC_TOKEN)';
  const refusal = `403 FORBIDDEN_USER ${reason}\n`;
  const onlyHealth = `${refusal}${refusal}200 undefined undefined\n`;

  test('can only read the health check; a process of this user needs no token', async () => {
    expect(askAsNobody(service.address)).toBe(onlyHealth);
    expect((await fetch(`${service.address}/api/runs`)).status).toBe(200);
  });

  test('can only read the health check over PostgreSQL', async () => {
    const location = await makePostgresLocation();
    const { service: other, address } = await start(['--db', location.url]);
    expect(askAsNobody(address)).toBe(onlyHealth);
    expect((await fetch(`${address}/api/runs`)).status).toBe(200);
    other.child.kill();
    await other.exitCode;
    await location.remove();
  });

  test('gets neither the name of the database nor the time of its changes', async () => {
    const { address } = service;
    const seen = `const health = await fetch('${address}/api/health');
      const page = await fetch('${address}/', { headers: { accept: 'text/html' } });
      const { databaseName, schema } = await health.json();
      console.log(JSON.stringify([databaseName, schema, health.headers.get('x-evoscope-database'),
        page.status, page.headers.get('server-timing')]));`;
    expect(JSON.parse(asNobody(seen))).toEqual([null, null, null, 200, null]);
    const own = await (await fetch(`${address}/api/health`)).json();
    expect(own).toMatchObject({ databaseName: 'test.db', schema: 'main' });
    const page = await fetch(`${address}/`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('server-timing')).toMatch(
      /^opened;desc="\w+", identity;desc="\w+", database;desc=/,
    );
  });

  // Without a host it listens on 127.0.0.1, as above.
  test.each(['localhost', '::1'])('on %s too', async (host) => {
    const location = await makeSqliteLocation();
    const { address } = await start(['--db', location.url, '--host', host]);
    const status = `console.log((await fetch('${address}/api/runs')).status);`;
    expect([asNobody(status), (await fetch(`${address}/api/runs`)).status]).toEqual(['403\n', 200]);
    await location.remove();
  });

  test('changes nothing if it ends before the service identifies it', async () => {
    const { address } = service;
    const database = await openTestDatabase(service.url);
    await insert(database, 'experiments', {}, { experiment_id: 'e2', config_hash: 'e2' });
    await database.close();
    const { port } = new URL(address);
    for (let round = 0; round < 5; round += 1) {
      asNobody(`import { connect } from 'node:net';
        const socket = connect(${port}, '127.0.0.1', () => {
          const head = 'DELETE /api/experiments/e1 HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\n\\r\\n';
          socket.write(head, () => process.exit());
        });`);
    }
    // What is written is written in turn: after this, nothing of theirs is still to come.
    expect((await fetch(`${address}/api/experiments/e2`, { method: 'DELETE' })).status).toBe(200);
    const left = await fetch(`${address}/api/experiments/e1`);
    expect(left.status).toBe(200);
  });
});

describe('A service with a token', () => {
  const service = shareService({ SVC_TOKEN: token });

  test.each(['127.0.0.1', '127.0.0.1:1', 'localhost'])(
    'refuses the host %s, because it has another port',
    async (host) => {
      const port = Number(new URL(service.address).port);
      const { body } = await sendRawRequest({ port }, '/api/health', { headers: { host } });
      expect(JSON.parse(body.toString())).toMatchObject({ status: 403, code: 'FORBIDDEN_HOST' });
    },
  );

  test('returns no name of the database from health to a client without it', async () => {
    const name = async (headers: Record<string, string>) => {
      const response = await fetch(`${service.address}/api/health`, { headers });
      return ((await response.json()) as { databaseName: string | null }).databaseName;
    };
    expect(await name({})).toBeNull();
    expect(await name({ authorization: `Bearer ${token}` })).toBe('test.db');
  });

  test.each([
    ['a missing SQLite file', makeSqliteLocation, 'The database file '],
    ['a dropped PostgreSQL database', makePostgresLocation, 'The PostgreSQL server'],
  ])(
    'does not name %s in the health to a client without it',
    async (_what, makeLocation, startOfReason) => {
      const location = await makeLocation();
      const { address } = await start(['--db', location.url], { SVC_TOKEN: token });
      await location.remove();
      const readDetail = async (headers: Record<string, string>) => {
        const response = await fetch(`${address}/api/health`, { headers });
        return ((await response.json()) as { detail?: string }).detail;
      };
      const name = location.url.replace(/.*[/:]/, '').replace(/\?.*/, '');
      await expect
        .poll(() => readDetail({ authorization: `Bearer ${token}` }), { timeout: 20_000 })
        .toMatch(new RegExp(`^${startOfReason}.*${name}`));
      expect(await readDetail({})).toBe('The database does not respond; try again in a moment');
    },
    60_000,
  );

  test('responds to wrong tokens one after another, to correct ones immediately, also of another user', async () => {
    const { address } = service;
    const program = `const headers = { authorization: 'Bearer ${token}' };
      console.log((await fetch('${address}/api/runs', { headers })).status);`;
    if (canBecomeNobody) expect(asNobody(program)).toBe('200\n');
    const ask = async (text: string) =>
      (await fetch(`${address}/api/runs`, { headers: { authorization: `Bearer ${text}` } })).status;
    const started = performance.now();
    const guesses = Array.from({ length: 12 }, (_, index) => ask(`wrong-${index}`));
    expect(await ask(token)).toBe(200);
    expect(await Promise.all(guesses)).toEqual(guesses.map(() => 401));
    expect(performance.now() - started).toBeGreaterThan(1_000);
  });
});

test('the printed address responds for each loopback address', async () => {
  const location = await makeSqliteLocation();
  const { address } = await start(['--db', location.url, '--host', '127.0.0.2']);
  expect(address).toContain('127.0.0.2');
  expect((await fetch(`${address}/api/runs`)).status).toBe(200);
  await location.remove();
});

describe.skipIf(process.platform !== 'linux')('the list of processes', () => {
  const secrets = ['--db-password', 'pw-in-a-flag-1', '--token', 'token-in-a-flag-1'];
  const commandLine = (pid: number | undefined) => readFileSync(`/proc/${pid}/cmdline`, 'latin1');

  test('shows no password and no token of the service, and no credentials of the database URL', async () => {
    const location = await makePostgresLocation();
    const { service } = await start(['--db', location.url, ...secrets]);
    const shown = commandLine(service.child.pid);
    expect(shown).toContain('evoscope');
    expect(shown).not.toMatch(/in-a-flag/);
    expect(shown).not.toContain(`${new URL(location.url).password}@`);
    service.child.kill();
    await service.exitCode;
    await location.remove();
  });

  test('shows no password and no token of programs that npm start starts', async () => {
    const location = await makeSqliteLocation();
    const program = fileURLToPath(new URL('../../build/start.ts', import.meta.url));
    const flags = [
      '--serve',
      '--db',
      location.url,
      '--port',
      '0',
      '--pages',
      location.folder,
      ...secrets,
    ];
    const child = spawn(process.execPath, [program, ...flags], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1');
    const pids = [child.pid, ...children.trim().split(' ').map(Number)];
    expect(pids.length).toBeGreaterThan(1);
    expect(pids.map(commandLine).join('\n')).not.toMatch(/in-a-flag/);
    child.kill();
    await once(child, 'exit');
    await location.remove();
  });
});
