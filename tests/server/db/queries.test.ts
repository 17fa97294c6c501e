import { expect, test } from 'vitest';
import { createPreparedQuery } from '#server/db/queries.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';

describeOnEachDatabase('A prepared query', (database) => {
  test('returns the rows for the values of each call, and is built once for each length of its lists', async () => {
    await insert(database(), 'experiments', {});
    for (const run_id of ['r1', 'r2', 'r3']) await insert(database(), 'runs', { run_id });
    let buildCount = 0;
    const getRuns = createPreparedQuery(({ kysely }, runIds: readonly string[], except: string) => {
      buildCount += 1;
      return kysely
        .selectFrom('runs')
        .select('run_id')
        .where('run_id', 'in', runIds)
        .where('run_id', '<>', except)
        .orderBy('run_id');
    });
    const runQuery = async (runIds: string[], except: string) =>
      (await getRuns(database(), runIds, except)).map((row) => row.run_id);
    expect(await runQuery(['r1', 'r2'], 'r3')).toEqual(['r1', 'r2']);
    expect(await runQuery(['r2', 'r3'], 'r3')).toEqual(['r2']);
    expect(buildCount).toBe(1);
    expect(await runQuery(['r1', 'r2', 'r3'], 'r2')).toEqual(['r1', 'r3']);
    expect(buildCount).toBe(2);
    const manyIds = Array.from({ length: 400 }, (_, index) => `r${index}`);
    for (const count of [3, 4]) {
      expect(await runQuery(manyIds, 'r2')).toEqual(['r1', 'r3']);
      // Too long for the cache.
      expect(buildCount).toBe(count);
    }
  });
});
