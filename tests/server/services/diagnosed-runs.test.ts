import type { KyselyPlugin } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { createDiagnosisCache, addDiagnosis } from '#server/services/diagnosed-runs.ts';
import { runsQuery } from '#shared/schemas/run.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';

describeOnEachDatabase('The search for runs by their diagnosis', (database) => {
  beforeAll(async () => {
    await insertExperiment(database(), 'e1');
    for (const runId of ['r1', 'r2', 'r3', 'r4']) {
      await insertRun(database(), 'e1', runId);
      await insertIterations(database(), runId, 3);
    }
  });

  it('needs other filters if more runs match than its cache can contain', async () => {
    const cache = createDiagnosisCache(3);
    const find = (query: object) =>
      addDiagnosis(database(), runsQuery.parse({ diagnosis: 'STAGNATION', ...query }), cache);
    await expect(find({})).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'diagnosis can search at most 3 runs, but 4 match the other filters: add a filter',
    });
    expect(cache.size).toBe(0);
    await expect(find({ q: 'r1' })).resolves.toMatchObject({ q: 'r1', runIds: [] });
  });

  it('evicts the least recently used runs, and contains no RUNNING runs', async () => {
    await insertRun(database(), 'e1', 'running', { status: 'RUNNING' });
    const cache = createDiagnosisCache(5);
    for (const runId of ['other', 'newest']) {
      cache.set(runId, { version: '', traceDirection: null, codes: [] });
    }
    const filter = runsQuery.parse({ diagnosis: 'STAGNATION' });
    const find = () => addDiagnosis(database(), filter, cache);
    const firstFilter = await find();
    expect(cache.size).toBe(5);
    expect(cache.has('other')).toBe(false);
    expect(cache.has('running')).toBe(false);
    expect(await find()).toEqual(firstFilter);
  });

  it('diagnoses an ended run again after other runs changed the direction of its experiment', async () => {
    await insertExperiment(database(), 'e2', {
      problem_type: 'custom',
      config_json: '{"stopping":{"target":5}}',
    });
    await insertRun(database(), 'e2', 'falling');
    const fallingRows = [9, 6].map((best, iteration) => ({
      run_id: 'falling',
      iteration,
      evaluations: 10 * (iteration + 1),
      best_fitness: best,
    }));
    await insert(database(), 'iterations', ...fallingRows);
    const cache = createDiagnosisCache();
    const find = async () =>
      (
        await addDiagnosis(
          database(),
          runsQuery.parse({ diagnosis: 'TARGET_REACHED', experimentId: 'e2', q: 'falling' }),
          cache,
        )
      ).runIds;
    expect(await find()).toEqual([]);
    for (const runId of ['rising1', 'rising2']) {
      await insertRun(database(), 'e2', runId);
      await insertIterations(database(), runId, 3);
    }
    expect(await find()).toEqual(['falling']);
  });

  it('reads the directions of many experiments with cached runs in one query', async () => {
    for (const experimentId of ['many1', 'many2', 'many3']) {
      await insertExperiment(database(), experimentId, { problem_type: 'custom' });
      await insertRun(database(), experimentId, `run-${experimentId}`);
      await insertIterations(database(), `run-${experimentId}`, 3);
    }
    let queryCount = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (JSON.stringify(node).includes('lastFitness')) queryCount += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const store = { ...database(), kysely: database().kysely.withPlugin(counter) };
    const filter = runsQuery.parse({ diagnosis: 'STAGNATION', q: 'run-many' });
    const cache = createDiagnosisCache();
    await addDiagnosis(store, filter, cache);
    expect([cache.size, queryCount]).toEqual([3, 1]);
    await addDiagnosis(store, filter, cache);
    expect(queryCount).toBe(2);
  });
});
