import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExperimentAnalysis } from '#shared/schemas/analysis.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const runs = 60;
const iterations = 5_000;

describeOnEachDatabase('while a long analysis runs', (database) => {
  let service: TestService;

  beforeAll(async () => {
    await insertExperiment(database(), 'large');
    for (let run = 0; run < runs; run++) {
      await insertRun(database(), 'large', `large-${run}`, { best_fitness: run, evaluations: 100 });
      await insertIterations(database(), `large-${run}`, iterations);
    }
    service = await startService(database());
  });
  afterAll(() => service.close());

  test('the service responds to other requests', async () => {
    // The threads have started then.
    await service.get('/api/health');
    const start = performance.now();
    const done = new AbortController();
    const analysis = service
      .get<ExperimentAnalysis>('/api/experiments/large/analysis?target=4000')
      .finally(() => done.abort());
    const answered: number[] = [];
    while (!done.signal.aborted) {
      const asked = performance.now();
      await service.get('/api/health');
      if (!done.signal.aborted) answered.push(performance.now() - asked);
    }
    const analysisMillis = performance.now() - start;
    expect((await analysis).successfulRuns).toBe(runs);
    expect(answered.length).toBeGreaterThan(5);
    const median = answered.sort((one, other) => one - other)[answered.length >> 1] ?? Infinity;
    expect(median).toBeLessThan(analysisMillis / 4);
  });
});
