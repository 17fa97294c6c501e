import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { listRuns, listRunsById, readRunsById } from '#server/repositories/analysis.ts';
import { listRunIdsWithPrefix } from '#server/repositories/recording.ts';
import { listRunIds } from '#server/repositories/runs.ts';
import { runsQuery } from '#shared/schemas/run.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';

/** Number of runs: two batches and one run. */
const runCount = 16_001;

describeOnEachDatabase('The runs with many ids', (getDatabase) => {
  const ids = Array.from({ length: runCount }, (_, index) => `run-${index + 1}`);

  beforeAll(async () => {
    const database = getDatabase();
    await insert(database, 'experiments', {});
    await sql`insert into runs (run_id, experiment_id, seed, status, start_time)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(runCount)})
      select 'run-' || cast(i as text), 'e1', i, 'COMPLETED', '2026-01-01T00:00:00Z' from n`.execute(
      database.kysely,
    );
    // One run of each batch has iterations.
    for (const run_id of ['run-1', 'run-9000', 'run-16001'])
      for (let iteration = 0; iteration < 3; iteration += 1)
        await insert(database, 'iterations', { run_id, iteration });
  });

  test('are read in batches, without missing runs', async () => {
    const batches = [];
    for await (const batch of readRunsById(getDatabase(), [...ids, 'missing'])) batches.push(batch);
    expect(batches.map(({ length }) => length)).toEqual([8_000, 8_000, 1]);
    const runs = batches.flat().map(({ runId }) => runId);
    expect(runs.toSorted()).toEqual(ids.toSorted());
  });

  test('have the same versions as single runs, which change with an iteration of any batch', async () => {
    const database = getDatabase();
    const readVersions = async () => {
      const versions = new Map<string, string>();
      for await (const batch of readRunsById(database, ids))
        for (const { runId, version } of batch) versions.set(runId, version);
      return versions;
    };
    const versionsBefore = await readVersions();
    const singleRuns = await listRunsById(database, ['run-1', 'run-9000', 'run-16001']);
    for (const { runId, version } of singleRuns) expect(versionsBefore.get(runId)).toBe(version);
    await database.kysely
      .updateTable('iterations')
      .set({ best_fitness: 7 })
      .where('run_id', '=', 'run-16001')
      .where('iteration', '=', 1)
      .execute();
    const versionsAfter = await readVersions();
    const changedIds = ids.filter((id) => versionsBefore.get(id) !== versionsAfter.get(id));
    expect(changedIds).toEqual(['run-16001']);
  });
});

describeOnEachDatabase('The runs of an experiment', (getDatabase) => {
  test('are in the order of their starts, also inside a second', async () => {
    const database = getDatabase();
    await insertExperiment(database, 'e1');
    await insertRun(database, 'e1', 'a', { start_time: '2026-01-01T00:00:16.5Z' });
    await insertRun(database, 'e1', 'b', { start_time: '2026-01-01T00:00:16Z' });
    await insertRun(database, 'e1', 'c', { start_time: '' });
    const runs = await listRuns(database, ['e1']);
    expect(runs.map(({ runId }) => runId)).toEqual(['c', 'b', 'a']);
  });

  test.each([
    ['Z', '.5Z'],
    ['.5Z', '.55Z'],
    ['.500Z', '.500123Z'],
  ])('are on their pages if the starts end in %s and %s', async (earlierEnd, laterEnd) => {
    const database = getDatabase();
    await database.kysely.deleteFrom('runs').execute();
    await insertRun(database, 'e1', 'later', { start_time: `2026-01-01T00:00:16${laterEnd}` });
    await insertRun(database, 'e1', 'earlier', { start_time: `2026-01-01T00:00:16${earlierEnd}` });
    const readPage = (sortDir: 'asc' | 'desc', page: number) => {
      const pageRequest = { page, size: 1 };
      return listRunIds(database, runsQuery.parse({}), {
        sortBy: 'start_time',
        sortDir,
        pageRequest,
      });
    };
    expect([await readPage('asc', 0), await readPage('asc', 1)]).toEqual([['earlier'], ['later']]);
    expect([await readPage('desc', 0), await readPage('desc', 1)]).toEqual([
      ['later'],
      ['earlier'],
    ]);
  });
});

describeOnEachDatabase('The version of an ended run with infinite fitness', (getDatabase) => {
  test('differs if a further fitness is 0, infinite or another number', async () => {
    const database = getDatabase();
    await insertExperiment(database, 'e1');
    await insertRun(database, 'e1', 'r1');
    const fitness = [Infinity, 3, -Infinity, 1];
    for (const [iteration, best_fitness] of fitness.entries())
      await insert(database, 'iterations', { iteration, best_fitness });
    const versions = new Set<string | undefined>();
    for (const best_fitness of [0, Infinity, -Infinity, 2]) {
      await database.kysely
        .updateTable('iterations')
        .set({ best_fitness })
        .where('iteration', '=', 1)
        .execute();
      versions.add((await listRunsById(database, ['r1']))[0]?.version);
    }
    expect(versions.size).toBe(4);
  });
});

describeOnEachDatabase('The runs whose ids start with a prefix', (getDatabase) => {
  test('have it in the same case, and without wildcards', async () => {
    const database = getDatabase();
    await insertExperiment(database, 'e1');
    for (const runId of ['a_1-r1', 'A_1-r2', 'ab1-r3', 'x-a_1-r4']) {
      await insertRun(database, 'e1', runId);
    }
    expect(await listRunIdsWithPrefix(database, 'a_1-r')).toEqual(['a_1-r1']);
  });
});
