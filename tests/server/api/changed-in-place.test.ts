import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuxiliaryIndexes } from '#server/db/auxiliary-indexes.ts';
import { describeOnEachDatabase, execute } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('An analysis', (database) => {
  let service: TestService;
  beforeAll(async () => {
    await insertExperiment(database(), 'e1');
    for (const run of ['r1', 'r2', 'r3']) {
      await insertRun(database(), 'e1', run, { best_fitness: 9, evaluations: 200 });
      await insertIterations(database(), run, 10);
    }
    service = await startService(database());
  });
  afterAll(() => service.close());

  const analyse = async () => {
    const path = '/api/experiments/e1/analysis?direction=max&target=5&sameProblem=false';
    return JSON.stringify(await service.get(path));
  };
  const change = (...statements: string[]) =>
    execute({ url: database().url, remove: async () => {} }, statements);
  const setFitness = (fitness: number) =>
    change(`update iterations set best_fitness = ${fitness} where run_id = 'r1' and iteration = 3`);

  test.each([
    [
      'the fitness of an earlier iteration',
      `update iterations set best_fitness = 7 where run_id = 'r1' and iteration = 2`,
    ],
    [
      'the evaluations of an iteration',
      `update iterations set evaluations = 41 where run_id = 'r1' and iteration = 2`,
    ],
    ['a deleted iteration', `delete from iterations where run_id = 'r1' and iteration = 2`],
    [
      'a replaced iteration',
      `delete from iterations where run_id = 'r2' and iteration = 3`,
      `insert into iterations (run_id, iteration, evaluations, best_fitness, mean_fitness, std_fitness, created_at)
        values ('r2', 3, 60, 8, 8, 1, '2026-11-21T10:00:00Z')`,
    ],
    ['the status of a run', `update runs set status = 'FAILED' where run_id = 'r3'`],
    [
      'a deleted run',
      `delete from iterations where run_id = 'r3'`,
      `delete from runs where run_id = 'r3'`,
    ],
    [
      'a configuration',
      `update experiments set config_json = '{"problem":{"type":"x","optimum":3}}'`,
    ],
  ])('shows what another program changed: %s', async (_name, ...statements) => {
    const before = await analyse();
    expect(await analyse()).toBe(before);
    await change(...statements);
    expect(await analyse()).not.toBe(before);
  });

  test('shows a change in many iterations, which are read from the covering index', async () => {
    await insert(database(), 'iterations', { run_id: 'r1', iteration: 30_000, best_fitness: 1 });
    await createAuxiliaryIndexes(database());
    const before = await analyse();
    await setFitness(6.5);
    expect(await analyse()).not.toBe(before);
  });

  test('shows a change in iterations that are too many to read again, on PostgreSQL within 10 s', async () => {
    await insert(database(), 'iterations', { run_id: 'r1', iteration: 900_000, best_fitness: 1 });
    const before = await analyse();
    await setFitness(5.5);
    if (database().dialect.name === 'sqlite') expect(await analyse()).toBe(before);
    else await expect.poll(analyse, { timeout: 20_000 }).not.toBe(before);
  });
});
