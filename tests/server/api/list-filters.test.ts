import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { paramOperators, parseParamFilter, type ParamFilter } from '#shared/syntax.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** What the experiments of the property have at each path: number, text, or nothing. */
const paths = ['algorithm.size', 'algorithm.mode', 'problem.type', 'model.type', 'store.token'];
const values = [20, 50, 50.5, -1, '50', 'On', 'on_e', '%', 'umda'] as const;

interface Experiment {
  id: string;
  params: Map<string, number | string>;
  statuses: string[];
  algorithm: string;
}

/** Rows whose numbers and texts collide on purpose; the same on every run. */
const experiments: Experiment[] = Array.from({ length: 24 }, (_, index) => ({
  id: `e${String(index).padStart(2, '0')}`,
  algorithm: ['umda', 'PBIL', 'cGA'][index % 3] ?? '',
  statuses: ['COMPLETED', index % 4 ? 'FAILED' : 'RUNNING', 'completed'].slice(index % 3),
  params: new Map(
    paths.flatMap((path, place) => {
      const value = values[(index * 7 + place * 5) % (values.length + 3)];
      return value === undefined ? [] : [[path, value] as const];
    }),
  ),
}));

/** The filter in plain JavaScript. */
function holds({ path, operator, values: wanted }: ParamFilter, { params }: Experiment): boolean {
  const value = params.get(path);
  if (value === undefined || path === 'store.token') return false;
  const text = String(value).toLowerCase();
  const isEqual = wanted.some((one) =>
    typeof value === 'number' && one.number !== null
      ? value === one.number
      : text === one.text.toLowerCase(),
  );
  const number = typeof value === 'number' ? value : NaN;
  const limit = wanted[0]?.number ?? NaN;
  const outcomes = {
    '=': isEqual,
    '!=': !isEqual,
    '~': text.includes(wanted[0]?.text.toLowerCase() ?? ''),
    '<': number < limit,
    '<=': number <= limit,
    '>': number > limit,
    '>=': number >= limit,
  };
  return outcomes[operator];
}

const literal = fc.constantFrom(...values.map(String), '0', '5e1', '50.0', 'ON', '_', '"50"');
const condition = fc
  .tuple(fc.constantFrom(...paths), fc.constantFrom(...paramOperators), literal, literal)
  .map(([path, operator, one, other]) => {
    const isList = (operator === '=' || operator === '!=') && one !== other && !one.includes('"');
    const list = JSON.stringify([Number.isNaN(Number(one)) ? one : Number(one), other]);
    return `${path} ${operator} ${isList ? list : one}`;
  })
  .filter((text) => typeof parseParamFilter(text) !== 'string');

