import { beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { loadSample } from '#tests/support/sample.ts';

describeOnEachDatabase('A database', (database) => {
  beforeAll(() => loadSample(database()));

  test('reads 64-bit integers without rounding: numbers where they are exact, else decimal digits', async () => {
    const seeds = await database()
      .kysely.selectFrom('runs')
      .select('seed')
      .where('run_id', 'in', ['adaptive30-pbil', 'bbob-small-cma-es-f1-d2-i1-r1'])
      .orderBy('run_id')
      .execute();
    expect(seeds).toEqual([{ seed: 4001 }, { seed: '-5916547329264442777' }]);
  });
});
