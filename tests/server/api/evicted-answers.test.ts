import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

const oneByte = 1 / 1_048_576;

describeOnEachDatabase('Without memory for results of analyses', (database) => {
  let small: TestService;
  let usual: TestService;
  beforeAll(async () => {
    for (const id of ['one', 'other']) {
      await insertExperiment(database(), id, { algorithm_type: id });
      for (const run of [1, 2, 3]) {
        await insertRun(database(), id, `${id}-${run}`, { best_fitness: run });
        await insertIterations(database(), `${id}-${run}`, 5);
      }
    }
    const memoryLimits = { traceMegabytes: 0, responseMegabytes: oneByte, memoMegabytes: oneByte };
    small = await startService(database(), { memoryLimits });
    usual = await startService(database());
  });
  afterAll(async () => {
    await small.close();
    await usual.close();
  });

  it.each([
    '/api/experiments/one/analysis',
    '/api/experiments/one/analysis/latex',
    '/api/experiments/one/analysis?format=csv',
    '/api/analysis/problem/onemax',
    '/api/analysis/problem/onemax/latex',
    '/api/analysis/across/latex',
    '/api/analysis/parameters',
  ])('%s is the same, each time', async (path) => {
    const expected = await sendRawRequest(usual, path);
    expect(expected.status).toBe(200);
    for (let time = 0; time < 2; time++) {
      const { status, body, headers } = await sendRawRequest(small, path);
      expect(status).toBe(200);
      expect(body.equals(expected.body)).toBe(true);
      expect(headers['cache-status']).toBe('Evoscope; fwd=miss');
    }
  });
});
