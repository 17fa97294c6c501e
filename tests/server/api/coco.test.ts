import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase, openTestDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

type Campaigns = ResponseBody<'listCampaigns'>;
type Trials = ResponseBody<'listTrials'>;

const real = '/api/coco/campaigns/bbob-small';

describeOnEachDatabase('COCO campaigns', (database) => {
  let service: TestService;

  beforeAll(async () => {
    await loadSample(database());
    await insertBroken();
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  const ids = async (query: string) => {
    const page = await service.get<Campaigns>(`/api/coco/campaigns?${query}`);
    return page.items.map(({ campaignId }) => campaignId);
  };
  const trials = (query: string, path = real) => service.get<Trials>(`${path}/trials?${query}`);

  test('of the runner are listed with the numbers of their trials', async () => {
    const page = await service.get<Campaigns>('/api/coco/campaigns?q=f8');
    expect(page).toEqual({
      items: [
        {
          campaignId: 'bbob-small',
          name: 'BBOB f1 f8, d2 d3',
          suite: 'bbob',
          status: 'COMPLETED',
          createdAt: '2026-11-21T10:55:31.618053267Z',
          startedAt: '2026-11-21T10:55:31.618053267Z',
          finishedAt: '2026-11-21T10:55:37.558544661Z',
          trials: 48,
          expectedTrials: 48,
          reachedTargets: 21,
          optimizerCount: 2,
        },
      ],
      page: 0,
      size: 25,
      total: 1,
      totalPages: 1,
    });
  });

  test('are found by id, name and notes, status and suite, without regard to case', async () => {
    expect(await ids('q=BROKEN')).toEqual(['broken']);
    expect(await ids('q=by%20HAND')).toEqual(['empty']);
    expect(await ids('q=by%25hand')).toEqual([]);
    expect(await ids('status=completed_with_errors')).toEqual(['broken']);
    expect(await ids('status=completed&status=running&sortBy=NAME&sortDir=asc')).toEqual([
      'empty',
      'bbob-small',
    ]);
    expect(await ids('suite=BBOB-noisy')).toEqual(['broken']);
    expect(await ids('status=FAILED')).toEqual([]);
  });

  test('are sorted with missing times last in both directions, and paged', async () => {
    expect(await ids('sortBy=finished_at')).toEqual(['bbob-small', 'broken', 'empty']);
    expect(await ids('sortBy=finished_at&sortDir=asc')).toEqual(['broken', 'bbob-small', 'empty']);
    expect(await ids('sortBy=started_at&sortDir=asc&size=1&page=1')).toEqual(['bbob-small']);
    expect(await ids('')).toEqual(['bbob-small', 'empty', 'broken']);
    expect(await ids('page=9')).toEqual([]);
    const { detail } = await service.getProblem('/api/coco/campaigns?sortBy=suite');
    expect(detail).toBe('sortBy must be one of created_at, started_at, finished_at, status, name');
  });

  test('hide secrets in their notes and optimizers, which no search reveals', async () => {
    const campaign = await service.get<ResponseBody<'getCampaign'>>('/api/coco/campaigns/broken');
    expect(campaign.notes).toContain('half of the trials');
    expect(campaign.notes).not.toContain('s3cr3t');
    expect(await ids('q=s3cr3t')).toEqual([]);
    const optimizers = await service.get<ResponseBody<'listOptimizers'>>(`${real}/optimizers`);
    expect(optimizers.map(({ optimizerId }) => optimizerId)).toEqual(['gaussian', 'cma-es']);
    expect(JSON.stringify(optimizers)).toContain('populationSize: 20');
    expect(JSON.stringify(optimizers)).not.toContain('runner-pw');
  });

  test('state their completeness, with failed trials separately', async () => {
    const { completeness, ...campaign } = await service.get<ResponseBody<'getCampaign'>>(
      '/api/coco/campaigns/broken',
    );
    expect(campaign).toMatchObject({
      status: 'COMPLETED_WITH_ERRORS',
      dimensionsJson: '[2,5]',
      functionsJson: '[1,2]',
      instancesJson: '[1,2]',
      trials: 4,
      expectedTrials: 32,
      reachedTargets: 1,
    });
    const whole = { expected: 8, failed: 0, reachedTargets: 0 };
    expect(completeness).toEqual([
      { ...whole, optimizerId: 'a', dimension: 2, present: 3, failed: 1, reachedTargets: 1 },
      { ...whole, optimizerId: 'a', dimension: 5, present: 0 },
      { ...whole, optimizerId: 'a', dimension: 40, expected: 0, present: 1, failed: 1 },
      { ...whole, optimizerId: 'b', dimension: 2, present: 0 },
      { ...whole, optimizerId: 'b', dimension: 5, present: 0 },
    ]);
    const grid = await service.get<ResponseBody<'getCompleteness'>>(
      '/api/coco/campaigns/broken/completeness',
    );
    expect(grid).toMatchObject({
      campaignId: 'broken',
      optimizers: ['a', 'b'],
      dimensions: [2, 5, 40],
      functions: [1, 2],
      instances: [1, 2],
      repetitions: 2,
    });
    expect(grid.cells).toHaveLength(9);
    expect(grid.cells[0]).toEqual({
      optimizerId: 'a',
      label: 'a',
      dimension: 2,
      functionId: 1,
      expected: 4,
      present: 2,
      failed: 1,
      reachedTargets: 1,
    });
    const whatTheRunnerDid = await service.get<ResponseBody<'getCompleteness'>>(
      `${real}/completeness`,
    );
    expect(whatTheRunnerDid.cells.map(({ expected, present }) => expected - present)).toEqual(
      Array(8).fill(0),
    );
  });

  test('with an unreadable plan expect no trials, and count the existing ones', async () => {
    const { completeness } = await service.get<ResponseBody<'getCampaign'>>(
      '/api/coco/campaigns/empty',
    );
    expect(completeness).toEqual([
      {
        optimizerId: 'o1',
        dimension: 3,
        expected: 0,
        present: 1,
        failed: 0,
        reachedTargets: 0,
      },
    ]);
  });

  test('have aggregates as the runner stored them, its ERT under two names', async () => {
    const aggregates = await service.get<ResponseBody<'listAggregates'>>(`${real}/aggregates`);
    expect(aggregates).toHaveLength(4);
    expect(aggregates[0]).toEqual({
      id: 1,
      campaignId: 'bbob-small',
      optimizerId: 'cma-es',
      label: 'cma-es',
      dimension: 2,
      targetValue: 0.01,
      meanEvaluationsToTarget: 86.85714285714286,
      successRate: 0.5833333333333334,
      medianBestFitness: 0.0057883819510883856,
      comparedReferenceOptimizer: 'best-online',
      referenceErt: 200,
      svcErt: 172.57142857142858,
      edafErt: 172.57142857142858,
      ertRatio: 0.8628571428571429,
      createdAt: '2026-11-21T10:55:37.499009072Z',
    });
  });

  test('have trials, newest first, each of a run that opens', async () => {
    const page = await trials('size=2');
    expect(page).toMatchObject({ total: 48, size: 2, totalPages: 24 });
    expect(page.items.map(({ id }) => id)).toEqual([48, 47]);
    const { items } = await trials('sortDir=asc&size=200');
    expect(items[0]).toEqual({
      id: 1,
      campaignId: 'bbob-small',
      optimizerId: 'gaussian',
      label: 'gaussian',
      runId: 'bbob-small-gaussian-f1-d2-i1-r1',
      functionId: 1,
      instanceId: 1,
      dimension: 2,
      repetition: 1,
      budgetEvaluations: 120,
      evaluations: 140,
      bestFitness: 0.001605479209006143,
      runtimeMillis: 112,
      status: 'COMPLETED',
      reachedTarget: true,
      evaluationsToTarget: 100,
      targetValue: 0.01,
      createdAt: '2026-11-21T10:55:32.129732269Z',
    });
    for (const { runId, bestFitness } of items) {
      const run = await service.get<ResponseBody<'getRun'>>(
        `/api/runs/${encodeURIComponent(runId)}`,
      );
      expect(run.bestFitness).toBe(bestFitness);
    }
  });

  test('have trials that are filtered by all of their fields', async () => {
    const all = (await trials('size=200')).items;
    const filters: [query: string, holds: (trial: Trials['items'][number]) => boolean][] = [
      ['optimizer=CMA-ES', ({ optimizerId }) => optimizerId === 'cma-es'],
      ['functionId=8', ({ functionId }) => functionId === 8],
      ['functionId=8&functionId=1&dimension=3', ({ dimension }) => dimension === 3],
      ['reachedTarget=true', ({ reachedTarget }) => reachedTarget],
      ['reachedTarget=False&dimension=2', (one) => !one.reachedTarget && one.dimension === 2],
      ['functionId=9', () => false],
    ];
    for (const [query, holds] of filters) {
      const { items, total } = await trials(`${query}&size=200`);
      expect(items, query).toEqual(all.filter(holds));
      expect(total, query).toBe(items.length);
    }
    for (const query of ['functionId=x', 'dimension=2.5', 'reachedTarget=1', 'sortBy=run_id']) {
      expect(await service.getProblem(`${real}/trials?${query}`)).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
      });
    }
  });

  test('have trials that can be sorted by every column, those without a value last', async () => {
    const keys = {
      function_id: 'functionId',
      dimension: 'dimension',
      evaluations: 'evaluations',
      best_fitness: 'bestFitness',
      evals_to_target: 'evaluationsToTarget',
    } as const;
    for (const [sortBy, key] of Object.entries(keys)) {
      for (const [sortDir, sign] of [['asc', 1] as const, ['desc', -1] as const]) {
        const { items } = await trials(`sortBy=${sortBy}&sortDir=${sortDir}&size=200`);
        const rank = (value: unknown) => (value === null ? Infinity : sign * Number(value));
        const sorted = items.toSorted(
          (a, b) => rank(a[key]) - rank(b[key]) || 0 || sign * (Number(a.id) - Number(b.id)),
        );
        expect(items.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
      }
    }
  });

  test('that are unknown are 404 at every address', async () => {
    for (const part of ['', '/optimizers', '/aggregates', '/trials', '/completeness']) {
      expect(await service.getProblem(`/api/coco/campaigns/no%2Fbody${part}`)).toMatchObject({
        status: 404,
        code: 'CAMPAIGN_NOT_FOUND',
        detail: 'There is no campaign with the id "no/body". Select another campaign',
      });
    }
    expect(await service.get('/api/coco/campaigns/broken/aggregates')).toEqual([]);
    expect(await trials('optimizer=none')).toMatchObject({ items: [], total: 0 });
  });

  /** A campaign that ended with errors, and one with an unreadable plan. */
  async function insertBroken(): Promise<void> {
    await insert(
      database(),
      'coco_campaigns',
      {
        campaign_id: 'broken',
        name: 'Zebra',
        suite: 'bbob-noisy',
        status: 'COMPLETED_WITH_ERRORS',
        dimensions_json: '[2,5]',
        functions_json: '[1,2]',
        instances_json: '[1,2]',
        created_at: '2026-11-20T10:00:00Z',
        started_at: '2026-11-20T10:00:00Z',
        finished_at: '2026-11-20T11:00:00.5Z',
        notes: 'failed: half of the trials, jdbc:postgresql://me:s3cr3t@host/db',
      },
      {
        campaign_id: 'empty',
        name: 'A',
        status: 'RUNNING',
        dimensions_json: 'all',
        functions_json: '{}',
        instances_json: '["x", 1.5]',
        notes: 'planned by hand',
        created_at: '2026-11-20T10:00:00.1Z',
      },
    );
    const optimizers = ['a', 'b'].map((id) => ({ campaign_id: 'broken', optimizer_id: id }));
    await insert(database(), 'coco_optimizer_configs', ...optimizers);
    const failed = { status: 'FAILED' };
    const trial = { campaign_id: 'broken', optimizer_id: 'a' };
    await insert(
      database(),
      'coco_trials',
      { ...trial, run_id: 'x1', reached_target: 1, evals_to_target: 60, evaluations: 100 },
      { ...trial, run_id: 'x2', instance_id: 2, repetition: 2, ...failed },
      { ...trial, run_id: 'x3', function_id: 2, evaluations: 100 },
      { ...trial, run_id: 'x4', dimension: 40, ...failed },
      { campaign_id: 'empty', run_id: 'y', dimension: 3 },
    );
  }
});

test('On SQLite a repetition that is text or a fraction does not count', async () => {
  const database = await openTestDatabase(':memory:');
  await insert(database, 'coco_campaigns', {});
  await insert(database, 'coco_optimizer_configs', {});
  const trials = [{ repetition: 3 }, { repetition: 'x' }, { repetition: 3.5 }];
  await insert(database, 'coco_trials', ...trials.map((trial) => ({ run_id: 'r1', ...trial })));
  const service = await startService(database);
  const read = async (path: string) =>
    (await fetch(`${service.url}/api/coco/campaigns${path}`)).json();
  expect(await read('')).toMatchObject({ items: [{ trials: 3, expectedTrials: 3 }] });
  expect(await read('/c1/completeness')).toMatchObject({ repetitions: 3 });
  await service.close();
  await database.close();
});
