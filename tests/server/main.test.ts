import SqliteDatabase from 'better-sqlite3';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  makePostgresLocation,
  makeSqliteLocation,
  onServer,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { parseAddress, spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

const services: ServiceProcess[] = [];
/** Options of polls: threads start slowly on a busy machine. */
const pollOptions = { timeout: 20_000 };
let location: Awaited<ReturnType<typeof makeSqliteLocation>>;

beforeEach(async () => {
  location = await makeSqliteLocation();
});
afterEach(async () => {
  for (const { child, exitCode } of services.splice(0)) {
    child.kill('SIGKILL');
    await exitCode;
  }
  await location.remove();
});

function startService(...parameters: Parameters<typeof spawnService>): ServiceProcess {
  const service = spawnService(...parameters);
  services.push(service);
  return service;
}

describe('The service', () => {
  test('prints its address on one line of standard output, and logs JSON lines on standard error', async () => {
    const service = startService(['--db', location.file, '--port', '0']);
    const line = await service.readyLine;
    expect(line).toMatch(
      new RegExp(
        `^Evoscope ready at http://127\\.0\\.0\\.1:\\d+/ \\(sqlite: ${location.file.replaceAll('.', '\\.')}\\)$`,
      ),
    );
    const health = await fetch(`${parseAddress(line)}/api/health`);
    expect(await health.json()).toMatchObject({ status: 'ok', dialect: 'sqlite', readOnly: false });
    service.child.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
    const { stdout, stderr } = service.output();
    expect(stdout).toBe(`${line}\n`);
    const messages = stderr
      .trim()
      .split('\n')
      .map((text) => (JSON.parse(text) as { msg: string }).msg);
    expect(messages).toContain('Opening the database');
    expect(messages).toContain(`Created a new database: ${location.file}`);
    expect(messages.at(-1)).toBe('Stopping');
    expect(existsSync(`${location.file}-wal`)).toBe(false);
  });

  test('resolves a relative and the default path against the working directory, and serves the pages of the configured folder', async () => {
    const pages = join(location.folder, 'pages');
    mkdirSync(pages);
    writeFileSync(join(pages, 'index.html'), '<title>Ours</title>');
    const service = startService(['--port=0', '--pages', pages], { cwd: location.folder });
    expect(await service.readyLine).toContain(`(sqlite: ${join(location.folder, 'evoscope.db')})`);
    const page = await fetch(`${parseAddress(await service.readyLine)}/`);
    expect(await page.text()).toBe('<title>Ours</title>');
  });

  test('opens a database read-only with --read-only', async () => {
    await (await openTestDatabase(location.url)).close();
    const service = startService(['--db', location.file, '--port', '0'], {
      environment: { SVC_READ_ONLY: '1' },
    });
    const health = await fetch(`${parseAddress(await service.readyLine)}/api/health`);
    expect(await health.json()).toMatchObject({ readOnly: true });
  });

  test('requires the configured token, reports progress and address to its parent process, and ends with it', async () => {
    const service = startService(
      ['--db', location.file, '--port', '0', '--token', 'a-token-of-16-chars'],
      {
        hasIpc: true,
      },
    );
    const messages: unknown[] = [];
    service.child.on('message', (message) => messages.push(message));
    const url = `${parseAddress(await service.readyLine)}/`;
    await expect
      .poll(() => messages)
      .toEqual([
        { type: 'progress', step: `Opening ${location.file}` },
        { type: 'ready', url },
      ]);
    expect((await fetch(`${url}api/facets`)).status).toBe(401);
    const headers = { authorization: 'Bearer a-token-of-16-chars' };
    expect((await fetch(`${url}api/facets`, { headers })).status).toBe(200);
    service.child.disconnect();
    expect(await service.exitCode).toBe(0);
  });
});

describe('The service reports the reason for a failed start:', () => {
  test('wrong flags, one per line, with exit code 2', async () => {
    const service = startService(['--port', 'x', '--colour'], {
      environment: { SVC_LOG_LEVEL: 'loud' },
    });
    expect(await service.exitCode).toBe(2);
    expect(service.output()).toEqual({
      stdout: '',
      stderr: [
        'Unknown flag --colour: see --help',
        '--port must be a whole number from 0 to 65535',
        'SVC_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
        '',
      ].join('\n'),
    });
  });

  test('tables of an old runner, with the code for the window', async () => {
    new SqliteDatabase(location.file)
      .exec('create table runs (run_id text primary key, algorithm_id text)')
      .close();
    const flags = ['--db', location.file, '--legacy', 'refuse', '--port', '0'];
    const service = startService(flags, { hasIpc: true });
    const messages: unknown[] = [];
    service.child.on('message', (message) => messages.push(message));
    expect(await service.exitCode).toBe(1);
    expect(messages.at(-1)).toMatchObject({ type: 'failed', code: 'LEGACY_SCHEMA' });
  });

  test('a port in use, with exit code 1', async () => {
    const otherServer = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => otherServer.once('listening', resolve));
    const { port } = otherServer.address() as AddressInfo;
    const service = startService(['--db', location.file, '--port', String(port)], {
      environment: { SVC_LOG_LEVEL: 'error' },
    });
    expect(await service.exitCode).toBe(1);
    expect(service.output()).toEqual({
      stdout: '',
      stderr: `127.0.0.1:${port} is in use, perhaps by another Evoscope: choose another port with --port, or 0 for any free one\n`,
    });
    otherServer.close();
  });

  test('an address of another machine', async () => {
    const flags = [
      '--db',
      location.file,
      '--host',
      '203.0.113.1',
      '--token',
      'a-token-of-16-chars',
    ];
    const service = startService(flags, { environment: { SVC_LOG_LEVEL: 'error' } });
    expect(await service.exitCode).toBe(1);
    expect(service.output().stderr).toMatch(
      /^Cannot listen on 203\.0\.113\.1:7070: .*EADDRNOTAVAIL.*\. Choose another address with --host or --port$/m,
    );
  });

  test('a file that is not a database, also to its parent process', async () => {
    writeFileSync(location.file, 'text, not a database, but long enough for a header'.repeat(20));
    const service = startService(['--db', location.file, '--port', '0'], { hasIpc: true });
    const messages: unknown[] = [];
    service.child.on('message', (message) => messages.push(message));
    expect(await service.exitCode).toBe(1);
    expect(messages.at(-1)).toEqual({
      type: 'failed',
      message: `${location.file} is not a SQLite database: choose another file`,
    });
    expect(service.output().stderr.trim().split('\n').at(-1)).toBe(
      `${location.file} is not a SQLite database: choose another file`,
    );
  });
});

