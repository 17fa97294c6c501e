import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints, type ResponseBody, type Endpoint } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

type Records = Record<string, string>[];

describeOnEachDatabase('Analyses as CSV', (database) => {
  let service: TestService;
  let experimentId: string;

  beforeAll(async () => {
    await loadSample(database());
    service = await startService(database(), { isInThisThread: true });
    const { items } = await service.get<ResponseBody<'listExperiments'>>(
      '/api/experiments?q=onemax40',
    );
    experimentId = items[0]?.experimentId ?? '';
  });

  afterAll(() => service.close());

  async function csv(path: string): Promise<{ records: Records; text: string }> {
    const answer = await sendRawRequest(service, path, { headers: { accept: 'text/csv' } });
    const text = answer.body.toString();
    if (answer.status !== 200) throw new Error(`${path}: ${text}`);
    return { text, records: parse(text, { columns: true, record_delimiter: '\r\n' }) };
  }

  test('groups have the numbers of the JSON, intervals in columns of their own, and Inf for ∞', async () => {
    const path = '/api/analysis/problem/onemax';
    const { algorithms } = await service.get<ResponseBody<'compareProblem'>>(`${path}?target=41`);
    const { records } = await csv(`${path}?target=41`);
    expect(
      records.map((row) => [row['algorithm'], row['ert'], row['sp1'], row['successRate']]),
    ).toEqual(algorithms.map(({ algorithm }) => [algorithm, 'Inf', 'Inf', '0']));
    const atCommonBudget = { 'atCommonBudget.ert': 'Inf', 'atCommonBudget.sp1': 'Inf' };
    expect(records).toMatchObject(algorithms.map(() => atCommonBudget));
    const withoutTarget = await csv('/api/analysis/problem/coco-bbob');
    expect(withoutTarget.records[0]).toMatchObject({
      'atCommonBudget.solved': '0',
      'atCommonBudget.ert': '',
      'atCommonBudget.sp1': '',
    });
    const reached = await service.get<ResponseBody<'compareProblem'>>(path);
    const rows = (await csv(`${path}?table=groups`)).records;
    for (const [index, group] of reached.algorithms.entries()) {
      expect(rows[index]).toMatchObject({
        ert: String(group.ert),
        'ertInterval.lower': String(group.ertInterval?.lower),
        'ertMoverInterval.upper': String(group.ertMoverInterval?.upper),
        'successRateCi.upper': String(group.successRateCi?.upper),
        'box.median': String(group.box.median),
        experimentIds: JSON.stringify(group.experimentIds),
      });
    }
  });

  test('pairs of all measures are rows, with the measure in a column', async () => {
    const path = '/api/analysis/problem/onemax';
    const { pairwise } = await service.get<ResponseBody<'compareProblem'>>(path);
    const { records } = await csv(`${path}?table=pairs`);
    const expected = Object.entries(pairwise).flatMap(([measure, pairs]) =>
      (pairs ?? []).map(({ a, b, pValue }) => [measure, a, b, String(pValue ?? '')]),
    );
    expect(records.map((row) => [row['measure'], row['a'], row['b'], row['pValue']])).toEqual(
      expected,
    );
    expect(expected.length).toBeGreaterThan(3);
  });

  test('curves have the name of their group in each row', async () => {
    const path = '/api/analysis/problem/onemax';
    const { convergence } = await service.get<ResponseBody<'compareProblem'>>(path);
    const { records } = await csv(`${path}?table=convergence`);
    expect(records.map((row) => [row['name'], Number(row['x']), Number(row['mean'])])).toEqual(
      convergence.flatMap(({ name, points }) => points.map(({ x, mean }) => [name, x, mean])),
    );
  });

  test('contain the values of an experiment as one row, and its curves and its comparison as further tables', async () => {
    const path = `/api/experiments/${experimentId}/analysis`;
    const analysis = await service.get<ResponseBody<'analyseExperiment'>>(path);
    const { records } = await csv(path);
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ experimentId, totalRuns: String(analysis.totalRuns) });
    expect(
      (await csv(`${path}?table=best-fitness`)).records.map(({ value }) => Number(value)),
    ).toEqual(analysis.bestFitnessValues);
    expect((await csv(`${path}?table=groups`)).records).toHaveLength(
      analysis.sameProblem!.algorithms.length,
    );
    expect((await csv(`${path}?table=groups&sameProblem=false`)).records).toEqual([]);
  });

  test('contain no ERT for runs that succeeded after an unknown number of evaluations, or without runs', async () => {
    const config_json = '{"problem":{"type":"sphere"},"stopping":{"targetFitness":0.1}}';
    const columns = { problem_type: 'unknown-ert', config_json };
    for (const id of ['unknown', 'unsolved', 'empty'])
      await insertExperiment(database(), id, columns);
    await insertRun(database(), 'unknown', 'unknown-r1', { best_fitness: 0 });
    await insertRun(database(), 'unsolved', 'unsolved-r1', { best_fitness: 9, evaluations: 10 });
    const erts = async (path: string) =>
      Object.fromEntries(
        (await csv(path)).records.map((row) => [
          row['experimentId'] ?? row['algorithm'],
          row['ert'],
        ]),
      );
    const expected = { unknown: '', unsolved: 'Inf' };
    expect(await erts('/api/analysis/problem/unknown-ert?groupBy=experiment')).toEqual(expected);
    const list = '/api/experiments?problem=unknown-ert&figures=true';
    expect(await erts(list)).toEqual({ ...expected, empty: '' });
  });

  test('contain no ERT, SP1 and ratio for an optimizer whose trials all failed', async () => {
    await insert(database(), 'coco_campaigns', { campaign_id: 'failures', suite: 'failing' });
    const trial = { campaign_id: 'failures', target_value: 0.01, evaluations: 100 };
    await insert(
      database(),
      'coco_trials',
      { ...trial, run_id: 'f1', status: 'FAILED' },
      { ...trial, run_id: 'f2', function_id: 2 },
    );
    const reference = { suite: 'failing', target_value: 0.01, ert: 30 };
    await insert(
      database(),
      'coco_reference_results',
      { ...reference },
      { ...reference, function_id: 2 },
    );
    const { records } = await csv('/api/coco/campaigns/failures/erts');
    expect(records.map(({ trials, ert, sp1, ratio }) => [trials, ert, sp1, ratio])).toEqual([
      ['0', '', '', ''],
      ['1', 'Inf', 'Inf', 'Inf'],
    ]);
  });

  describe('every table', () => {
    const paths = () => ({
      analyseExperiment: `/api/experiments/${experimentId}/analysis`,
      listExperimentTraces: `/api/experiments/${experimentId}/traces`,
      compareProblem: '/api/analysis/problem/onemax',
      describeParameters: '/api/analysis/parameters',
      compareAcross: '/api/analysis/across',
      overlayRuns: '/api/analysis/runs?run=xor3-umda-r01&run=ckpt-umda',
      getCompleteness: '/api/coco/campaigns/bbob-small/completeness',
      listErts: '/api/coco/campaigns/bbob-small/erts',
      getEcdf: '/api/coco/campaigns/bbob-small/ecdf',
      listAggregates: '/api/coco/campaigns/bbob-small/aggregates',
      listOptimizers: '/api/coco/campaigns/bbob-small/optimizers',
      listTrials: '/api/coco/campaigns/bbob-small/trials',
      listCampaigns: '/api/coco/campaigns',
      listProblems: '/api/analysis/problems',
      listParamPaths: '/api/param-paths',
    });

    test('has headings, and as many fields in each row', async () => {
      let tables = 0;
      for (const [name, path] of Object.entries(paths())) {
        const endpoint: Endpoint = endpoints[name as keyof typeof endpoints];
        for (const table of Object.keys(endpoint.csv ?? {})) {
          const { text } = await csv(`${path}${path.includes('?') ? '&' : '?'}table=${table}`);
          const lines: string[][] = parse(text, { record_delimiter: '\r\n' });
          expect(
            lines[0]?.every((heading) => /^[a-zA-Z]/.test(heading)),
            `${name} ${table}`,
          ).toBe(true);
          expect(new Set(lines[0]).size, `${name} ${table}`).toBe(lines[0]?.length);
          tables += 1;
        }
      }
      expect(tables).toBeGreaterThan(50);
    });
  });
});
