import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

type Insights = ResponseBody<'getInsights'>;
type Values = Record<string, number>;

interface Diagnostics {
  modelDiagnostics: Values;
  latentTelemetry: { representationFamily: string; insights: Record<string, unknown> };
  adaptiveActions: { trigger: string; actionType: string; reason: string }[];
}

/** Expected response of a run, from its rows alone. */
interface StoredRow {
  iteration: number;
  metrics: Values;
  diagnostics: Diagnostics;
}

/** They read and write thousands of rows. */
const patient = { timeout: 120_000 };

const mapKeys = {
  binary: ['entropyPerBit', 'probabilities'],
  permutation: ['positionEntropyPerItem'],
  real: ['sigmaVector', 'meanVector'],
  unknown: [],
};

describeOnEachDatabase('GET /api/runs/{runId}/insights', (database) => {
  let service: TestService;

  const get = (runId: string, query = '') =>
    service.get<Insights>(`/api/runs/${encodeURIComponent(runId)}/insights${query}`);
  const codes = async (runId: string) => (await get(runId)).diagnosis.map(({ code }) => code);

  beforeAll(async () => {
    await loadSample(database());
    service = await startService(database(), { isInThisThread: true });
  });

  afterAll(() => service.close());

  test('has the numbers of every row of every run of the runner', patient, async () => {
    const runs = await storedRuns();
    expect(runs.size).toBeGreaterThan(20);
    const families = new Set<string>();
    for (const [runId, rows] of runs) {
      const answer = await get(runId);
      families.add(answer.family);
      expect(answer.iterations, runId).toEqual(rows.map(({ iteration }) => iteration));
      expectSeries(
        answer.series,
        rows.map(({ metrics }) => metrics),
        runId,
      );
      expectSeries(
        answer.model,
        rows.map(({ diagnostics }) => diagnostics.modelDiagnostics),
        runId,
      );
      expectMaps(answer, rows, runId);
      expectRelations(answer, rows, runId);
      expect(answer.adaptiveActions, runId).toEqual(
        rows.flatMap(({ iteration, diagnostics }) =>
          diagnostics.adaptiveActions.map(({ trigger, actionType, reason }) => ({
            iteration,
            trigger,
            actionType,
            reason,
          })),
        ),
      );
    }
    expect([...families].sort()).toEqual(['binary', 'permutation', 'real', 'unknown']);
  });

  test('has with `after` only later iterations, and the diagnosis of the whole run', async () => {
    const whole = await get('onemax60-umda-r01');
    const last = whole.iterations.at(-1) ?? 0;
    const tail = await get('onemax60-umda-r01', `?after=${last - 2}`);
    expect(tail.iterations).toEqual([last - 1, last]);
    expect(tail.series['best']).toEqual(whole.series['best']?.slice(-2));
    expect(tail.heatmaps.map(({ cells }) => cells)).toEqual(
      whole.heatmaps.map(({ cells }) => cells.map((row) => row.slice(-2))),
    );
    expect(tail.diagnosis).toEqual(whole.diagnosis);
    const none = await get('onemax60-umda-r01', `?after=${last}`);
    expect(none).toMatchObject({ family: 'binary', iterations: [], heatmaps: [], edges: [] });
    expect(none.diagnosis).toEqual(whole.diagnosis);
  });

  test('returns empty parts for a run without iterations, and 404 for an unknown run', async () => {
    await insert(database(), 'experiments', { experiment_id: 'bare', config_hash: 'bare' });
    await insert(database(), 'runs', { run_id: 'bare', experiment_id: 'bare' });
    expect(await get('bare')).toEqual({
      family: 'binary',
      telemetryLag: 1,
      thinnedIterations: null,
      iterations: [],
      evaluations: [],
      series: {},
      model: {},
      heatmaps: [],
      edges: [],
      clusters: [],
      adjacency: [],
      eigenvalues: { iterations: [], values: [] },
      adaptiveActions: [],
      diagnosis: [],
    });
    expect(await service.getProblem('/api/runs/nobody/insights')).toMatchObject({
      status: 404,
      code: 'RUN_NOT_FOUND',
    });
  });

  test('reports an infinite condition number, which is stored as text', async () => {
    await insert(database(), 'experiments', { experiment_id: 'singular', config_hash: 'singular' });
    await insert(database(), 'runs', { run_id: 'singular', experiment_id: 'singular' });
    for (const [iteration, condition] of ['10', '"Infinity"'].entries()) {
      await insert(database(), 'iterations', {
        run_id: 'singular',
        iteration,
        diagnostics_json: `{"modelDiagnostics":{"cov_condition_number":${condition}}}`,
      });
    }
    const { model, diagnosis } = await get('singular');
    expect(model).toEqual({ cov_condition_number: [10, null] });
    const evidence = { value: null, threshold: 1e14 };
    expect(diagnosis).toMatchObject([{ code: 'ILL_CONDITIONED', fromIteration: 1, evidence }]);
  });

  test('reads the valid parts of hostile telemetry', async () => {
    await insert(database(), 'runs', { run_id: 'hostile', experiment_id: 'bare' });
    const row = (iteration: number, metrics_json: string | null, diagnostics_json: string | null) =>
      insert(database(), 'iterations', {
        run_id: 'hostile',
        iteration,
        metrics_json,
        diagnostics_json,
      });
    const latent = (insights: object) => JSON.stringify({ latentTelemetry: { insights } });
    await row(0, null, null);
    await row(1, '{"best":', '{"modelDiagnostics":{"a":1');
    await row(2, '[1,2]', '[]');
    await row(3, '{"best":"NaN","mean":true,"__proto__":{"x":1},"toString":4}', '"text"');
    await row(
      4,
      '{"best":2}',
      latent({ entropyPerBit: 'none', probabilities: [0.5, 'NaN', null] }),
    );
    await row(5, '{"best":3}', latent({ entropyPerBit: [1], probabilities: [0.25, 1, 0, 7] }));
    await row(
      6,
      '{"best":1e999}',
      `{"modelDiagnostics":{"a":"x","b":2,"c":{"d":1}},"note":"\\"}[","adaptiveActions":[7,{"trigger":1}],
        "latentTelemetry":{"insights":{"dependencyEdges":[{"i":-1,"j":2},{"i":1,"j":2,"weight":"x"},null],
        "dependencyClusters":[[1,"x"],[],5],"eigenvalues":[[1],2]}}}`,
    );
    const answer = await get('hostile');
    expect(answer.series).toEqual({
      toString: [null, null, null, 4, null, null, null],
      best: [null, null, null, null, 2, 3, null],
    });
    expect(answer.model).toEqual({ b: [null, null, null, null, null, null, 2] });
    const [entropy, shares] = answer.heatmaps;
    const missing = [null, null, null, null];
    expect(entropy?.cells).toEqual([[...missing, null, 1, null]]);
    expect(shares?.cells).toEqual([
      [...missing, 0.5, 0.25, null],
      [...missing, null, 1, null],
      [...missing, null, 0, null],
      [...missing, null, 7, null],
    ]);
    expect(answer.edges).toEqual([{ iteration: 6, i: 1, j: 2, weight: null, correlation: null }]);
    expect(answer.clusters).toEqual([[1]]);
    expect(answer.eigenvalues).toEqual({ iterations: [6], values: [[null], [2]] });
    expect(answer.adaptiveActions).toEqual(
      [1, 2].map(() => ({ iteration: 6, trigger: '', actionType: '', reason: '' })),
    );
  });

  test('thins a wide run to 512 rows and a long one to 400 columns and 2,000 iterations, and reports it', async () => {
    await insert(
      database(),
      'runs',
      { run_id: 'wide', experiment_id: 'bare' },
      { run_id: 'long', experiment_id: 'bare' },
    );
    const bits = Array.from({ length: 5_000 }, (_, bit) => bit);
    const vector = JSON.stringify({ latentTelemetry: { insights: { probabilities: bits } } });
    await insert(database(), 'iterations', {
      run_id: 'wide',
      iteration: 0,
      diagnostics_json: vector,
    });
    const [map] = (await get('wide')).heatmaps;
    expect(map).toMatchObject({ thinnedRows: 5_000, thinnedColumns: null });
    expect(map?.rows).toHaveLength(512);
    expect([map?.rows[0], map?.rows.at(-1)]).toEqual(['0', '4999']);
    expect(map?.cells.map(([cell]) => String(cell))).toEqual(map?.rows);

    const rows = Array.from({ length: 2_500 }, (_, iteration) => ({
      run_id: 'long',
      iteration,
      evaluations: iteration,
      best_fitness: 1,
      mean_fitness: 1,
      std_fitness: 0,
      metrics_json: `{"best":${iteration}}`,
      diagnostics_json: `{"latentTelemetry":{"insights":{"probabilities":[${iteration}]}}}`,
      created_at: '2026-11-21T10:00:00Z',
    }));
    for (let start = 0; start < rows.length; start += 500) {
      await database()
        .kysely.insertInto('iterations')
        .values(rows.slice(start, start + 500))
        .execute();
    }
    const long = await get('long');
    expect(long.thinnedIterations).toBe(2_500);
    expect(long.iterations).toHaveLength(2_000);
    expect([long.iterations[0], long.iterations.at(-1)]).toEqual([0, 2_499]);
    expect(long.series['best']).toEqual(long.iterations);
    expect(long.heatmaps[0]).toMatchObject({ thinnedRows: null, thinnedColumns: 2_000 });
    expect(long.heatmaps[0]?.iterations).toHaveLength(400);
    expect(long.heatmaps[0]?.cells[0]).toEqual(long.heatmaps[0]?.iterations);
    expect(await codes('long')).toContain('STAGNATION');
  });

  test('of 1,000 iterations of 200 bits is below 1 MiB compressed', patient, async () => {
    await insert(database(), 'runs', { run_id: 'large', experiment_id: 'bare' });
    const metrics = Object.fromEntries(Array.from({ length: 28 }, (_, key) => [`key_${key}`, key]));
    for (let start = 0; start < 1_000; start += 100) {
      const rows = Array.from({ length: 100 }, (_, index) => {
        const iteration = start + index;
        const shares = Array.from({ length: 200 }, () => Math.round(Math.random() * 50) / 50);
        const entropy = shares.map((p) =>
          p === 0 || p === 1 ? 0 : -p * Math.log2(p) - (1 - p) * Math.log2(1 - p),
        );
        const insights = { probabilities: shares, entropyPerBit: entropy };
        return {
          run_id: 'large',
          iteration,
          evaluations: iteration * 100,
          best_fitness: iteration,
          mean_fitness: iteration / 3,
          std_fitness: 1,
          metrics_json: JSON.stringify(
            Object.fromEntries(Object.keys(metrics).map((key) => [key, Math.random()])),
          ),
          diagnostics_json: JSON.stringify({
            modelDiagnostics: metrics,
            latentTelemetry: { insights },
          }),
          created_at: '2026-11-21T10:00:00Z',
        };
      });
      await database().kysely.insertInto('iterations').values(rows).execute();
    }
    const { body, headers } = await sendRawRequest(service, '/api/runs/large/insights', {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect(body.byteLength).toBeLessThan(1_048_576);
    const answer = JSON.parse(gunzipSync(body).toString()) as Insights;
    expect(answer.iterations).toHaveLength(1_000);
    expect(answer.heatmaps.map(({ cells }) => [cells.length, cells[0]?.length])).toEqual([
      [200, 400],
      [200, 400],
    ]);
  });

  async function storedRuns(): Promise<Map<string, StoredRow[]>> {
    const rows = await database()
      .kysely.selectFrom('iterations')
      .select(['run_id', 'iteration', 'metrics_json', 'diagnostics_json'])
      .orderBy('run_id')
      .orderBy('iteration')
      .execute();
    const parsed = rows.map((row) => ({
      runId: row.run_id,
      iteration: row.iteration,
      metrics: JSON.parse(row.metrics_json ?? '') as Values,
      diagnostics: JSON.parse(row.diagnostics_json ?? '') as Diagnostics,
    }));
    return Map.groupBy(parsed, ({ runId }) => runId);
  }
});

function expectSeries(series: Insights['series'], rows: readonly Values[], runId: string): void {
  const keys = new Set(rows.flatMap((row) => Object.keys(row)));
  expect(Object.keys(series).sort(), runId).toEqual([...keys].sort());
  for (const key of keys) {
    expect(series[key], `${runId} ${key}`).toEqual(rows.map((row) => row[key] ?? null));
  }
}

function expectMaps(answer: Insights, rows: readonly StoredRow[], runId: string): void {
  expect(rows.at(-1)?.diagnostics.latentTelemetry.representationFamily, runId).toBe(answer.family);
  const keys = rows.length > 0 ? mapKeys[answer.family] : [];
  expect(
    answer.heatmaps.map(({ key }) => key),
    runId,
  ).toEqual(keys);
  for (const { key, iterations, cells, thinnedRows, thinnedColumns } of answer.heatmaps) {
    expect([thinnedColumns, iterations], runId).toEqual([
      null,
      rows.map(({ iteration }) => iteration),
    ]);
    const vectors = rows.map(
      ({ diagnostics }) => diagnostics.latentTelemetry.insights[key] as number[],
    );
    const length = vectors[0]?.length ?? 0;
    if (thinnedRows !== null) expect(thinnedRows, runId).toBe(length);
    const shown = answer.heatmaps.find((map) => map.key === key)?.rows.map(Number) ?? [];
    if (thinnedRows === null) expect(shown).toHaveLength(length);
    expect(cells, `${runId} ${key}`).toEqual(
      shown.map((row) => vectors.map((vector) => vector[row])),
    );
  }
}

function expectRelations(answer: Insights, rows: readonly StoredRow[], runId: string): void {
  const newest = (key: string) => {
    const row = rows.findLast(
      ({ diagnostics }) =>
        ((diagnostics.latentTelemetry.insights[key] as unknown[] | undefined) ?? []).length > 0,
    );
    const list = (row?.diagnostics.latentTelemetry.insights[key] ?? []) as object[];
    return { iteration: row?.iteration, list };
  };
  const { iteration, list } = newest('dependencyEdges');
  expect(answer.edges, runId).toEqual(list.map((edge) => ({ iteration, ...edge })));
  expect(answer.clusters, runId).toEqual(newest('dependencyClusters').list);
  expect(answer.adjacency, runId).toEqual(newest('topAdjacencyEdges').list);
  const spectra = rows.flatMap((row) => {
    const values = row.diagnostics.latentTelemetry.insights['eigenvalues'] as number[] | undefined;
    return values?.length ? [{ iteration: row.iteration, values }] : [];
  });
  expect(answer.eigenvalues, runId).toEqual({
    iterations: spectra.map((spectrum) => spectrum.iteration),
    values: (spectra[0]?.values ?? []).map((_, rank) => spectra.map(({ values }) => values[rank])),
  });
}
