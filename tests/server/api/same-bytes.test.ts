import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  makePostgresLocation,
  makeSqliteLocation,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { createSeededRandom } from '#server/stats/seeded-random.ts';
import { insert } from '#tests/support/rows.ts';
import { loadSample } from '#tests/support/sample.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

/** One service over each database, with the same rows. */
interface Side {
  place: TestLocation;
  database: TestDatabase;
  service: TestService;
}

let sqlite: Side;
let postgres: Side;

beforeAll(async () => {
  sqlite = await openSide(await makeSqliteLocation());
  postgres = await openSide(await makePostgresLocation());
});

afterAll(async () => {
  for (const { place, database, service } of [sqlite, postgres]) {
    await service.close();
    await database.close();
    await place.remove();
  }
});

async function openSide(location: TestLocation): Promise<Side> {
  const database = await openTestDatabase(location.url);
  await loadSample(database);
  await addOddities(database);
  await addRivals(database);
  return {
    place: location,
    database,
    service: await startService(database, { isInThisThread: true }),
  };
}

/** What databases tend to disagree on: collation, case, long integers, NULLs, odd numbers and texts. */
async function addOddities(database: TestDatabase): Promise<void> {
  const names = ['Zebra', 'apfel', 'Äpfel', 'äpfel', 'a-b', 'a_b', 'A b', 'zz%', '😀', 'ÀÉ'];
  for (const [index, name] of names.entries()) {
    const experiment = { experiment_id: `odd-${name}`, config_hash: `odd-${name}` };
    await insert(database, 'experiments', {
      ...experiment,
      run_name: index % 2 ? name : null,
      algorithm_type: name,
      problem_type: name,
      config_json: `{"odd":"${name}`,
    });
    await insert(database, 'experiment_params', {
      experiment_id: experiment.experiment_id,
      section: name,
      param_path: `${name}.x`,
      value_type: 'number',
      value_text: '5.0E-4',
      value_number: 5e-4,
    });
    await insert(database, 'runs', {
      run_id: `run ${name}`,
      experiment_id: experiment.experiment_id,
      seed: ['9223372036854775807', '-9223372036854775808', 0, 9007199254740991][index % 4],
      status: name,
      start_time: `2026-11-21T10:00:0${index % 3}${['', '.5', '.25'][index % 3]}Z`,
      best_fitness: [null, 0.1 + 0.2, -1e300, 5e-324, 0][index % 5],
      runtime_millis: [null, '9007199254740993', 12][index % 3],
      artifacts_json: `{"name":"${name}","password":"x"`,
    });
  }
  const iteration = { run_id: 'run Zebra' };
  await insert(
    database,
    'iterations',
    { ...iteration, iteration: 1, best_fitness: 1 / 3, mean_fitness: 1e21, std_fitness: 1e-7 },
    {
      ...iteration,
      iteration: 2,
      best_fitness: Infinity,
      metrics_json: '{',
      diagnostics_json: 'ü{',
    },
    { ...iteration, iteration: 3, mean_fitness: -Infinity, diagnostics_json: '{"eliteSize":1e3}' },
  );
  for (const [index, name] of names.entries()) {
    await insert(database, 'events', {
      run_id: 'run Zebra',
      event_type: name,
      payload_json: `{"name":"${name}","text":"${'ä'.repeat(index * 10)}"}`,
      created_at: `2026-11-21T10:00:0${index % 2}Z`,
    });
  }
}

/**
 * Five algorithms with twelve runs each on one problem: enough for claims, and more labellings than are listed. Some
 * runs fail, were stopped or miss the target, and values tie.
 */
