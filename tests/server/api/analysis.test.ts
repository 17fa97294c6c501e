import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from '#shared/schemas/common.ts';
import type {
  ExperimentAnalysis,
  ExperimentTraces,
  ProblemComparison,
  ProblemSummary,
} from '#shared/schemas/analysis.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { computePlainAnalysis } from '#tests/support/plain-analysis.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('analyses of rows of the runner', (database) => {
  let service: TestService;
  let experiments: ExperimentItem[] = [];
  const codes = ({ notes }: { notes: { code: string }[] }) => notes.map(({ code }) => code);

  const insertPoint = (runId: string) =>
    insert(database(), 'iterations', {
      run_id: runId,
      iteration: 1_000_000,
      evaluations: 1_000_000,
      best_fitness: 0,
    });

  beforeAll(async () => {
    await loadSample(database());
    service = await startService(database(), { isInThisThread: true });
    const page = await service.get<Page<ExperimentItem>>('/api/experiments?size=200');
    experiments = page.items;
  });
  afterAll(() => service.close());

  test('equal the results of pure functions on plain rows, for every experiment', async () => {
    expect(experiments).toHaveLength(67);
    for (const { experimentId, problemType } of experiments) {
      const answer = await service.get(`/api/experiments/${experimentId}/analysis`);
      expect(answer).toEqual(await computePlainAnalysis(database(), experimentId, problemType));
    }
  }, 120_000);

  test('never pool onemax of 40 and of 60 bits', async () => {
    const comparison = await service.get<ProblemComparison>('/api/analysis/problem/onemax');
    const labels = comparison.instances.map(({ label, runs, selected }) => [label, runs, selected]);
    expect(labels).toEqual([
      ['onemax, length 40', 45, true],
      ['onemax, length 30', 2, false],
      ['onemax, length 60', 5, false],
      ['onemax, length 24', 1, false],
    ]);
    expect(comparison.algorithms.map(({ totalRuns }) => totalRuns)).toEqual([15, 15, 15]);
    expect(codes(comparison)).toContain('OTHER_INSTANCES');
    const sixty = comparison.instances[2]!.id;
    const other = await service.get<ProblemComparison>(
      `/api/analysis/problem/onemax?instance=${sixty}`,
    );
    expect(other.algorithms).toMatchObject([{ algorithm: 'umda', totalRuns: 5 }]);
    expect(other.targetFitness).toBe(60);
  });

  test('minimise grammar-xor with the reason, and state that there is no target', async () => {
    const comparison = await service.get<ProblemComparison>('/api/analysis/problem/grammar-xor');
    expect(comparison).toMatchObject({
      objectiveDirection: 'min',
      directionSource: 'problem',
      targetFitness: null,
      targetSource: 'none',
    });
    expect(codes(comparison)).toContain('NO_TARGET');
  });

  test('take direction and target from the query first', async () => {
    const experiment = experiments.find(({ problemType }) => problemType === 'sphere');
    const path = `/api/experiments/${experiment!.experimentId}/analysis`;
    const asked = await service.get<ExperimentAnalysis>(`${path}?direction=MAX&target=-1e2`);
    expect(asked).toMatchObject({
      objectiveDirection: 'max',
      directionSource: 'query',
      targetFitness: -100,
      targetSource: 'query',
      successRate: 1,
      sameProblem: { objectiveDirection: 'max', targetFitness: -100, targetSource: 'query' },
    });
  });

  test('show the best so far: no mean gets worse while all runs continue', async () => {
    const worsened = experiments.filter(({ problemType }) => problemType === 'rastrigin');
    for (const { experimentId } of worsened) {
      const traces = await service.get<ExperimentTraces>(`/api/experiments/${experimentId}/traces`);
      for (const { points } of traces.runs) {
        points.slice(1).forEach(({ x, y }, index) => {
          expect(x).toBeGreaterThan(points[index]!.x);
          expect(y).toBeLessThanOrEqual(points[index]!.y);
        });
      }
    }
  });

  test('count a RUNNING run as not solved, with a note', async () => {
    const running = experiments.find(({ runningRuns }) => runningRuns > 0)!;
    const answer = await service.get<ExperimentAnalysis>(
      `/api/experiments/${running.experimentId}/analysis?target=-1`,
    );
    expect(answer).toMatchObject({ totalRuns: 2, successfulRuns: 0, ert: null });
    expect(codes(answer)).toEqual(expect.arrayContaining(['RUNS_ACTIVE', 'RUNS_NOT_COMPLETED']));
  });

  test('list the problems that can be compared', async () => {
    const problems = await service.get<ProblemSummary[]>('/api/analysis/problems');
    expect(problems.map(({ problemType }) => problemType)).toEqual([
      'coco-bbob',
      'grammar-nguyen-regression',
      'grammar-xor',
      'mixed-toy',
      'onemax',
      'rastrigin',
      'rosenbrock',
      'small-tsp',
      'sphere',
      'zdt',
    ]);
    expect(problems.find(({ problemType }) => problemType === 'onemax')).toEqual({
      problemType: 'onemax',
      algorithms: ['cga', 'mimic', 'pbil', 'umda'],
      instances: 4,
      experiments: 7,
      runs: 53,
      completedRuns: 53,
    });
  });

  test('contain only the requested algorithms, and group by experiment or model', async () => {
    const two = await service.get<ProblemComparison>(
      '/api/analysis/problem/onemax?algorithm=CGA&algorithm=umda',
    );
    expect(two.algorithms.map(({ algorithm }) => algorithm)).toEqual(['cga', 'umda']);
    const models = await service.get<ProblemComparison>(
      '/api/analysis/problem/onemax?groupBy=model',
    );
    expect(models.algorithms.map(({ algorithm }) => algorithm)).toEqual([
      'cga-frequency',
      'pbil-frequency',
      'umda-bernoulli',
    ]);
    const single = await service.get<ProblemComparison>(
      '/api/analysis/problem/onemax?groupBy=experiment',
    );
    expect(single.algorithms.map(({ algorithm }) => algorithm)).toEqual(
      single.algorithms.map(({ algorithm }) => algorithm).toSorted(),
    );
    expect(single.algorithms[0]!.algorithm).toHaveLength(64);
  });

  test('are empty, with a note, for algorithms without runs', async () => {
    const none = await service.get<ProblemComparison>('/api/analysis/problem/onemax?algorithm=x');
    expect(none).toMatchObject({ algorithms: [], pairwiseWilcoxon: [], kruskalWallis: null });
    expect(none.instances).toHaveLength(4);
    expect(none.notes).toContainEqual({
      code: 'NO_SUCH_RUNS',
      message: 'There are no runs of x on onemax, length 40.',
    });
  });

  test('thin traces to the requested number of points, including the hit', async () => {
    const experiment = experiments.find(
      ({ problemType, totalRuns }) => problemType === 'onemax' && totalRuns === 15,
    )!;
    const path = `/api/experiments/${experiment.experimentId}/traces`;
    const thinned = await service.get<ExperimentTraces>(`${path}?points=3&target=36`);
    const whole = await service.get<ExperimentTraces>(`${path}?points=2000&target=36`);
    expect(thinned.runs).toHaveLength(15);
    for (const [index, run] of thinned.runs.entries()) {
      expect(run.points.length).toBeLessThanOrEqual(5);
      const all = whole.runs[index]!;
      expect(all.isThinned).toBe(false);
      expect(all.points).toEqual(expect.arrayContaining(run.points));
      expect(run.points.at(-1)).toEqual(all.points.at(-1));
      const hit = all.points.find(({ y }) => y >= 36);
      expect(run.evaluationsToTarget).toBe(hit?.x ?? null);
      if (hit) expect(run.points).toContainEqual(hit);
    }
  });

  test('hide the password of the runner in every response', async () => {
    for (const path of [
      '/api/analysis/problems',
      '/api/analysis/problem/onemax?groupBy=experiment',
    ]) {
      const text = await (await fetch(service.url + path)).text();
      expect(text).not.toContain('runner-pw-not-secret');
    }
  });

  test.each([
    [
      '/api/experiments/none/analysis',
      'EXPERIMENT_NOT_FOUND',
      'There is no experiment with the id "none". Select another experiment',
    ],
    [
      '/api/experiments/none/analysis/latex',
      'EXPERIMENT_NOT_FOUND',
      'There is no experiment with the id "none". Select another experiment',
    ],
    [
      '/api/experiments/none/traces',
      'EXPERIMENT_NOT_FOUND',
      'There is no experiment with the id "none". Select another experiment',
    ],
    [
      '/api/analysis/problem/none',
      'NOT_FOUND',
      'There is no experiment on the problem "none". Select another problem',
    ],
    [
      '/api/analysis/problem/none/latex',
      'NOT_FOUND',
      'There is no experiment on the problem "none". Select another problem',
    ],
    [
      '/api/analysis/problem/onemax?instance=none',
      'NOT_FOUND',
      'There is no instance "none" of the problem "onemax" to compare on. Select another instance',
    ],
  ])('respond to %s with 404', async (path, code, detail) => {
    expect(await service.getProblem(path)).toMatchObject({ status: 404, code, detail });
  });

  test.each([
    ['direction=up', 'direction must be min or max'],
    ['direction=min&direction=max', 'direction must occur only once'],
    ['target=abc', 'target must be a finite number'],
    ['target=Infinity', 'target must be a finite number'],
    ['target=1e999', 'target must be a finite number'],
  ])('refuse ?%s everywhere and say what is allowed', async (query, detail) => {
    const paths = ['/api/experiments/x/analysis', '/api/experiments/x/traces'];
    for (const path of [
      ...paths,
      '/api/analysis/problem/onemax',
      '/api/analysis/problem/onemax/latex',
    ]) {
      const problem = await service.getProblem(`${path}?${query}`);
      expect(problem).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', detail });
    }
  });

  test('are files for LaTeX with a name in ASCII', async () => {
    const response = await fetch(`${service.url}/api/analysis/problem/onemax/latex`);
    expect(response.headers.get('content-type')).toBe('text/x-tex; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="problem-onemax.tex"',
    );
    const text = await response.text();
    expect(text).toContain('\\toprule');
    expect(text).toContain('onemax, length 40 (maximised, target 40 from the configuration)');
  });

  test('are cached until their runs change', async () => {
    const [{ experimentId }] = experiments as [ExperimentItem];
    const path = `${service.url}/api/experiments/${experimentId}/analysis?target=3`;
    const ask = async () => {
      const response = await fetch(path);
      return [response.headers.get('cache-status'), await response.text()];
    };
    const [first, text] = await ask();
    expect(first).toBe('Evoscope; fwd=miss');
    expect(await ask()).toEqual(['Evoscope; hit', text]);
    await insertExperiment(database(), 'elsewhere', { problem_type: 'elsewhere' });
    expect(await ask()).toEqual(['Evoscope; hit', text]);
    await database()
      .kysely.updateTable('runs')
      .set({ runtime_millis: 123_456_789 })
      .where('experiment_id', '=', experimentId)
      .execute();
    const [third, changed] = await ask();
    expect(third).toBe('Evoscope; fwd=miss');
    expect(changed).toContain('123456789');
    const { runs } = await service.get<ExperimentTraces>(`/api/experiments/${experimentId}/traces`);
    await insertPoint(runs[0]!.runId);
    expect((await ask())[0]).toBe('Evoscope; fwd=miss');
  });

  test('that are requested at the same time are computed once', async () => {
    const path = `${service.url}/api/analysis/problem/sphere?target=0.125`;
    const responses = await Promise.all(Array.from({ length: 5 }, () => fetch(path)));
    const states = responses.map(({ headers }) => String(headers.get('cache-status')));
    expect(states.toSorted()).toEqual([
      'Evoscope; fwd=miss',
      ...Array.from({ length: 4 }, () => 'Evoscope; hit'),
    ]);
  });

  test('show the MOVER interval of an ERT, within the budget that all runs were granted', async () => {
    const insertSolved = async (id: string, stopping: object, times: number[]) => {
      await insertExperiment(database(), id, {
        algorithm_type: id,
        problem_type: 'mover',
        config_json: JSON.stringify({
          problem: { type: 'mover', params: { direction: 'min', id } },
          stopping: { targetFitness: 1, ...stopping },
        }),
      });
      for (const [index, evaluations] of times.entries())
        await insertRun(database(), id, `${id}-${index}`, {
          evaluations,
          best_fitness: evaluations < 2_000 ? 1 : 2,
        });
    };
    const times = [200, 300, 500, 800, 1_200];
    await insertSolved('granted', { maxEvaluations: 2_000 }, [...times, 2_000, 2_000]);
    await insertSolved('all-solved', { maxEvaluations: 2_000 }, times);
    await insertSolved('unknown-budget', {}, times);
    await insertSolved('unsolved', {}, [2_000]);
    const expectedRows = [
      ['granted', [640.676, 4_514.041], '[640.7, 4\\,514]'],
      ['all-solved', [227.335, 2_308.353], '[227.3, 2\\,308]'],
      ['unknown-budget', null, null],
      ['unsolved', null, null],
    ] as const;
    for (const [id, ends, latexText] of expectedRows) {
      const path = `/api/experiments/${id}/analysis`;
      const analysis = await service.get<ExperimentAnalysis>(path);
      const { ertInterval, ertMoverInterval, sameProblem, problemInstance } = analysis;
      expect(ertInterval, id).not.toBeNull();
      expect(ertInterval, id).not.toEqual(ertMoverInterval);
      expect(ertMoverInterval, id).toEqual(
        ends && { lower: expect.closeTo(ends[0], 3), upper: expect.closeTo(ends[1], 3) },
      );
      expect(sameProblem?.guard.commonBudget, id).toBeNull();
      expect(sameProblem?.algorithms, id).toMatchObject([{ ertInterval, ertMoverInterval }]);
      const problem = `instance=${problemInstance.id}`;
      const parts = [`${path}/latex?`, `/api/analysis/problem/mover/latex?${problem}`];
      for (const part of parts) {
        const latex = await (await fetch(service.url + part)).text();
        const [interval = null] = /\[[^\][]+, [^\][]+\]/.exec(latex) ?? [];
        expect(interval, part).toBe(latexText);
      }
    }
  });
});
