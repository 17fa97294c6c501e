import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createPreparedQuery } from '#server/db/queries.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';

describeOnEachDatabase('A prepared query', (database) => {
  test('returns the rows for the values of each call, and is built once', async () => {
    await insert(database(), 'experiments', {});
    for (const run_id of ['r1', 'r2', 'r3']) await insert(database(), 'runs', { run_id });
    let buildCount = 0;
    const getRuns = createPreparedQuery(
      ({ kysely, dialect }, runIds: readonly string[], except: string) => {
        buildCount += 1;
        return kysely
          .selectFrom('runs')
          .select('run_id')
          .where(dialect.isAmong(sql.ref<string>('run_id'), runIds))
          .where('run_id', '<>', except)
          .orderBy('run_id');
      },
    );
    const listIds = async (runIds: string[], except: string) =>
      (await getRuns(database(), runIds, except)).map((row) => row.run_id);
    expect(await listIds(['r1', 'r2'], 'r3')).toEqual(['r1', 'r2']);
    expect(await listIds(['r2', 'r3'], 'r3')).toEqual(['r2']);
    expect(await listIds([], 'r3')).toEqual([]);
    // More values than a database accepts as parameters.
    const manyIds = Array.from({ length: 70_000 }, (_, index) => `r${index}`);
    expect(await listIds(manyIds, 'r2')).toEqual(['r1', 'r3']);
    expect(buildCount).toBe(1);
  });
});