async function addRivals(database: TestDatabase): Promise<void> {
  const random = createSeededRandom('rivals');
  for (let rival = 0; rival < 5; rival += 1) {
    const experiment_id = `rival-${rival}`;
    await insert(database, 'experiments', {
      experiment_id,
      config_hash: experiment_id,
      algorithm_type: experiment_id,
      problem_type: 'rivalry',
      config_json: JSON.stringify({
        problem: { type: 'rivalry' },
        algorithm: { type: experiment_id },
        stopping: { type: 'max-evaluations', maxEvaluations: 1000, targetFitness: 90 },
      }),
    });
    for (let run = 0; run < 12; run += 1) {
      const run_id = `rival ${rival} ${run}`;
      const speed = Math.exp(0.7 * rival - 1 + 2 * random());
      const values = Array.from({ length: 10 }, (_, step) =>
        Math.round(100 * (1 - Math.exp((-speed * (step + 1)) / 10))),
      );
      const isCut = rival === 1 && run < 3;
      await insert(database, 'runs', {
        run_id,
        experiment_id,
        seed: run,
        status: isCut ? ['FAILED', 'STOPPED', 'FAILED'][run] : 'COMPLETED',
        start_time: `2026-11-21T1${rival}:${10 + run}:00Z`,
        iterations: 10,
        evaluations: isCut ? 900 : 1000,
        best_fitness: values.at(isCut ? -2 : -1),
      });
      await insert(
        database,
        'iterations',
        ...values.slice(0, isCut ? 9 : 10).map((best_fitness, step) => ({
          run_id,
          iteration: step,
          evaluations: 100 * (step + 1),
          best_fitness,
        })),
      );
    }
  }
}

/** The parameters of each order by one of these keys. */
function getOrders(keys: readonly string[]): string[] {
  return keys.flatMap((key) => ['asc', 'desc'].map((dir) => `sortBy=${key}&sortDir=${dir}`));
}

/** The first query in every order, of the others each in two of them by turns. */
function inOrders(queries: readonly string[], orders: readonly string[]): string[] {
  return queries.flatMap((query, index) =>
    orders
      .filter((_order, place) => index === 0 || (place - 3 * index) % 4 === 0)
      .map((order) => `${query}&${order}`),
  );
}

/** The odd ones, and every third of the others. */
function takeSome<Item extends { experimentId: string }>(items: readonly Item[]): Item[] {
  return items.filter(
    ({ experimentId }, index) => experimentId.startsWith('odd') || index % 3 === 0,
  );
}

async function expectSame(path: string): Promise<void> {
  const [one, other] = [
    await sendRawRequest(sqlite.service, path),
    await sendRawRequest(postgres.service, path),
  ];
  expect(other.body.toString(), path).toBe(one.body.toString());
  expect([other.status, other.headers.etag], path).toEqual([one.status, one.headers.etag]);
}

test('every list of runs has the same bytes on both databases', async () => {
  const queries = [
    'size=200',
    'q=ä',
    'q=Ä',
    'q=a_b',
    'q=%25',
    'q=APFEL',
    'q=%F0%9F%98%80',
    'q=rate',
  ];
  const filters = ['algorithm=äpfel', 'algorithm=ZEBRA', 'status=ÀÉ', 'status=àé', 'minBest=0'];
  const others = ['from=2026-11-21T10:00:01Z&to=2026-11-21T10:00:01.4Z', 'trials=only', 'page=3'];
  const all = [...queries, ...filters, ...others, 'params=Zebra.x,apfel.x'];
  const orders = getOrders(['start_time', 'best_fitness', 'runtime_millis', 'status']);
  for (const query of inOrders(all, orders)) await expectSame(`/api/runs?size=40&${query}`);
});

test('every response about every run has the same bytes on both databases', async () => {
  const { items } = await sqlite.service.get<{ items: { runId: string }[] }>('/api/runs?size=200');
  expect(items.length).toBeGreaterThan(150);
  const parts = [
    '',
    '/iterations',
    '/iterations?fields=scalars',
    '/iterations?fields=scalars&after=1&limit=3',
    '/events?size=50&previewBytes=100',
    '/events?q=Best&size=3',
    '/events?eventType=RUN_COMPLETED',
    '/events/1',
    '/event-types',
    '/checkpoints',
    '/params',
  ];
  const odd = items.filter(({ runId }) => runId.startsWith('run '));
  for (const { runId } of [...odd, ...items.filter((_run, index) => index % 8 === 0)]) {
    for (const part of parts) await expectSame(`/api/runs/${encodeURIComponent(runId)}${part}`);
  }
});

