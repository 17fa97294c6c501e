import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExperimentAnalysis, ProblemComparison } from '#shared/schemas/analysis.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('The ECDF over several targets', (database) => {
  let service: TestService;
  const compared = (query: string) =>
    service.get<ProblemComparison>(`/api/analysis/problem/sphere?${query}`);

  beforeAll(async () => {
    for (const algorithm of ['cma-es', 'umda']) {
      await insertExperiment(database(), algorithm, {
        algorithm_type: algorithm,
        problem_type: 'sphere',
        config_json: JSON.stringify({ problem: { type: 'sphere' } }),
      });
      await insertRun(database(), algorithm, `${algorithm}-1`, { best_fitness: 1 });
      await insertIterations(database(), `${algorithm}-1`, algorithm === 'umda' ? 4 : 8);
    }
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('has the targets that are typed, as numbers and as powers of ten, for each group and for an experiment', async () => {
    const { targets, targetsSource, ecdfTargets } = await compared('targets=5&targets=1..0:2');
    expect([targets, targetsSource]).toEqual([[10, 5, 1], 'query']);
    expect(ecdfTargets.map(({ name, pairs }) => [name, pairs])).toEqual([
      ['cma-es', 3],
      ['umda', 3],
    ]);
    const alone = await service.get<ExperimentAnalysis>(
      '/api/experiments/umda/analysis?targets=10,5,1&sameProblem=false',
    );
    expect(alone.ecdfTargets).toEqual([{ ...ecdfTargets[1], name: 'umda' }]);
  });

  test('has the levels of the profiles where none are typed', async () => {
    const { targets, targetsSource } = await compared('');
    expect(targetsSource).toBe('levels');
    expect(targets.length).toBeGreaterThan(0);
  });

  test('refuses what are no targets, and more than 500 of them, in words', async () => {
    for (const text of ['ten', '2..-8:501', Array.from({ length: 501 }, (_, n) => n).join()]) {
      const response = await fetch(
        `${service.url}/api/analysis/problem/sphere?targets=${encodeURIComponent(text)}`,
      );
      expect(response.status, text).toBe(400);
      expect(await response.text()).toContain(
        'must be numbers (10,1,1e-8) or powers of ten as from..to:count (2..-8:51), at most 500',
      );
    }
  });
});
