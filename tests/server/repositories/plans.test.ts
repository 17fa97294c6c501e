import { beforeAll, expect, test } from 'vitest';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';
import { findFamilyText, listScalars } from '#server/repositories/iterations.ts';
import { countRuns, listRuns } from '#server/repositories/runs.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { explain } from '#tests/support/explain.ts';
import { sql, type Compilable } from 'kysely';
import { runsQuery } from '#shared/schemas/run.ts';

describeOnEachDatabase('A query of a large database', (database) => {
  beforeAll(async () => {
    await fill(database());
    await createAuxiliaryIndexes(database());
    await sql`analyze`.execute(database().kysely);
  });

  const filter = runsQuery.parse({});

  test('for the first page of runs, newest first, takes it from an index', async () => {
    const plan = await planOf(database(), (store) => listRuns(store, filter, filter));
    expect(plan).toMatch(/using (index )?idx_(evoscope_)?runs_start_time/i);
  });

  test('for the number of all runs asks for no experiment', async () => {
    const plan = await planOf(database(), (store) => countRuns(store, filter));
    expect(plan).not.toContain('experiments');
  });

  test('for one run’s iterations reads only its rows, and sorts nothing', async () => {
    for (const ask of [
      (store: TestDatabase) => listScalars(store, { runId: 'r5', after: 3 }),
      (store: TestDatabase) => findFamilyText(store, 'r5'),
    ]) {
      const plan = await planOf(database(), ask);
      expect(plan).toMatch(/index/i);
      expect(plan).not.toMatch(/seq scan|temp b-tree/i);
    }
  });
});

/** The plan of the only query that `ask` makes. */
async function planOf(
  database: TestDatabase,
  ask: (store: TestDatabase) => Promise<unknown>,
): Promise<string> {
  const asked: Compilable[] = [];
  const kysely = database.kysely.withPlugin({
    transformQuery: ({ node, queryId }) => {
      asked.push({
        compile: () => database.kysely.getExecutor().compileQuery(node, queryId),
      });
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await ask({ ...database, kysely });
  const [query] = asked;
  if (!query || asked.length > 1) throw new Error(`${asked.length} queries`);
  return explain(database, query);
}

async function fill({ kysely, dialect }: TestDatabase): Promise<void> {
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000)`;
  await sql`insert into experiments ${numbers} select 'e' || i, 'e' || i, '3.0', null, 'umda', 'm',
    'onemax', 'bitstring', 't', 'e', 'm', 1, '', '{}', '2026' from n where i <= 200`.execute(
    kysely,
  );
  await sql`insert into runs (run_id, experiment_id, seed, status, start_time)
    ${numbers} select 'r' || i, 'e' || (1 + i % 200), i, 'COMPLETED', '2026-01-01T00:00:' || i
    from n`.execute(kysely);
  await sql`insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness,
      std_fitness, diagnostics_json, created_at)
    ${numbers} select 'r' || (1 + i % 50), i, i, 1, 1, 1, '{}', '2026' from n`.execute(kysely);
  if (dialect.name === 'postgres') await sql`analyze runs`.execute(kysely);
}
