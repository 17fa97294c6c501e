import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { runSortKeys } from '#shared/schemas/run.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

type RunsPage = ResponseBody<'listRuns'>;

describeOnEachDatabase('GET /api/runs', (database) => {
  let service: TestService;

  const list = (query = '') => service.get<RunsPage>(`/api/runs?${query}`);
  const ids = async (query = '') => (await list(query)).items.map((run) => run.runId);

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    await insert(
      database(),
      'experiments',
      { experiment_id: 'e1', config_hash: 'hash-one', run_name: '100%_sure' },
      {
        experiment_id: 'e2',
        config_hash: 'hash-two',
        run_name: null,
        algorithm_type: 'CMA-ES',
        model_type: 'cma-es',
        problem_type: 'sphere',
      },
    );
    await insert(
      database(),
      'experiment_params',
      { param_path: 'algorithm.size', value_type: 'number', value_text: '20', value_number: 20 },
      { param_path: 'problem', value_type: 'json', value_json: '{"type":"Onemax-like"}' },
      { param_path: 'persistence.password', value_text: 'runner-pw-not-secret' },
      {
        param_path: 'persistence',
        value_type: 'json',
        value_json: '{"password":"runner-pw-not-secret"}',
      },
      { param_path: 'persistence.url', value_text: 'jdbc:postgresql://u:inner-pw@h/d' },
    );
    await insert(
      database(),
      'runs',
      { run_id: 'a', start_time: '2026-11-21T10:32:16Z', best_fitness: 3, runtime_millis: 30 },
      {
        run_id: 'B',
        start_time: '2026-11-21T10:32:16.271757Z',
        best_fitness: 1,
        status: 'RUNNING',
      },
      { run_id: 'c', start_time: '2026-11-21T10:32:16.5Z', best_fitness: null, status: 'STOPPED' },
      {
        run_id: 'd',
        start_time: '2026-11-21T10:32:17.000000001Z',
        best_fitness: 1,
        experiment_id: 'e2',
        seed: '7134074521766642662',
        runtime_millis: '9007199254740993',
      },
      {
        run_id: 'e_%\\',
        start_time: '2026-11-22T00:00:00Z',
        best_fitness: -2,
        experiment_id: 'e2',
      },
    );
    await insert(database(), 'coco_campaigns', {});
    await insert(database(), 'coco_trials', { run_id: 'd' });
  });

  afterAll(() => service.close());

  test('has the fields of the contract, integers beyond 2^53 as decimal strings', async () => {
    const { items } = await list('q=7134&trials=only');
    expect(items).toEqual([]);
    expect((await list('trials=only')).items).toEqual([
      {
        runId: 'd',
        experimentId: 'e2',
        runName: null,
        algorithmType: 'CMA-ES',
        modelType: 'cma-es',
        problemType: 'sphere',
        representationType: 'bitstring',
        status: 'COMPLETED',
        startTime: '2026-11-21T10:32:17.000000001Z',
        endTime: null,
        iterations: null,
        evaluations: null,
        bestFitness: 1,
        runtimeMillis: '9007199254740993',
        configHash: 'hash-two',
        seed: '7134074521766642662',
        progress: null,
        errorMessage: null,
        stopRequest: null,
        displayName: null,
        tags: [],
      },
    ]);
  });

  test('is newest first, 25 to a page, with its envelope', async () => {
    const { items, ...envelope } = await list();
    expect(envelope).toEqual({ page: 0, size: 25, total: 5, totalPages: 1 });
    expect(items.map((run) => run.runId)).toEqual(['e_%\\', 'd', 'c', 'B', 'a']);
  });

  describe('in pages', () => {
    test('repeats and skips no run in any order', async () => {
      for (const sortBy of runSortKeys) {
        for (const sortDir of ['asc', 'desc']) {
          const order = `sortBy=${sortBy}&sortDir=${sortDir}`;
          const pages = await Promise.all(
            [0, 1, 2].map((page) => ids(`${order}&size=2&page=${page}`)),
          );
          expect(pages.flat()).toEqual(await ids(order));
          expect(new Set(pages.flat()).size).toBe(5);
        }
      }
    });

    test('after the end has no items, and the same total', async () => {
      for (const page of ['1', '7', '9007199254740991']) {
        expect(await list(`page=${page}`)).toEqual({
          items: [],
          page: Number(page),
          size: 25,
          total: 5,
          totalPages: 1,
        });
      }
      expect(await list('page=3&size=2')).toMatchObject({ items: [], total: 5, totalPages: 3 });
    });

    test('has a size of at most 200, which the envelope contains', async () => {
      expect(await list('size=5000')).toMatchObject({ size: 200 });
    });

    test('of an empty list has no pages', async () => {
      const none = { items: [], total: 0, totalPages: 0 };
      expect(await list('status=NONE')).toMatchObject({ ...none, page: 0 });
      expect(await list('status=NONE&page=4')).toMatchObject({ ...none, page: 4 });
    });

    test.each([
      ['page=-1', 'page', 'page must be a whole number, at least 0'],
      ['page=1.5', 'page', 'page must be a whole number, at least 0'],
      ['page=x', 'page', 'page must be a whole number, at least 0'],
      [`page=${'9'.repeat(20)}`, 'page', 'page must be from 0 to 9007199254740991'],
      ['size=0', 'size', 'size must be a whole number, at least 1'],
      ['size=1e3', 'size', 'size must be a whole number, at least 1'],
      [
        'sortBy=config_hash',
        'sortBy',
        'sortBy must be one of start_time, best_fitness, runtime_millis, status, seed, run_name, ' +
          'algorithm_type, model_type, problem_type, iterations, evaluations, end_time, param:<path>',
      ],
      ['minBest=one', 'minBest', 'minBest must be a finite number'],
      ['maxBest=Infinity', 'maxBest', 'maxBest must be a finite number'],
      [
        'from=yesterday',
        'from',
        'from must be an ISO 8601 date or time such as 2026-11-21 or 2026-11-21T10:32:16Z',
      ],
      [
        'from=2026-11-21T10:00:00%2B02:60',
        'from',
        'from must be an ISO 8601 date or time such as 2026-11-21 or 2026-11-21T10:32:16Z',
      ],
      [
        'from=0000-01-01T00:00:00%2B05:00',
        'from',
        'from must be an ISO 8601 date or time such as 2026-11-21 or 2026-11-21T10:32:16Z',
      ],
      [
        'to=9999-12-31T23:00:00-05:00',
        'to',
        'to must be an ISO 8601 date or time such as 2026-11-21 or 2026-11-21T10:32:16Z',
      ],
      ['trials=some', 'trials', 'trials must be one of include, exclude, only'],
      ['page=1&page=2', 'page', 'page must occur only once'],
    ])('refuses %s', async (query, path, detail) => {
      const problem = await service.getProblem(`/api/runs?${query}`);
      expect(problem).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', detail });
      expect(problem.errors?.[0]?.path).toBe(path);
    });

    test('reports all faults of a request', async () => {
      const { errors } = await service.getProblem('/api/runs?page=-1&size=x&trials=some');
      expect(errors?.map((fault) => fault.path)).toEqual(['trials', 'page', 'size']);
    });

    test('ignores unknown names', async () => {
      expect(await ids('nothing=1&nothing=2&page=')).toHaveLength(5);
    });
  });

  describe('in order', () => {
    test('has runs without a best fitness last in both directions, and ties by run id', async () => {
      expect(await ids('sortBy=best_fitness&sortDir=ASC')).toEqual(['e_%\\', 'B', 'd', 'a', 'c']);
      expect(await ids('sortBy=BEST_FITNESS')).toEqual(['a', 'd', 'B', 'e_%\\', 'c']);
      expect(await ids('sortBy=best_fitness&sortDir=downwards')).toEqual([
        'a',
        'd',
        'B',
        'e_%\\',
        'c',
      ]);
      expect(await ids('sortBy=runtime_millis&sortDir=asc')).toEqual(['a', 'd', 'B', 'c', 'e_%\\']);
    });

    test('of texts is by code point, capitals first', async () => {
      expect(await ids('sortBy=status&sortDir=asc')).toEqual(['a', 'd', 'e_%\\', 'B', 'c']);
    });
  });

  describe('filtered', () => {
    test('by whole values ignores case and surrounding spaces, and empty values do not filter', async () => {
      expect(await ids('algorithm=cma-es')).toEqual(['e_%\\', 'd']);
      expect(await ids('algorithm=%20CMA-es%20&status=completed')).toEqual(['e_%\\', 'd']);
      expect(await ids('algorithm=cma')).toEqual([]);
      expect(await ids('model=cma-es&problem=SPHERE')).toEqual(['e_%\\', 'd']);
      expect(await ids('status=running')).toEqual(['B']);
      expect(await ids('status=%20')).toHaveLength(5);
    });

    test('by start time includes all times that the end is a prefix of', async () => {
      expect(await ids('from=2026-11-21T10:32:16Z&to=2026-11-21T10:32:16Z')).toEqual([
        'c',
        'B',
        'a',
      ]);
      expect(await ids('from=2026-11-21T10:32:16.2Z&to=2026-11-21T10:32:16.27Z')).toEqual(['B']);
      expect(await ids('from=2026-11-21T10:32:16.271757Z&to=2026-11-21T10:32:16.271757Z')).toEqual([
        'B',
      ]);
      expect(await ids('from=2026-11-21T10:32:16.271757001Z&to=2026-11-21T10:32:16.5Z')).toEqual([
        'c',
      ]);
      expect(await ids('to=2026-11-21')).toEqual(['d', 'c', 'B', 'a']);
      expect(await ids('from=2026-11-22')).toEqual(['e_%\\']);
      expect(await ids('from=2026-11-21T11:32:17%2B01:00&to=2026-11-21T10:32:17')).toEqual(['d']);
    });

    test('by best fitness includes the bounds, and omits runs without one', async () => {
      expect(await ids('minBest=1&maxBest=3')).toEqual(['d', 'B', 'a']);
      expect(await ids('maxBest=-2')).toEqual(['e_%\\']);
      expect(await ids('minBest=-1e300')).toHaveLength(4);
    });

    test('by trials of a campaign', async () => {
      expect(await ids('trials=exclude')).toEqual(['e_%\\', 'c', 'B', 'a']);
      expect(await ids('trials=only')).toEqual(['d']);
      expect(await ids('trials=include')).toHaveLength(5);
    });
  });

  describe('searched', () => {
    test.each([
      ['e_', ['e_%\\']],
      ['%', ['e_%\\', 'c', 'B', 'a']],
      ['\\', ['e_%\\']],
      ['100%_S', ['c', 'B', 'a']],
      ['CMA', ['e_%\\', 'd']],
      ['hash-TWO', ['e_%\\', 'd']],
      ['sph', ['e_%\\', 'd']],
      ['algorithm.SIZE', ['c', 'B', 'a']],
      ['20', ['c', 'B', 'a']],
      ['onemax-LIKE', ['c', 'B', 'a']],
      ['100%%', []],
      ['hash_one', []],
    ])('for %s finds it literally, without regard to case', async (q, expected) => {
      expect(await ids(`q=${encodeURIComponent(q)}`)).toEqual(expected);
    });

    test.each(['runner-pw', 'pw-not', 'inner-pw', 'u:inner'])(
      'for a part of a secret (%s) finds nothing',
      async (q) => {
        expect(await ids(`q=${encodeURIComponent(q)}`)).toEqual([]);
      },
    );

    test('accepts 200 characters and refuses more', async () => {
      expect(await ids(`q=${'x'.repeat(200)}`)).toEqual([]);
      const problem = await service.getProblem(`/api/runs?q=${'x'.repeat(201)}`);
      expect(problem).toMatchObject({ status: 400, detail: 'q must have at most 200 characters' });
    });

    test('counts the matches of all pages', async () => {
      expect(await list('q=cma&size=1')).toMatchObject({ total: 2, totalPages: 2 });
      expect(await list('q=cma&size=1&page=1')).toMatchObject({ total: 2, totalPages: 2 });
    });
  });

  test('adds the requested parameters, with masked secrets, and null for missing ones', async () => {
    const { items } = await list(
      'params=algorithm.size,persistence.password,%20nothing%20,problem',
    );
    const params = Object.fromEntries(items.map((run) => [run.runId, run.params]));
    expect(params['a']).toEqual({
      'algorithm.size': '20',
      'persistence.password': '***',
      nothing: null,
      problem: '{"type":"Onemax-like"}',
    });
    expect(params['d']).toMatchObject({ 'algorithm.size': null, nothing: null });
    expect((await list()).items[0]).not.toHaveProperty('params');
    const paramsOf = async (query: string) =>
      (await list(query)).items.find(({ runId }) => runId === 'a')?.params;
    expect(await paramsOf('params=rates,%20all&params=%20problem')).toEqual({
      'rates, all': null,
      problem: '{"type":"Onemax-like"}',
    });
    expect(await paramsOf('params=a,b&params=a,b')).toEqual({ 'a,b': null });
    const many = Array.from({ length: 21 }, (_, index) => `p${index}`).join(',');
    expect(await service.getProblem(`/api/runs?params=${many}`)).toMatchObject({
      detail: 'params must name at most 20 parameters',
    });
  });
});