test('--help lists the flags and --version prints the version, both on standard output', async () => {
  const help = startService(['--help']);
  expect(await help.exitCode).toBe(0);
  expect(help.output().stdout).toContain('--allowed-hosts <names>');
  const version = startService(['--version']);
  expect(await version.exitCode).toBe(0);
  expect(version.output().stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe('Over PostgreSQL the service', () => {
  let postgres: TestLocation;
  beforeEach(async () => {
    postgres = await makePostgresLocation();
  });
  afterEach(() => postgres.remove());

  const startOverPostgres = () => {
    const url = new URL(postgres.url);
    const flags = ['--db', `jdbc:postgresql://${url.host}${url.pathname}`, '--port', '0'];
    const environment = { SVC_DB_USER: url.username, SVC_DB_PASSWORD: url.password };
    return startService(flags, { environment });
  };

  /** Runs `work` while a request to stop a run waits for a locked table; a read would fail soon. */
  async function whileRequestWaits(
    address: string,
    work: (request: Promise<Response>, unlock: () => Promise<unknown>) => Promise<void>,
  ): Promise<void> {
    await onServer(postgres.url, async (client) => {
      await client.query('begin; lock table runs in access exclusive mode');
      const request = fetch(`${address}/api/runs/nobody/stop`, { method: 'POST' });
      request.catch(() => {});
      const countWaitingLocks = async () => {
        const locks = await client.query(
          `select 1 from pg_locks where not granted and mode = 'RowShareLock'
           and database = (select oid from pg_database where datname = current_database())`,
        );
        return locks.rowCount;
      };
      await expect.poll(countWaitingLocks).toBeGreaterThan(0);
      await work(request, () => client.query('rollback'));
    });
  }

  test('names the database without user and password, and has at most ten connections for any number of requests', async () => {
    const service = startOverPostgres();
    const url = new URL(postgres.url);
    const line = await service.readyLine;
    expect(line).toMatch(new RegExp(` \\(postgres: ${url.host}${url.pathname}\\)$`));
    const address = parseAddress(line);
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    await onServer(postgres.url, async (client) => {
      await client.query('begin; lock table runs, experiments in access exclusive mode');
      // Reads of a locked table fail soon, so each is repeated until all connections have waited.
      const abortController = new AbortController();
      const requestLoops = numbers.map(async (number) => {
        while (!abortController.signal.aborted) {
          await Promise.allSettled([
            fetch(`${address}/api/runs?page=${number}`),
            fetch(`${address}/api/experiments/${number}/analysis`),
            fetch(`${address}/api/runs/${number}/stop`, { method: 'POST' }),
          ]);
        }
      });
      const countConnections = async (condition: string) => {
        await client.query('select pg_stat_clear_snapshot()');
        const { rows } = await client.query<{ number: number }>(
          `select count(*)::int as number from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
        );
        return rows[0]?.number ?? 0;
      };
      await expect
        .poll(() => countConnections(`wait_event_type = 'Lock'`), pollOptions)
        .toBeGreaterThanOrEqual(8);
      expect(await countConnections('true')).toBeLessThanOrEqual(10);
      abortController.abort();
      await client.query('rollback');
      await Promise.all(requestLoops);
    });
    service.child.kill('SIGINT');
    expect(await service.exitCode).toBe(0);
    const { stdout, stderr } = service.output();
    expect(stdout + stderr).not.toContain(url.password);
  });

  test('finishes a running request before it stops, and ends event streams immediately', async () => {
    const service = startOverPostgres();
    const address = parseAddress(await service.readyLine);
    const changes = await fetch(`${address}/api/changes`);
    await whileRequestWaits(address, async (request, unlock) => {
      service.child.kill('SIGTERM');
      const start = performance.now();
      await changes.text();
      expect(performance.now() - start).toBeLessThan(3_000);
      await unlock();
      expect((await request).status).toBe(404);
    });
    expect(await service.exitCode).toBe(0);
  });

  test('rejects a request that takes longer than 3.6 s after the stop, with the reason', async () => {
    const service = startOverPostgres();
    const address = parseAddress(await service.readyLine);
    await whileRequestWaits(address, async (request) => {
      const start = performance.now();
      service.child.kill('SIGTERM');
      expect((await request).status).toBe(503);
      expect(await service.exitCode).toBe(0);
      const millis = performance.now() - start;
      expect(millis).toBeGreaterThan(3_500);
      expect(millis).toBeLessThan(5_500);
    });
  });
});