describeOnEachDatabase('Lists with filters', (database) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    for (const { id, algorithm, params, statuses } of experiments) {
      await insert(database(), 'experiments', {
        experiment_id: id,
        config_hash: id,
        algorithm_type: algorithm,
      });
      const rows = [...params].map(([path, value]) => ({
        experiment_id: id,
        section: path.split('.')[0],
        param_path: path,
        leaf_key: path.split('.').at(-1),
        value_type: typeof value,
        value_text: String(value),
        value_number: typeof value === 'number' ? value : null,
      }));
      await insert(database(), 'experiment_params', ...rows);
      await insert(
        database(),
        'runs',
        ...statuses.map((status, index) => ({
          run_id: `${id}-${index}`,
          experiment_id: id,
          status,
        })),
      );
    }
  });

  afterAll(() => service.close());

  const runIds = async (query: string) =>
    (await service.get<ResponseBody<'listRuns'>>(`/api/runs?size=200&${query}`)).items
      .map(({ runId }) => runId)
      .sort();
  const experimentIds = async (query: string) =>
    (await service.get<ResponseBody<'listExperiments'>>(`/api/experiments?size=200&${query}`)).items
      .map(({ experimentId }) => experimentId)
      .sort();

  test('return the same rows as a filter in TypeScript', async () => {
    const query = fc.record({
      params: fc.array(condition, { maxLength: 2 }),
      status: fc.subarray(['COMPLETED', 'Running', 'FAILED', 'none']),
      algorithm: fc.subarray(['umda', 'pbil', ' CGA ']),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ params, status, algorithm }) => {
        const filters = params.map((text) => parseParamFilter(text) as ParamFilter);
        const isOf = (wanted: string[], value: string) =>
          wanted.length === 0 ||
          wanted.some((one) => one.trim().toLowerCase() === value.toLowerCase());
        const matching = experiments.filter(
          (one) => filters.every((filter) => holds(filter, one)) && isOf(algorithm, one.algorithm),
        );
        const ofExperiments = new URLSearchParams([
          ...params.map((text) => ['param', text]),
          ...algorithm.map((text) => ['algorithm', text]),
        ]);
        const ofRuns = new URLSearchParams([
          ...ofExperiments,
          ...status.map((text) => ['status', text]),
        ]);
        expect(await experimentIds(ofExperiments.toString())).toEqual(matching.map(({ id }) => id));
        expect(await runIds(ofRuns.toString())).toEqual(
          matching.flatMap(({ id, statuses }) =>
            statuses.flatMap((value, index) => (isOf(status, value) ? [`${id}-${index}`] : [])),
          ),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('accept the last key of a path if it is unique, and otherwise report the possible paths', async () => {
    expect(await experimentIds('param=size%20%3D%2050')).toEqual(
      await experimentIds('param=algorithm.size%20%3D%2050'),
    );
    for (const [list, field] of [
      ['/api/runs?param=type%20~%20a', 'param'],
      ['/api/experiments?sortBy=param:type', 'sortBy'],
    ]) {
      expect(await service.getProblem(list ?? '')).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
        detail: `${field} names several parameters by "type": give one of model.type, problem.type`,
      });
    }
    const only = experiments.find(
      ({ params }) => params.has('model.type') && !params.has('problem.type'),
    );
    expect(await runIds(`q=${only?.id}-&param=type%20!%3D%20zzz`)).toEqual(
      await runIds(`q=${only?.id}-`),
    );
    expect(await runIds('param=nothing%20!%3D%20x')).toEqual([]);
  });

  test('find nothing by a masked parameter with any operator', async () => {
    for (const comparison of ['= umda', '!= zzz', '~ u', '> -100', '= 50']) {
      const param = encodeURIComponent(`store.token ${comparison}`);
      expect(await runIds(`param=${param}`), comparison).toEqual([]);
    }
  });

  test.each(['asc', 'desc'])('order by a parameter (%s): numbers, texts, none', async (sortDir) => {
    const sign = sortDir === 'asc' ? 1 : -1;
    const rank = (value: number | string | undefined) =>
      value === undefined ? 2 : typeof value === 'string' ? 1 : 0;
    const expected = experiments.toSorted((one, other) => {
      const [a, b] = [one.params.get('algorithm.size'), other.params.get('algorithm.size')];
      if (rank(a) !== rank(b)) return rank(a) - rank(b);
      if (a !== undefined && b !== undefined && a !== b) return a < b ? -sign : sign;
      return one.id < other.id ? -sign : sign;
    });
    const pages = await Promise.all(
      [0, 1, 2].map((page) =>
        service.get<ResponseBody<'listExperiments'>>(
          `/api/experiments?sortBy=param:algorithm.size&sortDir=${sortDir}&size=10&page=${page}`,
        ),
      ),
    );
    const ids = pages.flatMap(({ items }) => items.map(({ experimentId }) => experimentId));
    expect(ids).toEqual(expected.map(({ id }) => id));
  });

  test.each([
    ['populationSize', 'param has no operator (= != < <= > >= ~) in "populationSize"'],
    ['a > b', 'param needs a finite number after >, not "b"'],
    ['x'.repeat(1001), 'param must have at most 1000 characters'],
  ])('refuse the filter %s and say what is wrong', async (text, detail) => {
    for (const list of ['runs', 'experiments']) {
      const problem = await service.getProblem(`/api/${list}?param=${encodeURIComponent(text)}`);
      expect(problem).toMatchObject({ status: 400, detail, errors: [{ path: 'param' }] });
    }
  });

  test('refuse more than 100 values', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `status=s${index}`).join('&');
    expect(await service.getProblem(`/api/runs?${many}`)).toMatchObject({
      detail: 'status must have at most 100 values',
    });
  });
});