describeOnEachDatabase(
  'Runs that started in the same second, some of them in its first nanosecond,',
  (database) => {
    const seconds = ['16', '16.5', '16.25', '17', '16', '16.000000001', '15.9', '18.1', '18'];

    test('are in the order of their instants on pages of any size', async () => {
      await insert(database(), 'experiments', {});
      const rows = seconds.map((second, index) => ({
        run_id: `r${index}`,
        start_time: `2026-11-21T10:32:${second}Z`,
      }));
      await insert(database(), 'runs', ...rows);
      const service = await startService(database(), { isInThisThread: true });
      const expected = rows.toSorted((a, b) => {
        const [one, other] = [a, b].map(({ start_time }) => Number(start_time.slice(17, -1)));
        return (one ?? 0) - (other ?? 0) || (a.run_id < b.run_id ? -1 : 1);
      });
      for (const sortDir of ['asc', 'desc']) {
        for (const size of [1, 2, 3, 4, 50]) {
          const ids: string[] = [];
          for (let page = 0; page * size < rows.length; page += 1) {
            const query = `sortDir=${sortDir}&size=${size}&page=${page}`;
            const { items } = await service.get<RunsPage>(`/api/runs?${query}`);
            ids.push(...items.map(({ runId }) => runId));
          }
          const wanted = sortDir === 'asc' ? expected : expected.toReversed();
          expect(ids, `${sortDir} by ${size}`).toEqual(wanted.map(({ run_id }) => run_id));
        }
      }
      const { items } = await service.get<ResponseBody<'listExperiments'>>('/api/experiments');
      expect(items[0]?.latestRunTime).toBe('2026-11-21T10:32:18.1Z');
      await service.close();
    });
  },
);
