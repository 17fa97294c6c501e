import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { listExperimentIds } from '#server/repositories/experiments.ts';
import { experimentsQuery, type ExperimentsQuery } from '#shared/schemas/experiment.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { getQueries } from '#tests/support/explain.ts';

const total = 400;

/** Inserts experiments `e1` to `e400` on problem types with and without a known direction. */
async function insertExperiments({ kysely }: Database): Promise<void> {
  await sql`insert into experiments (experiment_id, config_hash, schema_version, algorithm_type, model_type,
      problem_type, representation_type, selection_type, replacement_type, stopping_type, config_yaml, config_json, created_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(total)})
    select 'e' || i, 'hash-' || i, '1', 'umda', 'umda',
      case i % 3 when 0 then 'onemax' when 1 then 'sphere' else 'own-problem' end, 'bitstring', 's', 'r', 's', '', '{}',
      '2026-11-' || (10 + i % 19) || 'T10:' || (10 + i % 50) || ':00Z' from n`.execute(kysely);
}

/** Requires that every page is a slice of the whole list. Returns the number of queries that each page sends. */
async function checkPages(database: Database, order: Partial<ExperimentsQuery>): Promise<number[]> {
  const filter = experimentsQuery.parse(order);
  const { sortBy, sortDir } = filter;
  const allIds = await listExperimentIds(database, filter, { sortBy, sortDir });
  expect(allIds).toHaveLength(total);
  const listPage = (store: Database, page: number, size = 25) =>
    listExperimentIds(store, filter, { sortBy, sortDir, pageRequest: { page, size } });
  const counts: number[] = [];
  for (let page = 0; page < 17; page += 1) {
    const slice = allIds.slice(page * 25, page * 25 + 25);
    const queries = await getQueries(database, async (store) => {
      expect(await listPage(store, page), `page ${page}`).toEqual(slice);
    });
    counts.push(queries.length);
  }
  expect(await listPage(database, 0, 200)).toEqual(allIds.slice(0, 200));
  const otherFilter = { ...filter, algorithm: ['other'] };
  const otherPage = { sortBy, sortDir, pageRequest: { page: 0, size: 25 } };
  expect(await listExperimentIds(database, otherFilter, otherPage)).toEqual([]);
  return counts;
}

describeOnEachDatabase('A page of experiments', (getDatabase) => {
  beforeAll(async () => {
    const database = getDatabase();
    await insertExperiments(database);
    // Starts of one second in both forms, and experiments without runs. Fitness repeats.
    await sql`insert into runs (run_id, experiment_id, seed, status, start_time, best_fitness)
      with recursive n(i) as (select 0 union all select i + 1 from n where i < 8999)
      select 'run-' || i, 'e' || (1 + (i * 7) / 180 + (i % 11)), i, case when i % 99 = 0 then 'RUNNING' else 'COMPLETED' end,
        '2026-11-' || (10 + i / 500) || 'T10:' || (10 + (i / 10) % 50) || ':16' || case when i % 3 = 0 then '.5' else '' end || 'Z',
        case when i % 7 = 0 then null else (i * 7919) % 97 end
      from n`.execute(database.kysely);
    // Traces of half of the experiments go up.
    await sql`insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness,
        metrics_json, diagnostics_json, created_at)
      select run_id, 1, 1, 50, 1, 1, '{}', '{}', start_time from runs union all
      select run_id, 2, 2, case when length(experiment_id) % 2 = 0 then 51 else 49 end, 1, 1, '{}', '{}', start_time from runs`.execute(
      database.kysely,
    );
  });

  test('by latest run is a slice of the whole list, and only later pages sort all experiments', async () => {
    const [first = NaN, ...others] = await checkPages(getDatabase(), {});
    expect(others.slice(0, 3)).toEqual([first, first, first]);
    expect(others.at(-1)).toBe(first + 1);
  });

  test('by best fitness is a slice of the whole list, and only some pages need all traces', async () => {
    for (const sortDir of ['asc', 'desc'] as const) {
      const counts = await checkPages(getDatabase(), { sortBy: 'best_fitness', sortDir });
      const [first = NaN] = counts;
      expect(new Set(counts)).toEqual(new Set(sortDir === 'asc' ? [first, first + 2] : [first]));
    }
  });
});
