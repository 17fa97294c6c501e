import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  describeOnEachEngine,
  execute,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { makeLooseTables } from '#tests/support/loose-tables.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** An odd number, so that no slice ends at a number of `large` that a double can hold. */
const small = Array.from({ length: 1_201 }, (_, index) => index);
/** Next to each other only as integers: as doubles half of them are the same. */
const large = Array.from({ length: 1_200 }, (_, index) => 2n ** 53n + 1n + BigInt(index));

describeOnEachEngine('The iterations of a run', (engine) => {
  let location: TestLocation;
  let database: TestDatabase;
  let service: TestService;

  beforeAll(async () => {
    location = await engine.makeLocation();
    await makeLooseTables(location, engine.name);
    if (engine.name === 'postgres') {
      await execute(location, ['alter table iterations alter column iteration type bigint']);
    }
    database = await openTestDatabase(location.url);
    await insert(database, 'experiments', {});
    await insert(database, 'runs', { run_id: 'long' }, { run_id: 'odd' });
    await database.kysely.transaction().execute(async (kysely) => {
      const rows = [...small, ...large].map((iteration) => ({ run_id: 'long', iteration }));
      await insert({ ...database, kysely }, 'iterations', ...rows);
    });
    const odd =
      engine.name === 'sqlite'
        ? [...small.map(() => 1e300), Infinity, 'text', 1.5]
        : [2n ** 63n - 1n];
    await database.kysely.transaction().execute(async (kysely) => {
      const rows = [1, ...odd].map((iteration) => ({ run_id: 'odd', iteration }));
      await insert({ ...database, kysely }, 'iterations', ...rows);
    });
    service = await startService(database);
  });
  afterAll(async () => {
    await service.close();
    await database.close();
    await location.remove();
  });

  const getNumbers = async (run: string, fields: string) => {
    const path = `/api/runs/${run}/iterations?fields=${fields}`;
    const rows = await service.get<{ iteration: number | string }[]>(path);
    return rows.map(({ iteration }) => String(iteration));
  };

  test.each(['scalars', 'all'])(
    'are sent once each, also with large numbers (%s)',
    async (fields) => {
      expect(await getNumbers('long', fields)).toEqual([...small, ...large].map(String));
    },
  );

  test.each(['scalars', 'all'])('end also with invalid numbers (%s)', async (fields) => {
    const expected = engine.name === 'sqlite' ? ['1'] : ['1', String(2n ** 63n - 1n)];
    expect(await getNumbers('odd', fields)).toEqual(expected);
  });
});
