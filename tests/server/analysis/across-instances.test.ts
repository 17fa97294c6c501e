import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { listRunsOnInstances, readRunsByInstance } from '#server/analysis/across-instances.ts';
import type { AnalysedExperiment } from '#server/analysis/model.ts';
import type { Database } from '#server/db/database.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';

/** Returns an instance of these experiments, with a number of runs. */
function makeInstance(runCount: number, ...ids: string[]) {
  const experiments = new Map(ids.map((id) => [id, {} as AnalysedExperiment]));
  return { id: ids.join(), label: '', problemType: 'onemax', experiments, runCount };
}

/** Adds runs to an experiment, the newest first. */
async function insertRuns({ kysely }: Database, experimentId: string, count: number) {
  const id = sql.lit(experimentId);
  await sql`insert into runs (run_id, experiment_id, seed, status, start_time)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    select ${id} || '-' || cast(i as text), ${id}, i, 'COMPLETED',
      '2026-01-01T00:00:' || cast(99 - i % 90 as text) || 'Z' from n`.execute(kysely);
}

describeOnEachDatabase('The runs on several instances', (getDatabase) => {
  const sizes = { a: 5, b: 3, c: 8_100, d: 1, e: 7_999, f: 1, g: 1 };

  test('are read for small instances together, up to 8,000 runs, and for a larger one alone', async () => {
    const database = getDatabase();
    for (const [id, count] of Object.entries(sizes)) {
      await insert(database, 'experiments', { experiment_id: id, config_hash: id });
      await insertRuns(database, id, count);
    }
    const instances = [
      makeInstance(8, 'b', 'a'),
      makeInstance(8_100, 'c'),
      makeInstance(1, 'd'),
      makeInstance(7_999, 'e'),
      makeInstance(1, 'f'),
      makeInstance(0, 'missing'),
      makeInstance(1, 'g'),
    ];
    const runsByInstance = await listRunsOnInstances(database, instances);
    const results = [];
    for await (const result of readRunsByInstance(database, instances)) {
      results.push(result);
      // The runs of d and e have been read together, those of f have not been read.
      if (result.instance.id === 'd')
        await database.kysely.deleteFrom('runs').where('experiment_id', 'in', ['e', 'f']).execute();
    }
    expect(results.map(({ instance }) => instance)).toEqual(instances);
    expect(results.map(({ runs }) => runs.length)).toEqual([8, 8_100, 1, 7_999, 0, 0, 1]);
    expect(results.map(({ runs }) => runs)).toEqual(runsByInstance.with(4, []));
    const [firstResult] = results;
    expect(firstResult?.runs.map(({ experimentId }) => experimentId)).toEqual('bbbaaaaa'.split(''));
    const starts = firstResult?.runs.slice(3).map(({ startTime }) => startTime) ?? [];
    expect(starts).toEqual(starts.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)));
  });
});
