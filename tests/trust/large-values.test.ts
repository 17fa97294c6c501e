import { afterAll, beforeAll, expect, test } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import type { ResponseBody } from '#shared/api.ts';
import {
  describeOnEachEngine,
  getFile,
  onServer,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { whySkipped } from '#tests/support/long.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** Longer than any string of JavaScript. */
const hugeBytes = 540_000_000;
/** Eight of them are more than a page of events may hold. */
const largeBytes = 20_000_000;

describeOnEachEngine('Texts that are too long for a response', (engine) => {
  // PostgreSQL needs several seconds to write such texts.
  const why = engine.name === 'postgres' ? whySkipped : '';
  let location: TestLocation;
  let database: TestDatabase;
  let service: TestService;

  beforeAll(async () => {
    location = await engine.makeLocation();
    database = await openTestDatabase(location.url);
    await insert(database, 'experiments', {});
    await insert(database, 'runs', { run_id: 'huge' }, { run_id: 'large' });
    await insert(
      database,
      'iterations',
      { run_id: 'huge', iteration: 1 },
      { run_id: 'huge', iteration: 2 },
    );
    await insert(database, 'events', { id: 1, run_id: 'huge' }, { id: 2, run_id: 'huge' });
    const rows = Array.from({ length: 8 }, (_, index) => ({ id: 10 + index, run_id: 'large' }));
    await insert(database, 'events', ...rows);
    // Two libraries of SQLite in one process do not see each other's locks.
    await database.close();
    await enlarge();
    database = await openTestDatabase(location.url);
    service = await startService(database);
  }, 120_000);
  afterAll(async () => {
    await service.close();
    await database.close();
    await location.remove();
  });

  /** Makes texts long inside of the database, where that is quick. */
  async function enlarge(): Promise<void> {
    const text = (bytes: number) =>
      engine.name === 'sqlite' ? `hex(zeroblob(${bytes / 2}))` : `repeat('0', ${bytes})`;
    const statements = [
      `update events set payload_json = ${text(hugeBytes)} where id = 1`,
      `update iterations set diagnostics_json = ${text(hugeBytes / 2)} where iteration = 1`,
      `update events set payload_json = ${text(largeBytes)} where run_id = 'large'`,
    ];
    if (engine.name === 'postgres') {
      await onServer(location.url, (client) => client.query(statements.join(';')));
      return;
    }
    // Unlike the driver of the service, this one writes as much as the runner's.
    const writer = new DatabaseSync(getFile(location));
    for (const statement of statements) writer.exec(statement);
    writer.close();
  }

  test.skipIf(why)(`are truncated in a page of events, with their lengths${why}`, async () => {
    const page = await service.get<ResponseBody<'listEvents'>>('/api/runs/huge/events');
    expect(page.items.map(({ id, payloadBytes }) => [id, payloadBytes])).toEqual([
      [2, undefined],
      [1, hugeBytes],
    ]);
    const preview = await service.get<ResponseBody<'listEvents'>>(
      '/api/runs/huge/events?previewBytes=9',
    );
    expect(preview.items.map(({ payloadBytes }) => payloadBytes)).toEqual([2, hugeBytes]);
    expect(await service.get('/api/runs/huge/events/1')).toMatchObject({ payloadBytes: hugeBytes });
  });

  test.skipIf(why)(`are truncated if they are only too long together${why}`, async () => {
    const { items } = await service.get<ResponseBody<'listEvents'>>('/api/runs/large/events');
    expect(items.map(({ payloadBytes }) => payloadBytes)).toEqual(Array(8).fill(largeBytes));
    expect(items[0]?.payloadJson).toHaveLength(1_048_576);
    const whole = await service.get<ResponseBody<'getEvent'>>('/api/runs/large/events/10');
    expect(whole.payloadJson).toHaveLength(largeBytes);
  });

  test.skipIf(why)(`do not affect the other iterations of a run${why}`, async () => {
    const full = await service.get<Record<string, unknown>[]>('/api/runs/huge/iterations');
    expect(full.map((row) => row['diagnosticsJson'])).toEqual([null, expect.any(String)]);
    const scalars = await service.get<Record<string, unknown>[]>(
      '/api/runs/huge/iterations?fields=scalars',
    );
    expect(scalars.map((row) => row['populationSize'])).toEqual([null, 10]);
    await service.get('/api/runs/huge');
  });

  test.skipIf(why)(`are not searched, while others are${why}`, async () => {
    const { items } = await service.get<ResponseBody<'listEvents'>>('/api/runs/huge/events?q=%7B');
    expect(items.map(({ id }) => id)).toEqual([2]);
  });
});
