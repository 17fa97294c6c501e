import { sql, type KyselyPlugin } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { listRunIds, type RunsOptions } from '#server/repositories/runs.ts';
import { runsQuery } from '#shared/schemas/run.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertRun } from '#tests/support/rows.ts';

const total = 12_300;
/** Number of runs without a best fitness. */
const runsWithoutFitness = 300;
const size = 200;

describeOnEachDatabase('Pages after many rows', (database) => {
  beforeAll(async () => {
    await insertExperiment(database(), 'e1');
    // Start times and fitness repeat, so that the ids decide the order too.
    await sql`insert into runs (run_id, experiment_id, seed, status, start_time, best_fitness)
      with recursive n(i) as (select 0 union all select i + 1 from n where i < ${sql.lit(total - 1)})
      select 'run-' || ((i * 7919) % 99991), 'e1', i, 'COMPLETED',
        '2026-11-25T10:' || (10 + (i / 7) % 50) || ':' || (10 + (i / 900) % 50) || 'Z',
        case when i < ${sql.lit(runsWithoutFitness)} then null else i / 3 end from n`.execute(
      database().kysely,
    );
  });

  test.each<Pick<RunsOptions, 'sortBy' | 'sortDir'>>([
    { sortBy: 'start_time', sortDir: 'desc' },
    { sortBy: 'start_time', sortDir: 'asc' },
    { sortBy: 'best_fitness', sortDir: 'desc' },
    { sortBy: 'best_fitness', sortDir: 'asc' },
  ])('are slices of the whole list: $sortBy $sortDir', async (order) => {
    const filter = runsQuery.parse({});
    const allIds = await listRunIds(database(), filter, order);
    expect(allIds).toHaveLength(total);
    for (const page of [30, 50, 51, 55, 59, 60, 61, 62]) {
      const ids = await listRunIds(database(), filter, { ...order, pageRequest: { page, size } });
      expect(ids).toEqual(allIds.slice(page * size, (page + 1) * size));
    }
  });
});

describeOnEachDatabase('A page of a filtered list', (getDatabase) => {
  test('has the newest runs also if many are added after the matching runs were counted', async () => {
    const database = getDatabase();
    await insertExperiment(database, 'e1');
    await insertRun(database, 'e1', 'oldest');
    const addRunsAfterCount: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if ('total' in (result.rows[0] ?? {})) {
          await sql`insert into runs (run_id, experiment_id, seed, status, start_time)
            with recursive n(i) as (select 1000 union all select i + 1 from n where i < 2999)
            select 'run-' || i, 'e1', i, 'COMPLETED', '2026-11-25T10:00:00.' || i || 'Z' from n`.execute(
            database.kysely,
          );
        }
        return result;
      },
    };
    const kysely = database.kysely.withPlugin(addRunsAfterCount);
    const filter = runsQuery.parse({ status: 'COMPLETED' });
    const pageRequest = { page: 0, size: 2 };
    const order = { sortBy: 'start_time', sortDir: 'desc' } as const;
    const ids = await listRunIds({ ...database, kysely }, filter, { ...order, pageRequest });
    expect(ids).toEqual(['run-2999', 'run-2998']);
  });
});
