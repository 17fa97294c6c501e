import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectGarbage } from '#server/runtime/heap.ts';
import { runsQuery } from '#shared/schemas/run.ts';
import { MemoStore } from '#server/analysis/memo.ts';
import { TraceStore } from '#server/analysis/shared-traces.ts';
import type { Database } from '#server/db/database.ts';
import { Responses } from '#server/runtime/responses.ts';
import { runForCsv, type CsvInput } from '#server/runtime/run-handler.ts';
import type { Threads } from '#server/runtime/threads.ts';
import {
  describeOnEachEngine,
  openTestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';

// Only reachable memory counts, so garbage is collected first.
describeOnEachEngine('The CSV of a list', (engine) => {
  let location: TestLocation;
  let database: Database;

  beforeEach(async () => {
    location = await engine.makeLocation();
    database = await openTestDatabase(location.url);
    await insert(database, 'experiments', {});
  });

  afterEach(async () => {
    await database.close();
    await location.remove();
  });

  const logger = { warn() {}, error() {} };
  const traces = new TraceStore(1, async () => []);
  const memo = new MemoStore(1).createRequestMemo();
  const allRuns: CsvInput = { query: runsQuery.parse({}), csv: { table: 'items' } };

  async function insertRuns(from: number, count: number): Promise<void> {
    await database.dialect.withWriteTransaction(async (transaction) => {
      for (let start = from; start < from + count; start += 500) {
        const rows = Array.from({ length: 500 }, (_, index) => ({
          run_id: getId(start + index),
          experiment_id: 'e1',
          seed: start + index,
          status: 'COMPLETED',
          start_time: new Date(Date.UTC(2026, 0, 1) + (start + index) * 1_000).toISOString(),
          error_message: 'x'.repeat(200),
        }));
        await transaction.insertInto('runs').values(rows).execute();
      }
    });
  }

  function getId(number: number): string {
    return `r${String(number).padStart(6, '0')}`;
  }

  const readSlice = (input: object) =>
    runForCsv({ database, logger, traces, memo, version: '1' }, 'listRuns', input as CsvInput);

  function getIds(body: string): string[] {
    return body
      .split('\r\n')
      .map((line) => line.split(',')[0]!)
      .filter((id) => /^r\d/.test(id));
  }

  test('has the rows at the time of its first slice, without rows that are deleted meanwhile', async () => {
    await insertRuns(0, 5_000);
    const firstSlice = await readSlice(allRuns);
    await insertRuns(5_000, 500);
    const slices = [firstSlice, await readSlice(firstSlice.nextInput!)];
    await database.kysely.deleteFrom('runs').where('run_id', '>=', getId(5_400)).execute();
    await database.kysely.deleteFrom('runs').where('run_id', '=', getId(1_000)).execute();
    for (let { nextInput } = slices[1]!; nextInput; { nextInput } = slices.at(-1)!)
      slices.push(await readSlice(nextInput));
    const ids = slices.flatMap(({ body }) => getIds(String(body)));
    expect(ids).toEqual(
      Array.from({ length: 5_000 }, (_, index) => getId(4_999 - index)).filter(
        (id) => id !== getId(1_000),
      ),
    );
  });

  test('sorted by a value that changes meanwhile contains each row once, in its initial order', async () => {
    await insertRuns(0, 5_000);
    const runsByBestFitness = {
      ...allRuns,
      query: runsQuery.parse({ sortBy: 'best_fitness', sortDir: 'asc' }),
    };
    await database.kysely
      .updateTable('runs')
      .set({ best_fitness: sql`seed` })
      .execute();
    const slices = [await readSlice(runsByBestFitness)];
    await database.kysely
      .updateTable('runs')
      .set({ best_fitness: sql`-seed` })
      .execute();
    for (let nextInput = slices[0]!.nextInput; nextInput; nextInput = slices.at(-1)!.nextInput)
      slices.push(await readSlice(nextInput));
    const ids = slices.flatMap(({ body }) => getIds(String(body)));
    expect(ids).toEqual(Array.from({ length: 5_000 }, (_, index) => getId(index)));
  });

  test('contains the remaining rows if most rows are deleted meanwhile', async () => {
    await insertRuns(0, 5_000);
    const firstSlice = await readSlice(allRuns);
    await database.kysely.deleteFrom('runs').where('run_id', '>=', getId(100)).execute();
    const laterSlices = [await readSlice(firstSlice.nextInput!)];
    while (laterSlices.at(-1)!.nextInput)
      laterSlices.push(await readSlice(laterSlices.at(-1)!.nextInput!));
    expect(laterSlices.flatMap(({ body }) => getIds(String(body)))).toEqual(
      Array.from({ length: 100 }, (_, index) => getId(99 - index)),
    );
  });

  // The database does not matter for the memory of the service.
  test.runIf(engine.name === 'sqlite')(
    'of 20,000 runs is a stream that has one slice in memory and stops when its reader stops',
    async () => {
      await insertRuns(0, 20_000);
      let requestCount = 0;
      const run: Threads['run'] = (_name, input) => {
        requestCount += 1;
        return readSlice(input as object);
      };
      const responses = new Responses({ run } as Threads, 1_000);
      const { body, nextSlices } = await responses.respond('listRuns', allRuns);
      collectGarbage();
      const bytesBefore = process.memoryUsage().heapUsed;
      const startedAt = performance.now();
      let [rows, bytes, measuredBytes, growth] = [getIds(String(body)).length, 0, 0, 0];
      for await (const part of nextSlices!) {
        rows += getIds(String(part)).length;
        bytes += part.length;
        if (bytes < measuredBytes + 500_000) continue;
        measuredBytes = bytes;
        collectGarbage();
        growth = Math.max(growth, process.memoryUsage().heapUsed - bytesBefore);
      }
      expect(rows).toBe(20_000);
      expect(bytes).toBeGreaterThan(5e6);
      expect(growth).toBeLessThan(bytes / 3);
      expect(performance.now() - startedAt).toBeLessThan(20_000);

      requestCount = 0;
      const { nextSlices: left } = await responses.respond('listRuns', allRuns);
      for await (const part of left!) if (String(part).length > 0) break;
      expect(requestCount).toBe(1);
    },
    120_000,
  );
});
