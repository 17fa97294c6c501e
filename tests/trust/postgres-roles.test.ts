import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import type { Health } from '#shared/schemas/service.ts';
import {
  makePostgresLocation,
  onServer,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { importThrough } from '#tests/support/imports.ts';
import { whySkipped } from '#tests/support/long.ts';
import { insertExperiment, insertRun } from '#tests/support/rows.ts';
import { parseAddress, spawnService } from '#tests/support/service-process.ts';
import { startService } from '#tests/support/test-service.ts';

const patience = { timeout: 90_000 };

let location: TestLocation;
const roles: string[] = [];
beforeAll(async () => {
  location = await makePostgresLocation();
  const database = await openTestDatabase(location.url);
  for (const id of ['e1', 'e2', 'e3', 'e4', 'e5']) await insertExperiment(database, id);
  for (const id of ['e1', 'e2', 'e3', 'e4']) await insertRun(database, id, `done-${id}`);
  await insertRun(database, 'e5', 'running', { status: 'RUNNING' });
  await database.close();
});
afterAll(async () => {
  for (const role of roles) await sql(`drop owned by ${role}`, `drop role ${role}`);
  await location.remove();
});

const sql = (...statements: string[]) =>
  onServer(location.url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

/** A new user with these privileges on all tables, and the URL of the database for them. */
async function makeRole(
  options: string,
  privileges: string,
): Promise<{ role: string; url: string }> {
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  roles.push(role);
  await sql(
    `create role ${role} login password 'role' ${options}`,
    `grant ${privileges} on all tables in schema public to ${role}`,
    `grant usage on all sequences in schema public to ${role}`,
  );
  const url = new URL(location.url);
  url.username = role;
  url.password = 'role';
  return { role, url: url.href };
}

/** The allowed statuses of any response. */
type Answer = Omit<Health, 'status'> & ProblemDocument;

interface Running {
  url: string;
  ask: (
    path: string,
    method?: string,
  ) => Promise<{ status: number; body: Answer; retryAfter: string | null }>;
  stop: () => Promise<void>;
}

/** Starts a service without threads in this process. */
async function start(databaseUrl: string): Promise<Running> {
  const database = await openTestDatabase(databaseUrl);
  const service = await startService(database, { isInThisThread: true });
  const stop = async () => {
    await service.close();
    await database.close();
  };
  return { ...makeClient(service.url), stop };
}

/** Starts a separate service, each of whose threads has its own connections. */
async function startProcess(databaseUrl: string): Promise<Running> {
  const service = spawnService(['--port', '0'], { environment: { SVC_DB_URL: databaseUrl } });
  const stop = async () => {
    service.child.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
  };
  return { ...makeClient(parseAddress(await service.readyLine)), stop };
}

function makeClient(url: string): Omit<Running, 'stop'> {
  return {
    url,
    ask: async (path: string, method = 'GET') => {
      const response = await fetch(url + path, { method });
      const body = (await response.json()) as Answer;
      return { status: response.status, body, retryAfter: response.headers.get('retry-after') };
    },
  };
}

describe('A PostgreSQL user with a connection limit', () => {
  for (const limit of [1, 2, 3]) {
    const why = limit === 1 ? '' : whySkipped;
    test.skipIf(why)(
      `of ${limit} can use all functions of the service${why}`,
      patience,
      async () => {
        const { url } = await makeRole(`connection limit ${limit}`, 'all');
        const running = await startProcess(url);
        const paths = [
          '/api/runs',
          '/api/experiments?figures=true',
          '/api/facets',
          '/api/dashboard/summary',
          '/api/experiments/e4/analysis',
          '/api/runs/done-e4/insights',
          '/api/health',
        ];
        for (const path of paths)
          expect([path, (await running.ask(path)).status]).toEqual([path, 200]);
        const together = await Promise.all(paths.slice(0, -1).map((path) => running.ask(path)));
        expect(together.map(({ status }) => status)).toEqual(paths.slice(0, -1).map(() => 200));
        expect((await running.ask('/api/runs/running/stop', 'POST')).status).toBe(200);
        expect((await running.ask(`/api/experiments/e${limit}`, 'DELETE')).status).toBe(200);
        await running.stop();
      },
    );
  }

  test.skipIf(whySkipped)(
    `that others exhaust gets the reason, and recovers${whySkipped}`,
    patience,
    async () => {
      const { url } = await makeRole('connection limit 2', 'all');
      await onServer(url, () =>
        onServer(url, async () => {
          const service = spawnService(['--port', '0'], { environment: { SVC_DB_URL: url } });
          expect(await service.readyLine).toBeUndefined();
          expect(service.output().stderr).toMatch(
            /The PostgreSQL server of .* has no connection left: too many connections for role .*\. Try again, or raise its limit to 10/,
          );
        }),
      );
      const running = await startProcess(url);
      expect((await running.ask('/api/runs')).status).toBe(200);
      await running.stop();
    },
  );
});

describe('A PostgreSQL user without a privilege', () => {
  test(
    'to write can read, and gets the name of the missing privilege, at the start and later',
    patience,
    async () => {
      const { role, url } = await makeRole('', 'select');
      const running = await start(url);
      const health = async () => (await running.ask('/api/health')).body;
      const requestStop = () => running.ask('/api/runs/running/stop', 'POST');
      const insert = 'The database user lacks the privilege INSERT on table "control_requests"';
      expect(await health()).toMatchObject({ readOnly: true, readOnlyReason: insert });
      expect((await running.ask('/api/runs')).status).toBe(200);
      expect((await running.ask('/api/experiments/e4/analysis')).status).toBe(200);
      expect((await requestStop()).body).toMatchObject({
        code: 'READ_ONLY',
        detail: `${insert}, so the service cannot change anything. Open the database with write access`,
      });

      await sql(`grant insert, update, delete on all tables in schema public to ${role}`);
      expect(await health()).toMatchObject({ readOnly: false, readOnlyReason: null });
      expect((await requestStop()).status).toBe(200);

      await sql(`revoke update on runs from ${role}`);
      const update = 'The database user lacks the privilege UPDATE on table "runs"';
      expect(await health()).toMatchObject({ readOnly: true, readOnlyReason: update });
      expect((await requestStop()).body.detail).toBe(
        `${update}, so the service cannot change anything. Open the database with write access`,
      );

      await sql(`grant update on runs to ${role}`, `revoke delete on events from ${role}`);
      expect((await requestStop()).status).toBe(200);
      const deletion = await running.ask('/api/experiments/e4', 'DELETE');
      expect(deletion.body).toMatchObject({
        code: 'READ_ONLY',
        detail:
          'The database user lacks the privilege DELETE on table "events", so the service cannot change anything. Open the database with write access',
      });
      expect((await running.ask('/api/experiments/e4')).status).toBe(200);
      await running.stop();
    },
  );

  test(
    'to read gets the name of the privilege, after its revocation and at the start',
    patience,
    async () => {
      const { role, url } = await makeRole('', 'all');
      const running = await startProcess(url);
      await sql(`revoke select on events from ${role}`);
      const { status, body } = await running.ask('/api/runs/running/events');
      expect([status, body.code, body.detail]).toEqual([
        503,
        'DATABASE_UNAVAILABLE',
        'The database user lacks the privilege SELECT on table "events"; grant it, then try again',
      ]);
      expect((await running.ask('/api/runs')).status).toBe(200);
      await expect(openTestDatabase(url)).rejects.toThrow(
        'lacks the privilege SELECT on table "events"',
      );

      await sql(`grant select on events to ${role}`, 'revoke usage on schema public from public');
      const schema = 'The database user lacks the privilege USAGE on schema "public"';
      await expect
        .poll(async () => (await running.ask('/api/runs')).body.detail, { timeout: 20_000 })
        .toContain(schema);
      await expect(openTestDatabase(url)).rejects.toThrow(schema);
      await sql('grant usage on schema public to public');
      await expect.poll(async () => (await running.ask('/api/runs')).status).toBe(200);
      await running.stop();
    },
  );

  test('to read the notes gets the name of the privilege', patience, async () => {
    const { url } = await makeRole('', 'all');
    await sql('create table evoscope_documents (kind text, id text, version text, value text)');
    const running = await start(url);
    expect((await running.ask('/api/annotations')).body).toMatchObject({
      code: 'DOCUMENTS_UNREADABLE',
      detail:
        'Evoscope cannot read notes and display names, and changed nothing: the table "evoscope_documents" is not readable for this database user. Grant the user the privilege SELECT on it, then try again',
    });
    await running.stop();
    await sql('drop table evoscope_documents');
  });

  test('to read the notes cannot delete what may have notes', patience, async () => {
    const { role, url } = await makeRole('', 'all');
    await sql(
      'create table evoscope_documents (kind text, id text, version text, value text, primary key (kind, id))',
      `insert into evoscope_documents values ('', '', 'v1', ''), ('experiment', 'e4', 'v1', '{"note": "mine"}')`,
      `grant insert, update, delete on evoscope_documents to ${role}`,
    );
    const running = await start(url);
    const refusal = {
      code: 'DOCUMENTS_UNREADABLE',
      detail:
        'Evoscope cannot read notes and display names, and changed nothing: the table "evoscope_documents" is not readable for this database user. Grant the user the privilege SELECT on it, then try again',
    };
    expect((await running.ask('/api/experiments/e4/deletion-preview')).body).toMatchObject(refusal);
    expect((await running.ask('/api/experiments/e4', 'DELETE')).body).toMatchObject(refusal);
    const bulk = await fetch(`${running.url}/api/experiments/delete-bulk`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ experimentIds: ['e4'] }),
    });
    expect(await bulk.json()).toMatchObject(refusal);
    expect((await running.ask('/api/experiments/e4')).status).toBe(200);

    await sql(`grant select on evoscope_documents to ${role}`);
    expect((await running.ask('/api/experiments/e4', 'DELETE')).body).toMatchObject({
      deleted: true,
      annotationsDeleted: 1,
    });
    await running.stop();
    await sql('drop table evoscope_documents');
  });

  test('to use a sequence gets the reason during an import', patience, async () => {
    const { role, url } = await makeRole('', 'all');
    const running = await startProcess(url);
    await sql(`revoke usage on sequence iterations_id_seq from ${role}`);
    const { failure } = await importThrough(running, { sample: true });
    expect(failure).toMatchObject({
      code: 'READ_ONLY',
      detail:
        'The database user lacks the privilege USAGE on sequence "iterations_id_seq", so the service cannot change anything. Open the database with write access',
    });
    await running.stop();
  });
});

