import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** So many seconds ago, as the runner writes it. */
function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1_000).toISOString();
}

describeOnEachDatabase('A running run', (database) => {
  let service: TestService;

  const config = (stopping: Record<string, unknown>) =>
    JSON.stringify({ schema: '3.0', stopping: { targetFitness: 8, ...stopping } });
  const row = (run_id: string, iteration: number, seconds: number, best: number) => ({
    run_id,
    iteration,
    evaluations: 100 * (iteration + 1),
    best_fitness: best,
    created_at: ago(seconds),
  });

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    await insert(
      database(),
      'experiments',
      {
        config_json: config({ type: 'max-evaluations', maxEvaluations: 1_000 }),
        max_iterations: null,
      },
      { experiment_id: 'few', config_hash: 'few', config_json: config({ maxIterations: 10 }) },
    );
    const running = { status: 'RUNNING', start_time: ago(50) };
    const few = { experiment_id: 'few' };
    await insert(
      database(),
      'runs',
      { run_id: 'live', ...running },
      { run_id: 'silent', ...running, start_time: ago(5_000) },
      { run_id: 'reached', ...running },
      { run_id: 'paused', ...running },
      { run_id: 'few-live', ...running, ...few },
      { run_id: 'sparse', ...running, ...few },
      { run_id: 'few-done', ...few, evaluations: 500, best_fitness: 8 },
      // Reach the target 8 after 100 to 700 evaluations.
      ...[1, 2, 3, 4, 5, 6, 7].map((n) => ({
        run_id: `s${n}`,
        evaluations: 1_000,
        best_fitness: 8,
      })),
      { run_id: 'missed', evaluations: 1_000, best_fitness: 7 },
    );
    await insert(
      database(),
      'iterations',
      // 100 evaluations every two seconds, 300 in all.
      row('live', 0, 6, 1),
      row('live', 1, 4, 2),
      row('live', 2, 2, 3),
      row('few-live', 0, 6, 1),
      row('few-live', 1, 4, 2),
      row('few-live', 2, 2, 3),
      row('sparse', 0, 6, 1),
      row('sparse', 2, 4, 2),
      row('sparse', 4, 2, 3),
      row('silent', 0, 4_000, 1),
      row('silent', 1, 3_999, 2),
      row('reached', 0, 4, 1),
      row('reached', 1, 2, 9),
      row('paused', 0, 4, 1),
      { ...row('paused', 1, 2, 1), evaluations: 100 },
      ...[1, 2, 3, 4, 5, 6, 7].flatMap((n) =>
        Array.from({ length: 10 }, (_, index) =>
          row(`s${n}`, index, 900, index + 1 >= n ? 8 : n / 2),
        ),
      ),
      ...Array.from({ length: 10 }, (_, index) => row('missed', index, 900, 7)),
      row('few-done', 4, 900, 8),
    );
  });
  afterAll(() => service.close());

  const getProgress = async (runId: string) =>
    (await service.get<ResponseBody<'getRun'>>(`/api/runs/${runId}`)).progress;
  const getForecast = (runId: string) =>
    service.get<ResponseBody<'forecastRun'>>(`/api/runs/${runId}/forecast`);

  test('has a speed, and the time left to its evaluations or its iterations', async () => {
    const live = await getProgress('live');
    expect(live?.evaluationsPerSecond).toBeCloseTo(50, 0);
    expect(live?.grantedEvaluations).toBe(1_000);
    // 700 evaluations at 50 a second.
    expect(live?.secondsLeft).toBeCloseTo(14, 0);
    const few = await getProgress('few-live');
    expect(few).toMatchObject({ grantedEvaluations: null, maxIterations: 10 });
    // 8 iterations at 2 seconds each.
    expect(few?.secondsLeft).toBeCloseTo(16, 0);
    // 6 iterations at 1 second each: the run writes every second iteration.
    const sparse = await getProgress('sparse');
    expect(sparse?.secondsLeft).toBeCloseTo(6, 0);
    expect(sparse?.secondsPerIteration).toBeCloseTo(2, 1);
    expect(await getProgress('silent')).toMatchObject({
      evaluationsPerSecond: null,
      secondsLeft: null,
      silent: true,
    });
    expect(await getProgress('paused')).toMatchObject({
      evaluationsPerSecond: 0,
      secondsLeft: null,
    });
    expect(await getProgress('s1')).toBeNull();
  });

  test('is expected to reach its target like its siblings that had not reached it at that time', async () => {
    const { hit, seconds, siblings, band, targetFitness } = await getForecast('live');
    expect(targetFitness).toBe(8);
    expect(siblings).toHaveLength(8);
    // After 300 evaluations: 400, 500, 600, 700 and the one that missed it.
    expect(hit).toEqual({
      siblings: 5,
      reached: 4,
      evaluations: { lower: 500, median: 600, upper: 700 },
    });
    expect(seconds?.lower).toBeCloseTo(4, 0);
    expect(seconds?.median).toBeCloseTo(6, 0);
    expect(seconds?.upper).toBeCloseTo(8, 0);
    expect(band?.runs).toBe(8);
    const at = band?.points.find(({ x }) => x === 100);
    // Best after 100 evaluations: 8, 1, 1.5, 2, 2.5, 3, 3.5 and 7.
    expect(at).toMatchObject({ samples: 8, median: 2.75, q1: 1.875, q3: 4.375 });
  });

  test.each(['silent', 'reached', 'few-live', 's1'])(
    'has no forecast when it is silent, has reached the target, has few siblings, or has ended: %s',
    async (runId) => {
      expect(await getForecast(runId)).toMatchObject({ hit: null, seconds: null });
    },
  );

  test('has no band of fewer than two completed siblings', async () => {
    const { band, siblings } = await getForecast('few-live');
    expect(band).toBeNull();
    expect(siblings).toEqual([{ evaluationsToTarget: 500, evaluations: 500 }]);
  });

  test('that does not exist is not found', async () => {
    const response = await fetch(`${service.url}/api/runs/none/forecast`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