test('every list of experiments and every response about one has the same bytes on both databases', async () => {
  const queries = ['q=ä', 'q=APFEL', 'q=run%20Z', 'status=PARTIAL', 'trials=only', 'problem=ÀÉ'];
  const orders = getOrders(['latest_run_time', 'best_fitness', 'total_runs', 'problem_type']);
  for (const query of inOrders(['', ...queries], orders))
    await expectSame(`/api/experiments?size=40&${query}`);
  const { items } = await sqlite.service.get<{ items: { experimentId: string }[] }>(
    '/api/experiments?size=200',
  );
  expect(items.length).toBeGreaterThan(70);
  for (const { experimentId } of takeSome(items)) {
    for (const part of ['', '/runs?sortBy=seed', '/params', '/deletion-preview']) {
      await expectSame(`/api/experiments/${encodeURIComponent(experimentId)}${part}`);
    }
  }
});

test('facets, parameter paths and counts have the same bytes on both databases', async () => {
  for (const trials of ['include', 'exclude', 'only'])
    await expectSame(`/api/facets?trials=${trials}`);
  await expectSame('/api/param-paths');
  const summaries = await Promise.all(
    [sqlite, postgres].map(({ service }) => service.get<object>('/api/dashboard/summary')),
  );
  const [one, other] = summaries.map((summary) => ({
    ...summary,
    databaseSizeBytes: 0,
    databaseFile: null,
  }));
  expect(other).toEqual(one);
});

test('analyses have the same bytes on both databases', async () => {
  const { items } = await sqlite.service.get<{ items: { experimentId: string }[] }>(
    '/api/experiments?size=200',
  );
  for (const { experimentId } of takeSome(items)) {
    const path = `/api/experiments/${encodeURIComponent(experimentId)}`;
    for (const part of ['analysis?target=0.5', 'traces?points=20'])
      await expectSame(`${path}/${part}`);
  }
  const problems = await sqlite.service.get<{ problemType: string }[]>('/api/analysis/problems');
  for (const query of ['', 'measure=ert&control=umda', 'measure=anytime&groupBy=experiment']) {
    await expectSame(`/api/analysis/across?${query}`);
    await expectSame(`/api/analysis/across/latex?${query}`);
  }
  await expectSame('/api/analysis/parameters');
  await expectSame('/api/analysis/problems');
  for (const { problemType } of problems) {
    const path = `/api/analysis/problem/${encodeURIComponent(problemType)}`;
    for (const part of ['', '?groupBy=experiment', '/latex']) await expectSame(path + part);
  }
});

test('claims have the same bytes on both databases after any earlier requests', async () => {
  const path = '/api/analysis/problem/rivalry';
  const { pairwise } = await sqlite.service.get<ProblemComparison>(path);
  const claimed = Object.values(pairwise).flatMap((pairs) =>
    (pairs ?? []).map((one) => one.significant),
  );
  expect(claimed.filter(Boolean).length).toBeGreaterThan(5);
  expect(claimed.filter((isClaimed) => !isClaimed).length).toBeGreaterThan(5);
  const choices = ['failed=exclude', 'stopped=exclude'];
  const targets = [85, 60].map((target) => `target=${target}`);
  const byParam = 'groupBy=param:algorithm.type';
  const paths = ['', 'groupBy=experiment', byParam, ...choices, ...targets].map(
    (query) => `${path}?${query}`,
  );
  const all = [...paths, ...targets.map((target) => `${path}/latex?${target}`)];
  const other = new Map<string, string>();
  // Backward, so that caches are filled in another order.
  for (const one of all.toReversed()) {
    other.set(one, (await sendRawRequest(postgres.service, one)).body.toString());
  }
  for (const one of all) {
    const { status, body } = await sendRawRequest(sqlite.service, one);
    expect(status, one).toBe(200);
    expect(body.toString(), one).toBe(other.get(one));
  }
  for (const one of paths) await expectSame(one);
});

test('errors have the same bytes on both databases', async () => {
  for (const path of ['/api/runs?size=0', '/api/runs/nope', '/api/runs/nope/events', '/api/nope']) {
    await expectSame(path);
  }
});
