import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '#shared/schemas/common.ts';
import {
  experimentStatus,
  experimentsQuery,
  type ExperimentDetail,
  type ExperimentItem,
  type ExperimentRunItem,
} from '#shared/schemas/experiment.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('experiments that the runner wrote', (database) => {
  let service: TestService;
  const list = (query: string) =>
    service.get<Page<ExperimentItem>>(`/api/experiments?size=200&${query}`);

  beforeAll(async () => {
    await loadSample(database());
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('are listed with the counts of their runs', async () => {
    const { items, total } = await list('');
    expect(total).toBe(67);
    expect(items.reduce((sum, item) => sum + item.totalRuns, 0)).toBe(159);
    for (const item of items) {
      const { totalRuns, completedRuns, failedRuns, stoppedRuns, runningRuns } = item;
      expect(completedRuns + failedRuns + stoppedRuns + runningRuns).toBe(totalRuns);
    }
  });

  test('show the best fitness by their direction', async () => {
    const { items } = await list('problem=SPHERE');
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) {
      const runs = await service.get<Page<ExperimentRunItem>>(
        `/api/experiments/${item.experimentId}/runs`,
      );
      const best = runs.items.flatMap(({ bestFitness }) => bestFitness ?? []);
      expect(item).toMatchObject({ direction: 'min', bestFitness: Math.min(...best) });
    }
  });

  test.each(experimentStatus.options)(
    'filtered by %s are exactly those that show it',
    async (status) => {
      const all = await list('');
      const shown = all.items.filter((item) => item.status === status);
      const filtered = await list(`status=${status.toLowerCase()}`);
      expect(filtered.items).toEqual(shown);
      expect(filtered.total).toBe(shown.length);
    },
  );

  test('agree with the details of each experiment and with the direction of its runs', async () => {
    const { items } = await list('trials=exclude');
    expect(items).toHaveLength(19);
    for (const item of items) {
      const detail = await service.get<ExperimentDetail>(`/api/experiments/${item.experimentId}`);
      const {
        latestRunTime: _latest,
        bestFitness: _best,
        medianBest: _median,
        n: _n,
        ...common
      } = item;
      expect(detail).toMatchObject(common);
    }
  });

  test('are neither repeated nor skipped on the pages of any order', async () => {
    const keys = ['latest_run_time', 'created_at', 'total_runs', 'best_fitness', 'algorithm_type'];
    for (const sortBy of [...keys, 'model_type', 'problem_type']) {
      for (const sortDir of ['asc', 'desc']) {
        const ids: string[] = [];
        for (let page = 0; page < 7; page++) {
          const answer = await service.get<Page<ExperimentItem>>(
            `/api/experiments?size=10&page=${page}&sortBy=${sortBy}&sortDir=${sortDir}`,
          );
          ids.push(...answer.items.map(({ experimentId }) => experimentId));
        }
        expect(new Set(ids).size, `${sortBy} ${sortDir}`).toBe(67);
      }
    }
  });

  test('are found by the id of a run, by name and by parameter, and never by a secret', async () => {
    expect((await list('q=LONG-rastrigin-r02')).items).toMatchObject([
      { runName: 'Rastrigin 10, full Gaussian, long' },
    ]);
    expect((await list('q=full%20gaussian')).total).toBeGreaterThan(0);
    expect((await list('q=populationSize')).total).toBe(67);
    expect((await list('q=runner-pw-not')).total).toBe(0);
    expect((await list('q=%25')).total).toBe(0);
  });

  test('mask the runner’s password in every response', async () => {
    const { items } = await list('trials=exclude');
    for (const { experimentId } of items) {
      for (const part of ['', '/params', '/runs']) {
        const response = await fetch(`${service.url}/api/experiments/${experimentId}${part}`);
        expect(await response.text()).not.toContain('runner-pw-not-secret');
      }
    }
  });

  test('of trials can be excluded or listed alone', async () => {
    expect((await list('trials=only')).total).toBe(48);
    expect((await list('trials=exclude')).total).toBe(19);
  });

  test.each([
    ['status=STOPPED', 'status must be one of RUNNING, COMPLETED, FAILED, PARTIAL'],
    ['sortBy=seed', `sortBy must be one of ${sortKeys()}`],
    ['from=yesterday', 'from must be an ISO 8601 date or time such as'],
    ['size=0', 'size must be a whole number, at least 1'],
  ])('refuse ?%s and say what is allowed', async (query, detail) => {
    const problem = await service.getProblem(`/api/experiments?${query}`);
    expect(problem).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(problem.detail).toContain(detail);
  });

  test.each(['', '/runs', '/params', '/deletion-preview'])(
    'of an unknown id are 404 at …/{id}%s',
    async (part) => {
      expect(await service.getProblem(`/api/experiments/nobody${part}`)).toMatchObject({
        status: 404,
        code: 'EXPERIMENT_NOT_FOUND',
        detail: 'There is no experiment with the id "nobody". Select another experiment',
      });
    },
  );
});

function sortKeys(): string {
  const issue = experimentsQuery.safeParse({ sortBy: '?' }).error?.issues[0]?.message ?? '';
  return issue.replace('must be one of ', '');
}

