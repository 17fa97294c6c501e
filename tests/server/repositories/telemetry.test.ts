import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { listPoints } from '#server/repositories/telemetry.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';

describeOnEachDatabase('listPoints', (getDatabase) => {
  test('returns all iterations with any batch size, also several with one number', async () => {
    const database = getDatabase();
    await insertExperiment(database, 'e1');
    await insertRun(database, 'e1', 'r1');
    await sql`create table copy as select * from iterations`.execute(database.kysely);
    await sql`drop table iterations`.execute(database.kysely);
    await sql`alter table copy rename to iterations`.execute(database.kysely);
    const numbers = [0, 1, 1, 2, 3, 3, 3, 3, 3, 4];
    const rows = numbers.map((iteration, index) => ({ iteration, evaluations: index }));
    await insert(database, 'iterations', ...rows);
    for (const batchSize of [1, 2, 3, 4, 10, 11]) {
      const points = await listPoints(database, 'r1', batchSize);
      expect(points.map(({ iteration }) => iteration)).toEqual(numbers);
      expect(new Set(points.map(({ evaluations }) => evaluations)).size).toBe(numbers.length);
    }
    expect(await listPoints(database, 'unknown', 2)).toEqual([]);
  });
});
