import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { onServer, openTestDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { startPostgresServer, type PostgresServer } from '#tests/support/embedded-postgres.ts';
import { isLong, whySkipped } from '#tests/support/long.ts';
import {
  pauseReplay,
  startRunningService,
  waitForReplica,
  type RunningService,
} from '#tests/support/running-service.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { spawnService, type ServiceProcess } from '#tests/support/service-process.ts';

const patience = { timeout: 120_000 };
const slowly = { timeout: 30_000 };

let primary: PostgresServer;
let replica: PostgresServer;
let database: TestDatabase;
beforeAll(async () => {
  primary = await startPostgresServer();
  database = await openTestDatabase(primary.url);
  await insertExperiment(database, 'e1');
  for (const run of ['r1', 'r2']) {
    await insertRun(database, 'e1', run, { best_fitness: 9, evaluations: 200 });
    await insertIterations(database, run, 10);
  }
  await insertRun(database, 'e1', 'live', { status: 'RUNNING' });
  replica = await primary.startReplica();
}, 120_000);
afterAll(async () => {
  await database.close();
  await replica.remove();
  await primary.remove();
});

const running = new Set<ServiceProcess>();
afterEach(async () => {
  for (const service of running) {
    service.child.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
  }
  running.clear();
});

async function start(environment: Record<string, string>): Promise<RunningService> {
  const service = await startRunningService(environment);
  running.add(service.process);
  return service;
}

const withReplica = () => start({ SVC_DB_URL: primary.url, SVC_DB_REPLICA_URL: replica.url });

const paths = [
  '/api/runs?sortBy=start_time',
  '/api/experiments?figures=true',
  '/api/experiments/e1/analysis?direction=max&target=5&sameProblem=false',
  '/api/runs/r1/iterations',
];
const getResponses = ({ get }: RunningService) => Promise.all(paths.map(get));

/** Settles when the stream of changes has reported another state than before `change`. */
async function seesChange({ url }: RunningService, change: () => Promise<unknown>): Promise<void> {
  const leaving = new AbortController();
  const stream = await fetch(`${url}/api/changes`, { signal: leaving.signal });
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  const first = (await reader.read()).value;
  await change();
  for (let next = first; next === first; next = (await reader.read()).value);
  leaving.abort();
}

async function queryReplica(query: string): Promise<Record<string, unknown>[]> {
  return onServer(replica.url, async (client) => (await client.query(query)).rows);
}

/** The lock on `iterations` that the replica has taken over from its primary. */
const lockOfReplay = `select from pg_locks
  where mode = 'AccessExclusiveLock' and granted and relation = 'iterations'::regclass`;

describe('A service with a replica', () => {
  test(
    'reads from the replica, writes to the primary, and shows its own writes',
    patience,
    async () => {
      const service = await withReplica();
      await waitForReplica(service);
      await seesChange(service, () => insertRun(database, 'e1', 'r3', { best_fitness: 8 }));
      const before = await getResponses(service);
      expect(before[0]).toContain('"r3"');
      await pauseReplay(replica.url, async () => {
        await insertRun(database, 'e1', 'unseen', { best_fitness: 8 });
        expect(await getResponses(service)).toEqual(before);
        const stopped = await fetch(`${service.url}/api/runs/live/stop`, { method: 'POST' });
        expect(stopped.status).toBe(200);
        expect(JSON.parse(await service.get('/api/runs/live'))).toMatchObject({
          stopRequest: { status: 'PENDING' },
        });
        const late = async () => (await service.readReplica()).lagMillis ?? 0;
        await expect.poll(late, slowly).toBeGreaterThan(2_000);
      });
      await waitForReplica(service);
    },
  );

  test('reads from the primary while the replica is down, with a note', patience, async () => {
    const service = await withReplica();
    await waitForReplica(service);
    const before = await getResponses(service);
    await replica.kill();
    expect(await getResponses(service)).toEqual(before);
    expect(await service.readReplica()).toMatchObject({
      isUsed: false,
      note: 'The replica does not respond. The service reads lists and analyses from the primary.',
    });
    await replica.start();
    await waitForReplica(service);
    expect(await getResponses(service)).toEqual(before);
  });
});

describe('Two services with one replica', () => {
  test.skipIf(whySkipped)(
    `respond with the same bytes, and show the stop requests of each other${whySkipped}`,
    patience,
    async () => {
      const [first, second] = await Promise.all([withReplica(), withReplica()]);
      await waitForReplica(first, second);
      expect(await getResponses(second)).toEqual(await getResponses(first));
      await insertRun(database, 'e1', 'shared', { status: 'RUNNING' });
      const stopped = await fetch(`${first.url}/api/experiments/e1/stop`, { method: 'POST' });
      expect(stopped.status).toBe(200);
      for (const { get } of [first, second]) {
        await expect.poll(() => get('/api/runs/shared'), slowly).toContain('"status":"PENDING"');
      }
    },
  );
});

describe.runIf(isLong)('A service with a replica', () => {
  test('responds from the primary while the replica is frozen', patience, async () => {
    const service = await withReplica();
    await waitForReplica(service);
    const before = await getResponses(service);
    await replica.freeze();
    try {
      expect(await getResponses(service)).toEqual(before);
      expect((await service.readReplica()).note).toMatch(/^The replica does not respond\. /);
    } finally {
      replica.thaw();
    }
    await waitForReplica(service);
    expect(await getResponses(service)).toEqual(before);
  });

  test('reads from the primary while the replica is more than 10 s behind', patience, async () => {
    const service = await withReplica();
    await waitForReplica(service);
    await pauseReplay(replica.url, async () => {
      await insertRun(database, 'e1', 'late', { best_fitness: 8 });
      await expect.poll(() => service.get('/api/runs'), slowly).toContain('"late"');
      expect(await service.readReplica()).toMatchObject({
        isUsed: false,
        note: 'The replica is more than 10 s behind. The service reads lists and analyses from the primary.',
      });
    });
    await waitForReplica(service);
  });

  test('reads from the primary until the replica has caught up', patience, async () => {
    await pauseReplay(replica.url, async () => {
      await insertRun(database, 'e1', 'early', { best_fitness: 8 });
      const service = await withReplica();
      expect(await service.get('/api/runs')).toContain('"early"');
      expect((await service.readReplica()).note).toBe(
        'The replica has not caught up with the primary. The service reads lists and analyses from the primary.',
      );
    });
  });

  test(
    'repeats on the primary queries that the replica cancels',
    { timeout: 400_000 },
    async () => {
      const service = await withReplica();
      await waitForReplica(service);
      await onServer(replica.url, async (client) => {
        await client.query(`alter system set max_standby_streaming_delay = 0`);
        await client.query('select pg_reload_conf()');
      });
      // New connections have the setting after the process that replays the log has read it again.
      await expect
        .poll(() => queryReplica('show max_standby_streaming_delay'), slowly)
        .toEqual([{ max_standby_streaming_delay: '0' }]);
      const isWaiting = async (event: string) => {
        const query = `select from pg_stat_activity where wait_event = '${event}'`;
        return (await queryReplica(query)).length > 0;
      };
      const lockRuns = 'begin; lock runs in access exclusive mode; commit';

      const copy = await openTestDatabase(replica.url, { isReadOnly: true });
      const cancelled = copy.kysely
        .selectFrom('runs')
        .select([sql`pg_sleep(60)`.as('pause'), 'run_id'])
        .execute()
        .catch((error: unknown) => error);
      await expect.poll(() => isWaiting('PgSleep'), slowly).toBe(true);
      await onServer(primary.url, (client) => client.query(lockRuns));
      const error = await cancelled;
      expect(copy.dialect.classifyFailure(error)).toBe('busy');
      expect(error).toMatchObject({
        explanation:
          'The standby cancelled the query in order to follow its primary; try again in a moment',
      });
      await copy.close();

      const readConflicts = async () => {
        const [row] = await queryReplica(
          'select confl_lock::int as count from pg_stat_database_conflicts where datname = current_database()',
        );
        return Number(row?.['count']);
      };
      /**
       * Returns whether the replica cancelled a query of the request, which had 0.5 s: the service waits no longer for a
       * lock.
       */
      const cancelsQuery = async (path: string, expected: string) => {
        const conflicts = await readConflicts();
        const connect = async (url: string) => {
          const client = new pg.Client({ connectionString: url });
          await client.connect();
          return client;
        };
        const [runner, other, standby] = await Promise.all(
          [primary, primary, replica].map(({ url }) => connect(url)),
        );
        // The query on the replica has a lock on `runs` and waits for one on `iterations`.
        await runner!.query('begin; lock iterations in access exclusive mode');
        await expect.poll(() => queryReplica(lockOfReplay), slowly).toHaveLength(1);
        const waiting = `select from pg_stat_activity where wait_event = 'relation'`;
        const done = new AbortController();
        const requested = fetch(service.url + path).finally(() => done.abort());
        while (!done.signal.aborted && !(await standby!.query(waiting)).rowCount);
        await other!.query(lockRuns);
        await runner!.query('commit');
        const response = await requested;
        const body = await response.text();
        await Promise.all([runner, other, standby].map((client) => client!.end()));
        if (response.status === 503) return false;
        expect(body).toBe(expected);
        // The server may count a conflict 10 s later.
        const isCounted = async () => (await readConflicts()) > conflicts;
        return await expect
          .poll(isCounted, { timeout: 15_000 })
          .toBe(true)
          .then(
            () => true,
            () => false,
          );
      };
      for (const path of ['/api/runs?sortBy=best_fitness', '/api/experiments?figures=true']) {
        const expected = await service.get(path);
        let isCancelled = false;
        for (let attempt = 0; attempt < 10 && !isCancelled; attempt += 1) {
          isCancelled = await cancelsQuery(path, expected);
        }
        expect(isCancelled, path).toBe(true);
      }
    },
  );

  test('does not use a server that it cannot read, and states why', patience, async () => {
    const wrong = new URL(replica.url);
    wrong.password = 'wrong';
    const service = await start({ SVC_DB_URL: primary.url, SVC_DB_REPLICA_URL: wrong.href });
    expect(await service.readReplica()).toMatchObject({
      place: `${wrong.host}${wrong.pathname}`,
      isUsed: false,
      note: expect.stringMatching(
        /^The service cannot open the replica: The PostgreSQL server of .* refused access: password authentication failed.*\. The service reads lists and analyses from the primary\.$/,
      ) as string,
    });
    expect(await service.get('/api/runs')).toContain('"r1"');
    expect(JSON.stringify(await service.readReplica())).not.toContain('wrong');
  });

  test('does not use the primary itself as a replica', patience, async () => {
    const service = await start({ SVC_DB_URL: primary.url, SVC_DB_REPLICA_URL: primary.url });
    expect((await service.readReplica()).note).toBe(
      'The replica is not a standby. The service reads lists and analyses from the primary.',
    );
  });

  test('does not start with another server, database or schema as replica', patience, async () => {
    const other = await startPostgresServer();
    await (await openTestDatabase(other.url)).close();
    const ofDatabase = (server: PostgresServer) =>
      Object.assign(new URL(server.url), { pathname: '/another' }).href;
    const ofSchema = (server: PostgresServer) => `${server.url}&currentSchema=another`;
    await onServer(primary.url, (client) => client.query('create schema another'));
    await onServer(primary.url, (client) => client.query('create database another'));
    for (const getUrl of [ofDatabase, ofSchema]) {
      await (await openTestDatabase(getUrl(primary))).close();
      const opens = () => openTestDatabase(getUrl(replica), { isExistenceRequired: true });
      await expect.poll(() => opens().then((copy) => copy.close()), slowly).toBeUndefined();
    }
    const cases = [
      [other.url, 'it is a server with other data'],
      [ofDatabase(replica), 'its database is "another" instead of "postgres"'],
      [ofSchema(replica), 'its search path leads to other tables'],
    ] as const;
    for (const [url, reason] of cases) {
      const refused = spawnService(['--port', '0'], {
        environment: { SVC_DB_URL: primary.url, SVC_DB_REPLICA_URL: url },
      });
      running.add(refused);
      expect(await refused.exitCode, reason).toBe(1);
      running.delete(refused);
      const { stderr } = refused.output();
      expect(stderr).toContain(' is not a replica of postgres: 127.0.0.1:');
      expect(stderr).toContain(`: ${reason}. Correct SVC_DB_REPLICA_URL, or start without it.`);
    }
    await other.remove();
  });
});

describe.runIf(isLong)('A service on a standby alone', () => {
  test('is read-only with the reason, and shows changes of the primary', patience, async () => {
    const onStandby = await start({ SVC_DB_URL: replica.url });
    const onPrimary = await start({ SVC_DB_URL: primary.url });
    expect(JSON.parse(await onStandby.get('/api/health'))).toMatchObject({
      readOnly: true,
      readOnlyReason: 'The PostgreSQL server is a standby or read-only',
    });
    const isEqual = async () =>
      expect.poll(() => getResponses(onStandby), slowly).toEqual(await getResponses(onPrimary));
    await isEqual();
    await seesChange(onStandby, () => insertRun(database, 'e1', 'r4', { best_fitness: 8 }));
    for (const change of [
      `update runs set status = 'FAILED' where run_id = 'r4'`,
      // An even number of rows, with the same transaction before and after.
      `update runs set status = 'COMPLETED' where run_id in ('r1', 'r2')`,
      `delete from runs where run_id = 'r4'`,
    ]) {
      await seesChange(onStandby, () => onServer(primary.url, (client) => client.query(change)));
    }
    await onServer(primary.url, (client) =>
      client.query(`update iterations set best_fitness = 7 where run_id = 'r1' and iteration = 2`),
    );
    await isEqual();
    const refused = await fetch(`${onStandby.url}/api/runs/live/stop`, { method: 'POST' });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain('standby');
  });
});

describe.runIf(isLong)('A PostgreSQL server that crashes', () => {
  test('causes responses 503 until it runs again', patience, async () => {
    const service = await start({ SVC_DB_URL: primary.url });
    const requests = [
      ...Array.from({ length: 20 }, (_, index) => fetch(service.url + paths[index % paths.length])),
      ...Array.from({ length: 5 }, () =>
        fetch(`${service.url}/api/runs/live/stop`, { method: 'POST' }),
      ),
    ];
    await primary.kill();
    for (const { status } of await Promise.all(requests)) expect([200, 503]).toContain(status);
    expect((await fetch(`${service.url}/api/runs`)).status).toBe(503);
    await primary.start();
    const status = async () => (await fetch(`${service.url}/api/runs`)).status;
    await expect.poll(status, slowly).toBe(200);
    const stopped = await fetch(`${service.url}/api/runs/live/stop`, { method: 'POST' });
    expect(stopped.status).toBe(200);
  });
});

// Last, as nothing makes it a replica again.
describe.runIf(isLong)('A replica that is promoted', () => {
  test('is no longer read, and neither is a replica of it', patience, async () => {
    const service = await withReplica();
    await waitForReplica(service);
    await replica.promote();
    const note = async () => (await service.readReplica()).note;
    await expect.poll(note, slowly).toMatch(/^The replica is not a standby\. /);
    await insertRun(database, 'e1', 'r5', { best_fitness: 8 });
    expect(await service.get('/api/runs')).toContain('"r5"');

    const follower = await replica.startReplica();
    const refused = spawnService(['--port', '0'], {
      environment: { SVC_DB_URL: primary.url, SVC_DB_REPLICA_URL: follower.url },
    });
    expect(await refused.exitCode).toBe(1);
    expect(refused.output().stderr).toContain(
      ': it follows another server, which became a primary. ',
    );
    await follower.remove();
  });
});
