import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints, type Endpoint } from '#shared/api.ts';
import { getTableNames } from '#shared/schemas/format.ts';
import { databaseHeader } from '#shared/words.ts';
import { onServer, openTestDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { startPostgresServer, type PostgresServer } from '#tests/support/embedded-postgres.ts';
import { followChanges } from '#tests/support/followed-service.ts';
import { isLong } from '#tests/support/long.ts';
import {
  pauseReplay,
  startRunningService,
  waitForReplica,
  type RunningService,
} from '#tests/support/running-service.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';

const patience = { timeout: 300_000 };
const slowly = { timeout: 60_000 };
const writerProgram = fileURLToPath(new URL('../support/strict-writer.ts', import.meta.url));

/** The endpoints whose responses are not about the rows, or that need an import. */
const otherEndpoints = /^(watch|listDatabases|listImports|getImport|previewDataSetDeletion)/;

/** Addresses whose responses change while the runner writes. */
const pathsOfRunner = [
  '/api/runs?status=RUNNING',
  '/api/runs?sortBy=best_fitness',
  '/api/experiments?figures=true',
  '/api/runs/live',
  '/api/runs/live/iterations',
  '/api/runs/live/forecast',
  '/api/experiments/live/analysis?direction=max&target=5&sameProblem=false',
];

interface Reply {
  status: number;
  headers: (string | null)[];
  body: string;
}

describe.runIf(isLong)('Two services with one replica, next to a runner that writes', () => {
  let primary: PostgresServer;
  let replica: PostgresServer;
  let database: TestDatabase;
  let writer: ChildProcess;
  let report: Promise<string>;
  let services: RunningService[];
  let paths: string[];

  const startService = () =>
    startRunningService({ SVC_DB_URL: primary.url, SVC_DB_REPLICA_URL: replica.url });

  beforeAll(async () => {
    primary = await startPostgresServer();
    database = await openTestDatabase(primary.url);
    await loadSample(database);
    paths = await listPaths(database);
    await insertExperiment(database, 'live');
    const now = new Date().toISOString();
    await insertRun(database, 'live', 'live', { status: 'RUNNING', start_time: now });
    await insertExperiment(database, 'ended');
    for (const run of ['ended-1', 'ended-2']) {
      await insertRun(database, 'ended', run, { best_fitness: 9, evaluations: 200 });
      await insertIterations(database, run, 10);
    }
    replica = await primary.startReplica();
    writer = spawn(process.execPath, [writerProgram, primary.url, 'live']);
    report = text(writer.stdout!);
    await once(writer.stdout!, 'data');
    services = await Promise.all([startService(), startService()]);
  }, 300_000);

  afterAll(async () => {
    writer.kill('SIGKILL');
    for (const { process: service } of services) service.child.kill('SIGTERM');
    for (const { process: service } of services) expect(await service.exitCode).toBe(0);
    await database.close();
    await replica.remove();
    await primary.remove();
  });

  /** Runs `work` while the writer waits and the replica has all that it has written. */
  async function pauseWriter(work: () => Promise<void>): Promise<void> {
    writer.kill('SIGSTOP');
    try {
      const written = () => readLog(primary, 'pg_current_wal_insert_lsn()');
      const replayed = () => readLog(replica, 'pg_last_wal_replay_lsn()');
      await expect.poll(async () => (await replayed()) >= (await written()), slowly).toBe(true);
      await waitForReplica(...services);
      await work();
    } finally {
      writer.kill('SIGCONT');
    }
  }

  async function expectEqualReplies(): Promise<void> {
    const [first, second] = services;
    const failures: string[] = [];
    for (const path of paths) {
      const [expected, actual] = await Promise.all([reply(first!, path), reply(second!, path)]);
      expect(actual, path).toEqual(expected);
      if (expected.status !== 200) failures.push(`${path}: ${expected.status}`);
    }
    expect(failures).toEqual([]);
  }

  const countWritten = async () => {
    const count = database.kysely
      .selectFrom('iterations')
      .where('run_id', '=', 'live')
      .select((eb) => eb.fn.countAll<number>().as('rows'));
    return (await count.executeTakeFirstOrThrow()).rows;
  };

  test('respond with the same bytes in all formats', patience, async () => {
    expect(paths.length).toBeGreaterThan(100);
    for (let round = 0; round < 3; round += 1) {
      const written = await countWritten();
      await expect.poll(countWritten, slowly).toBeGreaterThan(written + 10);
      await pauseWriter(expectEqualReplies);
    }
  });

  test('show the changes of other programs within 2 s', patience, async () => {
    const followers = await Promise.all(services.map(({ url }) => followChanges(url)));
    const seconds: number[] = [];
    const expectSeen = async (statement: string, expected: string) => {
      const counts = followers.map((follower) => follower.count());
      await onServer(primary.url, (client) => client.query(statement));
      const startedAt = performance.now();
      const waitUntilSeen = async ({ url }: RunningService, index: number) => {
        const follower = followers[index]!;
        for (let count = counts[index]!, body = ''; !body.includes(expected);) {
          await follower.waitForMore(count);
          count = follower.count();
          body = await (await fetch(`${url}/api/runs/seen`)).text();
        }
        seconds.push((performance.now() - startedAt) / 1_000);
      };
      await Promise.all(services.map(waitUntilSeen));
    };
    for (let round = 0; round < 4; round += 1) {
      await expectSeen(
        `insert into runs (run_id, experiment_id, seed, status, start_time)
          values ('seen', 'live', 1, 'RUNNING', '2026-11-21T10:00:00Z')`,
        '"status":"RUNNING"',
      );
      await expectSeen(
        `update runs set status = 'FAILED' where run_id = 'seen'`,
        '"status":"FAILED"',
      );
      await expectSeen(`delete from runs where run_id = 'seen'`, '"status":404');
    }
    for (const follower of followers) follower.close();
    expect(seconds).toHaveLength(24);
    expect(seconds.toSorted((a, b) => a - b)[12], seconds.join()).toBeLessThan(2);
  });

  test('show stop requests, notes and deletions of each other', patience, async () => {
    const [first, second] = services as [RunningService, RunningService];
    const run = async ({ get }: RunningService) =>
      JSON.parse(await get('/api/runs/live')) as object;
    expect(await send(first, 'POST', '/api/runs/live/stop', { reason: 'enough' })).toMatchObject({
      status: 200,
    });
    const stopRequest = { status: 'PENDING', reason: 'enough' };
    for (const service of services) {
      await expect.poll(() => run(service), slowly).toMatchObject({ stopRequest });
    }

    const saveNote = (service: RunningService, version: string | null, note: string) =>
      send(service, 'PUT', '/api/annotations/run/ended-1', { version, note });
    const { version } = JSON.parse((await saveNote(second, null, 'from the second')).body) as {
      version: string;
    };
    const readNote = () => first.get('/api/annotations/run/ended-1');
    await expect.poll(readNote, slowly).toContain('from the second');

    await pauseReplay(replica.url, async () => {
      expect((await saveNote(first, version, 'from the first')).status).toBe(200);
      // The replica still has the version of the second service, but writes compare with the primary.
      const rival = await saveNote(second, version, 'a rival');
      expect(rival.status).toBe(409);
      expect(rival.body).toContain('from the first');

      expect(await send(first, 'DELETE', '/api/experiments/ended')).toMatchObject({ status: 200 });
      expect((await fetch(`${first.url}/api/experiments/ended`)).status).toBe(404);
      expect((await send(second, 'DELETE', '/api/experiments/ended')).status).toBe(404);
    });
    const readStatus = async () => (await fetch(`${second.url}/api/experiments/ended`)).status;
    await expect.poll(readStatus, slowly).toBe(404);
    const rows = database.kysely.selectFrom('runs').where('experiment_id', '=', 'ended');
    expect(await rows.selectAll().execute()).toEqual([]);
    await pauseWriter(expectEqualReplies);
  });

  test(
    'report the lag, and read from the primary while the replica is down',
    patience,
    async () => {
      const lags = () =>
        Promise.all(services.map(async (service) => (await service.readReplica()).lagMillis ?? 0));
      await pauseReplay(replica.url, () =>
        expect.poll(async () => Math.min(...(await lags())), slowly).toBeGreaterThan(2_000),
      );
      await waitForReplica(...services);

      await replica.kill();
      await insertRun(database, 'live', 'meanwhile', { best_fitness: 8 });
      for (const service of services) {
        const readRun = async () => (await fetch(`${service.url}/api/runs/meanwhile`)).status;
        await expect.poll(readRun, slowly).toBe(200);
        expect(await service.readReplica()).toMatchObject({
          isUsed: false,
          note: 'The replica does not respond. The service reads lists and analyses from the primary.',
        });
      }
      await replica.start();
      await pauseWriter(expectEqualReplies);
    },
  );

  test('lose nothing when one of them is killed', patience, async () => {
    const [first, second] = services as [RunningService, RunningService];
    const notes: string[] = [];
    const saves = (async () => {
      for (let index = 0; ; index += 1) {
        const path = `/api/annotations/algorithm/a${index}`;
        const { status } = await send(first, 'PUT', path, { version: null, note: `note ${index}` });
        expect(status).toBe(200);
        notes.push(`note ${index}`);
      }
    })().catch((error: unknown) => error);
    const done = new AbortController();
    const statuses: number[] = [];
    const reads = (async () => {
      while (!done.signal.aborted) statuses.push((await fetch(`${second.url}/api/runs`)).status);
    })();
    await expect.poll(() => notes.length, slowly).toBeGreaterThan(20);
    first.process.child.kill('SIGKILL');
    expect(await saves).toBeInstanceOf(TypeError);
    await first.process.exitCode;
    const count = statuses.length;
    await expect.poll(() => statuses.length, slowly).toBeGreaterThan(count + 5);
    done.abort();
    await reads;
    expect(new Set(statuses)).toEqual(new Set([200]));

    services[0] = await startService();
    await pauseWriter(expectEqualReplies);
    for (const service of services) {
      const stored = JSON.parse(await service.get('/api/annotations?kind=algorithm')) as {
        note: string;
      }[];
      expect(stored.map((annotation) => annotation.note)).toEqual(expect.arrayContaining(notes));
    }

    writer.stdin!.end();
    const { written, failed } = JSON.parse((await report).split('\n')[1] ?? '{}') as {
      written: number;
      failed: number;
    };
    expect(failed).toBe(0);
    expect(await countWritten()).toBe(written);
  });
});

/** Sends a change as JSON. */
async function send({ url }: RunningService, method: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, {
    method,
    ...(body && { headers, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.text() };
}

/** Returns a position in the log of a server, in bytes. */
async function readLog({ url }: PostgresServer, position: string): Promise<bigint> {
  const { rows } = await onServer(url, (client) =>
    client.query<{ bytes: string }>(`select (${position} - '0/0')::text as bytes`),
  );
  return BigInt(rows[0]?.bytes ?? 0);
}

async function reply({ url }: RunningService, path: string): Promise<Reply> {
  const response = await fetch(url + path);
  const names = ['content-type', 'content-disposition', 'etag', databaseHeader];
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const isHealth = path === '/api/health';
  return {
    status: response.status,
    headers: names.map((name) => (isHealth && name === 'etag' ? null : response.headers.get(name))),
    body: isHealth ? body.replace(/"uptimeMillis":\d+/, '') : body,
  };
}

/** Returns the addresses of all reads of the sample: JSON, every table as CSV, and the first one as Parquet. */
async function listPaths({ kysely }: TestDatabase): Promise<string[]> {
  const {
    rows: [ids],
  } = await sql<Record<string, string>>`
    select r.run_id as "runId", r.experiment_id as "experimentId", e.problem_type as "problemType",
      (select min(iteration)::text from iterations where run_id = r.run_id) as iteration,
      (select min(id)::text from events where run_id = r.run_id) as id,
      (select min(campaign_id) from coco_campaigns) as "campaignId",
      'run' as kind, r.run_id as "subjectId", x.run_id as other,
      (select min(run_id) from runs join experiments using (experiment_id)
        where representation_type = 'grammar-bitstring') as "grammarRun"
    from runs r join experiments e using (experiment_id)
      join runs x on x.experiment_id = r.experiment_id and x.run_id > r.run_id
    where r.status = 'COMPLETED' and exists (select from events where run_id = r.run_id)
      and exists (select from iterations where run_id = x.run_id)
      and exists (select from iterations where run_id = r.run_id)
    order by r.run_id, x.run_id limit 1`.execute(kysely);
  // Only runs of a campaign can be exported in every format.
  const fill = (path: string) =>
    path
      .replace('/export/{kind}/{subjectId}', '/export/campaign/{campaignId}')
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids?.[name] ?? 'none'));
  const runs = `run=${ids?.['runId']}&run=${ids?.['other']}`;
  const reads = Object.entries(endpoints).flatMap(([name, endpoint]) => {
    const { method, path, csv }: Endpoint = endpoint;
    if (method !== 'get' || otherEndpoints.test(name)) return [];
    const filled = fill(name === 'getTree' ? '/api/runs/{grammarRun}/tree' : path);
    const address = name.startsWith('overlay') ? `${filled}?${runs}` : filled;
    const join = address.includes('?') ? '&' : '?';
    const tables = csv ? getTableNames(csv) : [];
    const table = (format: string, selected: string) =>
      `${address}${join}format=${format}${tables.length > 1 ? `&table=${selected}` : ''}`;
    return [
      address,
      ...tables.map((selected) => table('csv', selected)),
      ...tables.slice(0, 1).map((selected) => table('parquet', selected)),
    ];
  });
  return [...reads, ...pathsOfRunner];
}
