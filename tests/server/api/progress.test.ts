import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** So many seconds ago, as the runner writes it. */
function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1_000).toISOString();
}

describeOnEachDatabase('Runs that go on', (database) => {
  let service: TestService;

  const row = (run_id: string, iteration: number, seconds: number, best: number) => ({
    run_id,
    iteration,
    evaluations: iteration * 100,
    best_fitness: best,
    mean_fitness: best / 2,
    created_at: ago(seconds),
  });

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    await insert(
      database(),
      'experiments',
      { config_json: '{"stopping":{"targetFitness":8}}' },
      { experiment_id: 'min', config_hash: 'min', problem_type: 'sphere', max_iterations: null },
    );
    const running = { status: 'Running', start_time: ago(500) };
    await insert(
      database(),
      'runs',
      { run_id: 'live', ...running },
      { run_id: 'slow', ...running },
      { run_id: 'dead', ...running, experiment_id: 'min' },
      { run_id: 'empty', ...running, experiment_id: 'min' },
      {
        run_id: 'resumed',
        ...running,
        experiment_id: 'min',
        resumed_from: './c.yaml',
        evaluations: 900,
        best_fitness: 5,
      },
      { run_id: 'done', best_fitness: 7, evaluations: 300, iterations: 3, start_time: ago(900) },
      {
        run_id: 'failed',
        status: 'FAILED',
        start_time: ago(901),
        error_message: `postgres://u:inner-pw@h/${'ä🙂'.repeat(400)}`,
      },
    );
    await insert(
      database(),
      'iterations',
      ...Array.from({ length: 60 }, (_, n) => row('live', n, 60 - n, n === 30 ? 9 : 3)),
      row('slow', 0, 300, 1),
      row('slow', 1, 200, 2),
      row('slow', 2, 100, 3),
      row('dead', 0, 400, 3),
      row('dead', 1, 399, 1),
      row('dead', 2, 398, 2),
      ...[5, 6, 7].map((n) => row('resumed', n, 9_000, 4)),
      ...[3, 4].map((n) => row('resumed', n, 10 - n, 2)),
      row('done', 1, 800, 8),
    );
    await insert(
      database(),
      'control_requests',
      { target_id: 'live', requested_at: '2026-11-21T10:00:00Z', reason: 'run' },
      {
        scope: 'experiment',
        target_id: 'e1',
        requested_at: '2026-11-21T10:00:00.5Z',
        reason: 'all',
      },
    );
  });

  afterAll(() => service.close());

  const runs = async () => {
    const { items } = await service.get<ResponseBody<'listRuns'>>('/api/runs');
    return new Map(items.map((run) => [run.runId, run]));
  };

  test('show where they are, by their newest row and the best of all', async () => {
    const live = (await runs()).get('live')?.progress;
    expect(live).toMatchObject({
      iteration: 59,
      maxIterations: 10,
      evaluations: 5_900,
      bestSoFar: 9,
      meanFitness: 1.5,
      silent: false,
    });
    expect(live?.secondsPerIteration).toBeCloseTo(1, 1);
    const { progress } = await service.get<ResponseBody<'getRun'>>('/api/runs/live');
    expect(progress).toEqual(live);
  });

  test('are counted by experiment, in its list and on its page', async () => {
    const { items } = await service.get<ResponseBody<'listExperiments'>>('/api/experiments');
    const counts = items.map(({ experimentId, runningRuns, silentRuns }) => ({
      experimentId,
      runningRuns,
      silentRuns,
    }));
    expect(new Set(counts)).toEqual(
      new Set([
        { experimentId: 'e1', runningRuns: 2, silentRuns: 0 },
        { experimentId: 'min', runningRuns: 3, silentRuns: 2 },
      ]),
    );
    for (const counted of counts) {
      const address = `/api/experiments/${counted.experimentId}`;
      expect(await service.get<ResponseBody<'getExperiment'>>(address)).toMatchObject(counted);
    }
  });

  test('are silent after the larger of a minute and 20 times their pace', async () => {
    const all = await runs();
    expect(all.get('slow')?.progress).toMatchObject({ silent: false, secondsPerIteration: 100 });
    expect(all.get('dead')?.progress).toMatchObject({ silent: true, bestSoFar: 1, iteration: 2 });
    const empty = all.get('empty');
    expect(empty?.progress).toEqual({
      iteration: null,
      maxIterations: null,
      evaluations: null,
      bestSoFar: null,
      meanFitness: null,
      lastActivityAt: empty?.startTime,
      secondsPerIteration: null,
      evaluationsPerSecond: null,
      grantedEvaluations: null,
      secondsLeft: null,
      silent: true,
    });
  });

  test('that were resumed are at their last row, not at the end of their earlier segment', async () => {
    const { progress } = (await runs()).get('resumed') ?? {};
    expect(progress).toMatchObject({ iteration: 4, evaluations: 400, bestSoFar: 2, silent: false });
  });

  test('show the same among the runs of their experiment; ended ones show nothing', async () => {
    const { items } = await service.get<ResponseBody<'listExperimentRuns'>>(
      '/api/experiments/min/runs',
    );
    const all = await runs();
    for (const { runId, progress } of items) {
      expect(progress).toEqual(all.get(runId)?.progress);
    }
    expect(all.get('done')?.progress).toBeNull();
  });

  test('have the newest stop request of the run and its experiment, to the fraction of a second', async () => {
    const all = await runs();
    expect(all.get('live')?.stopRequest).toMatchObject({ reason: 'all', scope: 'experiment' });
    expect(all.get('dead')?.stopRequest).toBeNull();
  });

  test('are next to failed runs, whose message is truncated to 300 characters after its secrets are masked', async () => {
    const message = (await runs()).get('failed')?.errorMessage ?? '';
    expect(Array.from(message)).toHaveLength(300);
    expect(message.startsWith('postgres://***@h/ä🙂ä')).toBe(true);
  });

  test('count in their experiment: best so far, median of the completed, figures of its analysis', async () => {
    const list = (query: string) =>
      service.get<ResponseBody<'listExperiments'>>(`/api/experiments?sortDir=asc&${query}`);
    const { items } = await list('sortBy=best_fitness&figures=true');
    expect(items.map(({ experimentId, bestFitness }) => [experimentId, bestFitness])).toEqual([
      ['min', 1],
      ['e1', 9],
    ]);
    for (const item of items) {
      const analysis = await service.get<ResponseBody<'analyseExperiment'>>(
        `/api/experiments/${item.experimentId}/analysis?sameProblem=false`,
      );
      expect(item).toMatchObject({
        targetFitness: analysis.targetFitness,
        successfulRuns: analysis.successfulRuns,
        successRate: analysis.successRate,
        ert: analysis.ert,
        direction: analysis.objectiveDirection,
      });
    }
    expect(items[1]).toMatchObject({ medianBest: 7, n: 1, successfulRuns: 2 });
    expect(items[0]).toMatchObject({ medianBest: null, n: 0 });
    expect((await list('')).items[0]).not.toHaveProperty('ert');
  });
});
