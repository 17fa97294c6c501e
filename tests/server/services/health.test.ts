import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getHealth } from '#server/services/summary.ts';
import {
  makePostgresLocation,
  onServer,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const lostLine = 'The service lost a connection to the database: terminating connection';

describe('a database that does not respond', () => {
  let location: TestLocation;
  let database: TestDatabase;
  let service: TestService;
  const notices: string[] = [];

  beforeAll(async () => {
    location = await makePostgresLocation();
    database = await openTestDatabase(location.url, { notify: (message) => notices.push(message) });
    service = await startService(database, { threadsOfEachKind: 2 });
  });

  afterAll(async () => {
    await service.close();
    await database.close();
    await location.remove();
  });

  test('is reported by health after its timeout, with 503', () =>
    onServer(location.url, async (client) => {
      await client.query('begin; lock table runs');
      await expect(getHealth(database, { version: '1' }, 100)).rejects.toMatchObject({
        code: 'DATABASE_UNAVAILABLE',
        message: 'The database has not responded for 0.1 s; try again in a moment',
      });
      const startedAt = performance.now();
      expect(await service.getProblem('/api/health')).toMatchObject({
        status: 503,
        code: 'DATABASE_UNAVAILABLE',
        detail: 'The database has not responded for 2 s; try again in a moment',
      });
      expect(performance.now() - startedAt).toBeGreaterThan(1_900);
      await client.query('rollback');
    }));

  test('is reported as available again after its connections were interrupted and restored', async () => {
    await onServer(location.url, (client) =>
      client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      ),
    );
    let status = 0;
    for (let attempt = 0; attempt < 20 && status !== 200; attempt += 1) {
      status = (await fetch(`${service.url}/api/health`)).status;
      expect([200, 503]).toContain(status);
    }
    expect(status).toBe(200);
    const listLogLines = () => [...notices, ...service.logEntries.map(({ msg }) => String(msg))];
    await expect
      .poll(() => listLogLines().filter((line) => line.startsWith(lostLine)).length)
      .toBeGreaterThanOrEqual(2);
  });
});