describe('A PostgreSQL user whom the server no longer accepts', () => {
  for (const [what, refuse, restore, reason, startAny] of [
    [
      'after a change of the password',
      `password 'other'`,
      `password 'role'`,
      'password authentication failed for user',
      startProcess,
    ],
    [
      'without the privilege to log in',
      'nologin',
      'login',
      'role "role_[0-9a-f]+" is not permitted',
      start,
    ],
  ] as const) {
    test(`${what} gets the reason, and continues once it is accepted`, patience, async () => {
      const { role, url } = await makeRole('', 'all');
      const running = await startAny(url);
      expect((await running.ask('/api/runs')).status).toBe(200);
      await sql(
        `alter role ${role} ${refuse}`,
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
      );
      const detail = new RegExp(
        `^The PostgreSQL server.* refused access: ${reason}.*\\. Check the`,
      );
      const paths = ['/api/runs', '/api/facets', '/api/health', '/api/experiments/e5/analysis'];
      for (const path of paths) {
        // A request may still get a connection that is being closed.
        const readDetail = async () => {
          const { status, body } = await running.ask(path);
          expect([path, status, body.code]).toEqual([path, 503, 'DATABASE_UNAVAILABLE']);
          return body.detail;
        };
        await expect.poll(readDetail, { timeout: 20_000 }).toMatch(detail);
      }
      const { status, body } = await running.ask('/api/experiments/e5', 'DELETE');
      expect([status, body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
      await sql(`alter role ${role} ${restore}`);
      for (const path of paths) {
        await expect
          .poll(async () => (await running.ask(path)).status, { timeout: 20_000 })
          .toBe(200);
      }
      await running.stop();
    });
  }
});

describe('While another program locks a table', () => {
  test(
    'requests for it get 503 with Retry-After soon, and all others continue',
    patience,
    async () => {
      const running = await startProcess(location.url);
      await running.ask('/api/runs/running/events');
      await onServer(location.url, async (client) => {
        await client.query('begin; lock table events in access exclusive mode');
        const blocked = Array.from({ length: 12 }, () => running.ask('/api/runs/running/events'));
        const began = performance.now();
        expect((await running.ask('/api/runs')).status).toBe(200);
        expect((await running.ask('/api/health')).status).toBe(200);
        expect((await running.ask('/api/experiments/e5/analysis')).status).toBe(200);
        expect(performance.now() - began).toBeLessThan(15_000);
        for (const { status, body, retryAfter } of await Promise.all(blocked)) {
          expect([status, body.code, retryAfter]).toEqual([503, 'DATABASE_BUSY', '1']);
          expect(body.detail).toBe(
            'Another transaction has a lock that this request needs; try again in a moment',
          );
        }
        await client.query('rollback');
      });
      expect((await running.ask('/api/runs/running/events')).status).toBe(200);
      await running.stop();
    },
  );
});