describeOnEachDatabase('experiments of unusual kinds', (database) => {
  let service: TestService;

  beforeAll(async () => {
    const db = database();
    await insertExperiment(db, 'no-runs', { created_at: '2026-11-21T12:00:00.5Z' });
    await insertExperiment(db, 'only-failed');
    await insertRun(db, 'only-failed', 'f1', { status: 'failed' });
    await insertExperiment(db, 'failed-and-stopped');
    await insertRun(db, 'failed-and-stopped', 's1', { status: 'FAILED' });
    await insertRun(db, 'failed-and-stopped', 's2', { status: 'STOPPED' });
    await insertExperiment(db, 'odd-status');
    await insertRun(db, 'odd-status', 'o1', { status: 'PAUSED' });
    await insertExperiment(db, 'rising', { problem_type: 'my-plugin' });
    for (const [index, best] of [3, 8].entries()) {
      await insertRun(db, 'rising', `up${index}`, { best_fitness: best });
      await insertIterations(db, `up${index}`, 5);
    }
    await insertExperiment(db, 'stated', { problem_type: 'my-plugin' });
    await db.kysely
      .updateTable('experiments')
      .set({ config_json: '{"problem":{"params":{"sense":" Minimize "}}}' })
      .where('experiment_id', '=', 'stated')
      .execute();
    await db.kysely
      .insertInto('experiment_params')
      .values({
        experiment_id: 'stated',
        section: 'problem',
        param_path: 'problem.sense',
        leaf_key: 'sense',
        value_type: 'string',
        value_text: ' Minimize ',
        value_number: null,
        value_boolean: null,
        value_json: null,
      })
      .execute();
    await insertRun(db, 'stated', 'x1', { best_fitness: 3 });
    await insertRun(db, 'stated', 'x2', { best_fitness: Number.POSITIVE_INFINITY });
    await insertRun(db, 'stated', 'x3', { best_fitness: 1 });
    service = await startService(db, { isInThisThread: true });
  });
  afterAll(() => service.close());

  const find = async (experimentId: string) => {
    const { items } = await service.get<Page<ExperimentItem>>('/api/experiments?size=200');
    return items.find((item) => item.experimentId === experimentId);
  };

  describe('one rule gives the status', () => {
    test.each([
      ['no-runs', 'PARTIAL'],
      ['only-failed', 'FAILED'],
      ['failed-and-stopped', 'PARTIAL'],
      ['odd-status', 'PARTIAL'],
      ['rising', 'COMPLETED'],
    ])('%s is %s', async (experimentId, status) => {
      expect((await find(experimentId))?.status).toBe(status);
      const detail = await service.get<ExperimentDetail>(`/api/experiments/${experimentId}`);
      expect(detail.status).toBe(status);
      const filtered = await service.get<Page<ExperimentItem>>(`/api/experiments?status=${status}`);
      expect(filtered.items.map((item) => item.experimentId)).toContain(experimentId);
    });
  });

  test('without runs have zero counts, and their creation is their last activity', async () => {
    expect(await find('no-runs')).toMatchObject({
      totalRuns: 0,
      runningRuns: 0,
      bestFitness: null,
      latestRunTime: '2026-11-21T12:00:00.5Z',
    });
  });

  test('have the stated direction, or that of the traces for an unknown problem', async () => {
    expect(await find('rising')).toMatchObject({ direction: 'max', bestFitness: 8 });
    expect(await find('stated')).toMatchObject({ direction: 'min', bestFitness: 1 });
    expect(await service.get('/api/experiments/rising')).toMatchObject({
      direction: 'max',
      directionSource: 'trace',
    });
    expect(await service.get('/api/experiments/stated')).toMatchObject({
      direction: 'min',
      directionSource: 'config',
    });
  });

  test('times are sorted as instants, with fractions or without, and those of runs by the latest of an experiment', async () => {
    const starts = {
      whole: ['13:00:00Z'],
      half: ['13:00:00.5Z'],
      revived: ['12:00:00Z', '14:00:00Z'],
      idle: [],
    };
    const created = { ...starts, revived: ['12:00:00Z'], idle: ['13:30:00Z'] };
    for (const [id, [time]] of Object.entries(created)) {
      await insertExperiment(database(), `at-${id}`, { created_at: `2026-11-21T${time}` });
    }
    for (const [id, times] of Object.entries(starts)) {
      for (const time of times)
        await insertRun(database(), `at-${id}`, `${id}-${time}`, {
          start_time: `2026-11-21T${time}`,
        });
    }
    const orderBy = async (sortBy: string) => {
      const path = `/api/experiments?q=at-&sortBy=${sortBy}`;
      const { items } = await service.get<Page<ExperimentItem>>(path);
      return items.map(({ experimentId }) => experimentId.replace('at-', ''));
    };
    expect(await orderBy('created_at')).toEqual(['idle', 'half', 'whole', 'revived']);
    expect(await orderBy('latest_run_time')).toEqual(['revived', 'idle', 'half', 'whole']);
  });

  test('are last in both directions if their best fitness is missing', async () => {
    for (const sortDir of ['asc', 'desc']) {
      const { items } = await service.get<Page<ExperimentItem>>(
        `/api/experiments?sortBy=best_fitness&sortDir=${sortDir}`,
      );
      const known = items.map(({ bestFitness }) => bestFitness !== null);
      expect(known.lastIndexOf(true)).toBeLessThan(known.indexOf(false));
    }
  });

  test('runs of an experiment are sorted by seed as numbers, and no page repeats one', async () => {
    const { items } = await service.get<Page<ExperimentRunItem>>(
      '/api/experiments/stated/runs?sortBy=seed&sortDir=asc&size=2',
    );
    expect(items.map(({ runId }) => runId)).toEqual(['x1', 'x2']);
    expect(items[1]?.bestFitness).toBeNull();
  });
});
