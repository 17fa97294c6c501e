import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  describeOnEachDatabase,
  makeSqliteLocation,
  openTestDatabase,
} from '#tests/support/databases.ts';
import { collectGarbage } from '#server/runtime/heap.ts';
import { whySkipped } from '#tests/support/long.ts';
import { insert, insertIterations } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

// What is still reachable counts, not what the collector has not got to yet.
const rowCount = 2_000;
const rowBytes = 30_000;

describeOnEachDatabase('The iterations of a long run', (database, engine) => {
  let service: TestService;

  beforeAll(async () => {
    await insert(database(), 'experiments', {});
    await insert(database(), 'runs', { run_id: 'r1' });
    const row = { run_id: 'r1', evaluations: 1, best_fitness: 1, mean_fitness: 1, std_fitness: 0 };
    const makeRow = (iteration: number) => ({
      ...row,
      iteration,
      metrics_json: '{}',
      diagnostics_json: `{"n":${iteration},"x":"${String(iteration % 10).repeat(rowBytes)}"}`,
      created_at: 'x',
    });
    await database().dialect.withWriteTransaction(async (transaction) => {
      for (let start = 0; start < rowCount; start += 100) {
        const rows = Array.from({ length: 100 }, (_row, index) => makeRow(start + index));
        await transaction.insertInto('iterations').values(rows).execute();
      }
    });
    service = await startService(database());
  });

  afterAll(() => service.close());

  function open(path: string): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    get(`${service.url}${path}`, { agent: false }, resolve).on('error', reject);
    return promise;
  }

  test('arrive whole and in order', async () => {
    const rows = await service.get<{ iteration: number; diagnosticsJson: string }[]>(
      '/api/runs/r1/iterations?after=99&limit=1300',
    );
    expect(rows.map((row) => row.iteration)).toEqual(
      Array.from({ length: 1300 }, (_, i) => i + 100),
    );
    expect(rows[1299]?.diagnosticsJson).toContain('"n":1399');
  });

  const why = engine === 'postgres' ? whySkipped : '';
  test.skipIf(why)(`are not stored in memory, even if the client reads slowly${why}`, async () => {
    collectGarbage();
    const before = process.memoryUsage();
    const response = await open('/api/runs/r1/iterations');
    response.pause();
    await pause(800);
    const grown = process.memoryUsage();
    expect(grown.external + grown.heapUsed - before.external - before.heapUsed).toBeLessThan(30e6);
    let bytes = 0;
    let measured = 0;
    let peak = 0;
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes < measured + 8e6) continue;
      measured = bytes;
      collectGarbage();
      const { external, heapUsed } = process.memoryUsage();
      peak = Math.max(peak, external + heapUsed - before.external - before.heapUsed);
    }
    expect(bytes).toBeGreaterThan(rowCount * rowBytes);
    expect(peak).toBeLessThan((rowCount * rowBytes) / 2);
  });
});

test('A list of iterations skips rows that are no iterations, and ends', async () => {
  const location = await makeSqliteLocation();
  const database = await openTestDatabase(location.url);
  const service = await startService(database);
  await insert(database, 'experiments', {});
  await insert(database, 'runs', { run_id: 'r1' });
  await insertIterations(database, 'r1', 2_500);
  const row = { evaluations: 1, best_fitness: 1, mean_fitness: 1, std_fitness: 0, created_at: 'x' };
  for (const iteration of ['0.5', "'text'", '1e300', '9007199254740993', '9223372036854775807']) {
    await sql`insert into iterations (run_id, iteration, ${sql.raw(Object.keys(row).join())})
      values ('r1', ${sql.raw(iteration)}, ${sql.join(Object.values(row))})`.execute(
      database.kysely,
    );
  }
  const expected = [
    ...Array.from({ length: 2_500 }, (_, index) => index),
    '9007199254740993',
    '9223372036854775807',
  ];
  for (const query of ['fields=scalars', 'fields=all', 'fields=scalars&limit=5000']) {
    const rows = await service.get<{ iteration: unknown }[]>(`/api/runs/r1/iterations?${query}`);
    expect(rows.map(({ iteration }) => iteration)).toEqual(expected);
  }
  await service.close();
  await database.close();
  await location.remove();
});
