import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { callMlflow } from '#server/mlflow/operations.ts';
import { getAnnotation, saveAnnotation } from '#server/services/annotations.ts';
import type { ParamRow, RunDetail } from '#shared/schemas/run.ts';
import { describeOnEachDatabase, openTestDatabase } from '#tests/support/databases.ts';
import { mlflowClients, readRequests, replayRequests } from '#tests/support/mlflow-requests.ts';
import { deleteAllRows, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** The parts of MLflow's responses that the tests read. */
interface Answer {
  error_code: string;
  message: string;
  experiment_id: string;
  experiment: { experiment_id: string; name: string; tags: Text[] };
  experiments: { name: string }[];
  run: Run;
  runs: Run[];
  metrics: { key: string; value: number | string; step: number; timestamp: number }[];
  next_page_token: string;
}
interface Text {
  key: string;
  value: string;
}
interface Run {
  info: { run_id: string; run_name: string; status: string; artifact_uri: string };
  data: { metrics: (Text & { step: number })[]; params: Text[]; tags: Text[] };
}

describeOnEachDatabase('The MLflow-compatible endpoints', (database, engine) => {
  let service: TestService;
  let artifactsDirectory: string;

  const call = async (path: string, body?: unknown) => {
    const response = await fetch(`${service.url}/mlflow/api/2.0/mlflow/${path}`, {
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const done = async (path: string, body?: unknown) => {
    const { status, body: answer } = await call(path, body);
    expect(status, answer.message).toBe(200);
    return answer;
  };
  const create = async (tags: Record<string, string> = {}, more = {}) => {
    const list = Object.entries(tags).map(([key, value]) => ({ key, value }));
    const { run } = await done('runs/create', { experiment_id: '0', tags: list, ...more });
    return run.info.run_id;
  };
  const log = (runId: string, step: number, metrics: Record<string, unknown>) =>
    done('runs/log-batch', {
      run_id: runId,
      metrics: Object.entries(metrics).map(([key, value]) => ({
        key,
        value,
        timestamp: 1e12,
        step,
      })),
    });
  const end = (runId: string, status = 'FINISHED') =>
    done('runs/update', { run_id: runId, status });
  const shown = (runId: string) => service.get<RunDetail>(`/api/runs/${runId}`);
  const getRows = (runId: string) =>
    database()
      .kysely.selectFrom('iterations')
      .select(['iteration', 'evaluations', 'best_fitness as best', 'metrics_json as metrics'])
      .where('run_id', '=', runId)
      .orderBy('iteration')
      .execute();
  const count = async (table: 'experiments' | 'experiment_params' | 'events' | 'runs') =>
    (await database().kysely.selectFrom(table).selectAll().execute()).length;

  beforeAll(async () => {
    artifactsDirectory = mkdtempSync(join(tmpdir(), 'evoscope-artifacts-'));
    service = await startService(database(), {
      isRecording: true,
      artifactsDirectory,
      // On the other database, every operation passes its thread.
      isInThisThread: engine === 'postgres',
    });
  });
  beforeEach(() => deleteAllRows(database()));
  afterAll(async () => {
    await service.close();
    rmSync(artifactsDirectory, { recursive: true });
  });

  test('retain the note of an experiment that a later parameter of its only run replaces', async () => {
    const runId = await create();
    const { experimentId } = await shown(runId);
    const subject = { kind: 'experiment', id: experimentId } as const;
    const content = { displayName: 'Pilot', tags: [], note: 'check', isBaseline: false };
    await saveAnnotation(database(), subject, { ...content, version: null });
    await done('runs/log-parameter', { run_id: runId, key: 'popsize', value: '5' });
    const { experimentId: id } = await shown(runId);
    expect(id).not.toBe(experimentId);
    expect(await getAnnotation(database(), { kind: 'experiment', id })).toMatchObject(content);
  });

  test.each(mlflowClients)('store what the unmodified client %s sends', async (version) => {
    const requests = readRequests(`client-${version}`);
    const { replayedRequests, ids } = await replayRequests(service.url, requests);
    expect(replayedRequests.map(({ path, status }) => [path, status])).toEqual(
      requests.map(({ path, status }) => [path, status]),
    );
    const runId = ids.get('run1') ?? '';
    expect(await shown(runId)).toMatchObject({
      algorithmType: 'CMA-ES',
      problemType: 'sphere',
      status: 'COMPLETED',
      seed: 3,
      iterations: 4,
      evaluations: 60,
      bestFitness: 1,
    });
    expect(await getRows(runId)).toMatchObject([
      { iteration: 0, evaluations: 12, best: 5 },
      { iteration: 1, evaluations: 24, best: 4 },
      { iteration: 2, evaluations: 36, best: 3 },
      // A best of NaN keeps the one before it.
      { iteration: 3, evaluations: 48, best: 3 },
      { iteration: 4, evaluations: 60, best: 1 },
    ]);
    expect(await shown(ids.get('run2') ?? '')).toMatchObject({ status: 'STOPPED' });
    const params = await service.get<ParamRow[]>(`/api/runs/${runId}/params`);
    const valueAt = (path: string) => {
      const row = params.find(({ paramPath }) => paramPath === path);
      return [row?.valueType, row?.valueText];
    };
    expect(valueAt('problem.dimension')).toEqual(['number', '10']);
    expect(valueAt('algorithm.sigma')).toEqual(['number', '0.5']);
    expect(valueAt('algorithm.bounded')).toEqual(['boolean', 'true']);
    expect(valueAt('algorithm.api_token')).toEqual(['string', '***']);
    const folder = join(artifactsDirectory, 'runs', runId);
    expect(readFileSync(join(folder, 'notes', 'best ä.txt'), 'utf8')).toBe('x = 0\n');
    expect(JSON.parse((await shown(runId)).artifactsJson ?? '')).toEqual({
      'artifacts/notes/best ä.txt': join(realpathSync(folder), 'notes', 'best ä.txt'),
      'artifacts/best.json': join(realpathSync(folder), 'best.json'),
    });
    const answerTo = (path: string) =>
      replayedRequests.find((one) => one.path.endsWith(path))?.responseText ?? '';
    expect(JSON.parse(answerTo('artifacts?path=<experiment1>%2F<run1>%2Fartifacts'))).toEqual({
      files: [
        { path: 'notes', is_dir: true },
        { path: 'best.json', is_dir: false, file_size: 29 },
      ],
    });
    const download = replayedRequests.find(
      ({ method, path }) => method === 'GET' && /artifacts\/<.*txt$/.test(path),
    );
    expect(download?.responseText).toBe('x = 0\n');
    expect(replayedRequests.map(({ responseText }) => responseText).join('\n')).not.toContain(
      'abcdef',
    );
  });

  test('store what the unmodified MLflow callback of Optuna sends', async () => {
    const requests = readRequests('optuna-callback-5.0.0');
    const { replayedRequests, ids } = await replayRequests(service.url, requests);
    expect(replayedRequests.map(({ path, status }) => [path, status])).toEqual(
      requests.map(({ path, status }) => [path, status]),
    );
    const trials = ['run1', 'run2', 'run3'].map((name) => ids.get(name) ?? '');
    const runs = await Promise.all(trials.map(shown));
    // Each trial is a run with one metric of step 0.
    const stored = { algorithmType: 'CMA-ES', problemType: 'sphere', status: 'COMPLETED', seed: 1 };
    expect(runs).toMatchObject([
      { ...stored, evaluations: 0, bestFitness: 5.54282301141232 },
      { ...stored, evaluations: 0, bestFitness: 0.7954236115925927 },
      { ...stored, evaluations: 0, bestFitness: 4.0936986055488465 },
    ]);
    const params = await service.get<ParamRow[]>(`/api/runs/${trials[1]}/params`);
    const x = params.find(({ paramPath }) => paramPath === 'algorithm.x');
    expect(x?.valueText).toBe('0.8677642820677356');
    const found = JSON.parse(replayedRequests.at(-1)?.responseText ?? '') as Pick<Answer, 'runs'>;
    expect(found.runs.map(({ info }) => info.run_id).sort()).toEqual([...trials].sort());
  });

  test('show a run from its creation on, with its best and its evaluations', async () => {
    const runId = await create({ algorithm: 'PSO', problem: 'sphere' });
    expect(await shown(runId)).toMatchObject({ status: 'RUNNING', algorithmType: 'PSO' });
    await log(runId, 0, { best: 4, evaluations: 20 });
    expect(await shown(runId)).toMatchObject({
      progress: { iteration: 0, evaluations: 20, bestSoFar: 4 },
    });
    await end(runId);
    expect(await shown(runId)).toMatchObject({
      status: 'COMPLETED',
      bestFitness: 4,
      evaluations: 20,
      iterations: 0,
    });
  });

  test('join runs with equal parameters in one experiment, also if they arrive one by one', async () => {
    const one = await create({ algorithm: 'PSO', problem: 'sphere', seed: '1' });
    await done('runs/log-batch', {
      run_id: one,
      params: [
        { key: 'w', value: '0.7' },
        { key: 'swarm', value: '20' },
      ],
    });
    const other = await create({ algorithm: 'PSO', problem: 'sphere' });
    await log(other, 0, { best: 1 });
    for (const [key, value] of [
      ['swarm', '20'],
      ['seed', '9223372036854775807'],
      ['w', '0.70'],
    ]) {
      await done('runs/log-parameter', { run_uuid: other, key, value });
    }
    const [a, b] = [await shown(one), await shown(other)];
    expect(a.experimentId).toBe(b.experimentId);
    expect([a.seed, b.seed]).toEqual([1, '9223372036854775807']);
    // The experiments that the runs left are deleted.
    expect(await count('experiments')).toBe(1);
    expect(await getRows(other)).toHaveLength(1);
  });

  test('keep the digits of parameters: leading zeros as a text, and whole numbers of any length', async () => {
    const runId = await create();
    const params = { code: '007', rate: '0.5', zero: '0', id: '1180591620717411303425' };
    for (const [key, value] of Object.entries(params))
      await done('runs/log-parameter', { run_id: runId, key, value });
    expect((await shown(runId)).configJson).toMatch(
      /^\{"algorithm":\{"code":"007","id":1180591620717411303425,"rate":0.5,"type":"unknown","zero":0\}/,
    );
  });

  test('store the runs of clients that start at the same time, each with its parameters', async () => {
    const record = async (seed: number) => {
      const runId = await create({ algorithm: 'PSO', seed: String(seed) });
      for (const key of ['w', 'c1', 'c2']) {
        await done('runs/log-parameter', { run_id: runId, key, value: '1' });
      }
      await log(runId, 0, { best: seed });
      await end(runId);
      return (await shown(runId)).experimentId;
    };
    const experimentIds = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(record));
    expect(new Set(experimentIds).size).toBe(1);
    expect(await count('experiments')).toBe(1);
    expect(await count('runs')).toBe(8);
  });

  test('store all parameters that clients log to one run at the same time', async () => {
    const runId = await create();
    const keys = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(
      keys.map((key) => done('runs/log-parameter', { run_id: runId, key, value: '1' })),
    );
    const { run } = await done(`runs/get?run_id=${runId}`);
    expect(run.data.params.map(({ key }) => key)).toHaveLength(keys.length);
    expect(await count('experiments')).toBe(1);
  });

  test('leave an experiment that another run uses', async () => {
    const stays = await create({ algorithm: 'PSO' });
    const moves = await create({ algorithm: 'PSO' });
    const before = (await shown(stays)).experimentId;
    await done('runs/set-tag', { run_id: moves, key: 'dimension', value: '5' });
    expect((await shown(stays)).experimentId).toBe(before);
    expect((await shown(moves)).experimentId).not.toBe(before);
    expect(await count('experiments')).toBe(2);
  });

  test('join metrics of a step that arrive in several requests', async () => {
    const runId = await create();
    await log(runId, 3, { sigma: 0.5 });
    expect(await getRows(runId)).toMatchObject([{ iteration: 3, best: Infinity }]);
    await log(runId, 3, { fitness: 7 });
    await log(runId, 3, { nfe: 99 });
    expect(await getRows(runId)).toEqual([
      {
        iteration: 3,
        evaluations: 99,
        best: 7,
        metrics: '{"sigma":0.5,"fitness":7.0,"nfe":99.0}',
      },
    ]);
  });

  test('add the samples of system metrics to the last iteration, because they are no evaluations', async () => {
    const runId = await create();
    await log(runId, 0, { 'system/cpu': 10 });
    await log(runId, 0, { best: 5, evaluations: 100 });
    await log(runId, 1, { best: 4, evaluations: 200 });
    const rows = () => service.get<{ createdAt: string }[]>(`/api/runs/${runId}/iterations`);
    const times = (await rows()).map(({ createdAt }) => createdAt);
    for (const step of [1, 2, 3])
      await done('runs/log-metric', { run_id: runId, key: 'system/cpu', value: step, step });
    expect((await rows()).map(({ createdAt }) => createdAt)).toEqual(times);
    await end(runId);
    expect(await shown(runId)).toMatchObject({ iterations: 1, evaluations: 200, bestFitness: 4 });
    expect(await getRows(runId)).toMatchObject([
      { iteration: 0, evaluations: 100, best: 5 },
      { iteration: 1, evaluations: 200, best: 4 },
    ]);
    const path = `metrics/get-history?run_id=${runId}&metric_key=${encodeURIComponent('system/cpu')}`;
    const { metrics } = await done(path);
    expect(metrics.map(({ step, value }) => [step, value])).toEqual([
      [0, 10],
      [1, 3],
    ]);
  });

  test('store the calls of EvoTorch, which logs each value of a status in a request', async () => {
    const runId = await create({ algorithm: 'SNES' });
    for (const [step, best] of [4, 2].entries()) {
      const status = {
        iter: step + 1,
        best_eval: best,
        pop_best_eval: best + 1,
        mean_eval: best + 3,
      };
      for (const [key, value] of Object.entries(status)) {
        await done('runs/log-metric', {
          run_id: runId,
          key,
          value,
          timestamp: 1e12,
          step: step + 1,
        });
      }
    }
    await end(runId);
    expect(await shown(runId)).toMatchObject({ bestFitness: 2, iterations: 2, evaluations: 2 });
    const means = await service.get<{ meanFitness: number }[]>(`/api/runs/${runId}/iterations`);
    expect(means.map(({ meanFitness }) => meanFitness)).toEqual([7, 5]);
  });

  test('show the latest value of a metric in a step: by time, then by value, like MLflow', async () => {
    const runId = await create();
    const values = [
      { value: 7, timestamp: 3_000 },
      { value: 5, timestamp: 2_000 },
      { value: 6, timestamp: 3_000 },
    ].map((metric) => ({ key: 'best', step: 1, ...metric }));
    const check = async (best: number) => {
      const { run } = await done(`runs/get?run_id=${runId}`);
      expect(run.data.metrics).toMatchObject([{ key: 'best', value: best }]);
      expect(await getRows(runId)).toMatchObject([{ best }]);
    };
    await done('runs/log-batch', { run_id: runId, metrics: values });
    await check(7);
    await done('runs/log-metric', { run_id: runId, ...values[1] });
    await check(7);
    await done('runs/log-metric', { run_id: runId, ...values[1], timestamp: 4_000 });
    await check(5);
  });

  test('take the metric that the tag evoscope.fitness names', async () => {
    const runId = await create({ 'evoscope.fitness': 'regret' });
    await log(runId, 0, { best: 4, regret: 2 });
    expect(await getRows(runId)).toMatchObject([{ best: 2 }]);
  });

  test('count the steps as evaluations where no metric does, and note it at the end', async () => {
    const runId = await create();
    for (const step of [0, 1, 2]) await log(runId, step, { loss: 3 - step });
    await end(runId);
    expect(await shown(runId)).toMatchObject({ evaluations: 2, bestFitness: 1 });
    const { items } = await service.get<{ items: { payloadJson: string }[] }>(
      `/api/runs/${runId}/events?eventType=note`,
    );
    expect(items.map(({ payloadJson }) => JSON.parse(payloadJson) as object)).toMatchObject([
      {
        message:
          'The run has none of the metrics evaluations, n_eval, nfe: its steps count as evaluations. ' +
          'Log one of them to compare it with other runs.',
      },
    ]);
    const { notes } = await service.get<{ notes: { code: string }[] }>(
      '/api/analysis/problem/unknown',
    );
    expect(notes.map(({ code }) => code)).toContain('STEPS_AS_EVALUATIONS');
    // Sent again, an end changes nothing.
    const events = await count('events');
    await end(runId);
    expect(await count('events')).toBe(events);
  });

  test('count the evaluations of a step without them by the previous step of its batch', async () => {
    const runId = await create();
    const makeMetric = (key: string, step: number, value: number) => ({
      key,
      step,
      value,
      timestamp: 1e12 + step,
    });
    const steps = [4, 3, 2, 1, 0];
    const evaluations = [makeMetric('nfe', 0, 50), makeMetric('nfe', 3, 350)];
    await done('runs/log-batch', {
      run_id: runId,
      metrics: [...steps.map((step) => makeMetric('best', step, 9 - step)), ...evaluations],
    });
    const readEvaluations = async () =>
      (await getRows(runId)).map((row) => Number(row.evaluations));
    expect(await readEvaluations()).toEqual([50, 50, 50, 350, 350]);
    const sigmas = steps.map((step) => makeMetric('sigma', step, 1));
    await done('runs/log-batch', { run_id: runId, metrics: sigmas });
    expect(await readEvaluations()).toEqual([50, 50, 50, 350, 350]);
  });

  test('take the best by the direction of the problem', async () => {
    const runId = await create({ direction: 'maximize' });
    for (const [step, best] of [1, 5, 3].entries()) await log(runId, step, { best });
    await end(runId);
    expect(await shown(runId)).toMatchObject({ bestFitness: 5 });
  });

  test('end runs as FAILED and STOPPED, and continue ended ones', async () => {
    const runId = await create();
    await log(runId, 0, { best: 4 });
    await end(runId, 'FAILED');
    expect(await shown(runId)).toMatchObject({
      status: 'FAILED',
      errorMessage: 'The client reported a failure',
    });
    await end(runId, 'RUNNING');
    expect(await shown(runId)).toMatchObject({
      status: 'RUNNING',
      endTime: null,
      errorMessage: null,
      bestFitness: null,
    });
    await log(runId, 1, { best: 2 });
    await end(runId, 'KILLED');
    expect(await shown(runId)).toMatchObject({ status: 'STOPPED', bestFitness: 2 });
    expect((await done(`runs/get?run_id=${runId}`)).run.info.status).toBe('KILLED');
  });

  test('show a stop request as the tag evoscope.stop until the run has ended', async () => {
    const runId = await create({ kind: 'x' });
    const tags = async () => (await done(`runs/get?run_id=${runId}`)).run.data.tags;
    expect(await tags()).not.toContainEqual(expect.objectContaining({ key: 'evoscope.stop' }));
    await fetch(`${service.url}/api/runs/${runId}/stop`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'enough' }),
    });
    expect(await tags()).toContainEqual({ key: 'evoscope.stop', value: 'enough' });
    await end(runId, 'KILLED');
    expect(await tags()).not.toContainEqual(expect.objectContaining({ key: 'evoscope.stop' }));
    expect(await shown(runId)).toMatchObject({ stopRequest: { status: 'ACKNOWLEDGED' } });
  });

  test('return the history of a metric in pages, NaN and infinities as texts', async () => {
    const runId = await create();
    for (const [step, value] of [1, 'NaN', 'Infinity', 4].entries())
      await log(runId, step, { best: value, 'a "b" %_': step });
    const path = `metrics/get-history?run_id=${runId}&max_results=3&metric_key=`;
    const first = await done(`${path}best`);
    expect(first.metrics.map(({ step, value }) => [step, value])).toEqual([
      [0, 1],
      [1, 'NaN'],
      [2, 'Infinity'],
    ]);
    expect(first.metrics[0]?.timestamp).toBe(1e12);
    const second = await done(`${path}best&page_token=${first.next_page_token}`);
    expect(second.metrics.map(({ step, value }) => [step, value])).toEqual([[3, 4]]);
    expect(second.next_page_token).toBeUndefined();
    expect((await done(`${path}${encodeURIComponent('a "b" %_')}`)).metrics).toHaveLength(3);
    expect((await done(`${path}other`)).metrics).toEqual([]);
    await log(runId, 2_147_483_647, { best: 5 });
    expect((await done(`${path}best&page_token=2147483646`)).metrics).toHaveLength(1);
  });

  test('search runs by metrics, params, tags and attributes, in pages and in any order', async () => {
    const ids: string[] = [];
    for (const [index, kind] of ['a', 'b', 'b'].entries()) {
      const runId = await create({ kind }, { run_name: `run ${index}`, start_time: 1e12 + index });
      ids.push(runId);
      await log(runId, 0, { best: index });
      await done('runs/log-parameter', { run_id: runId, key: 'n pop', value: String(10 * index) });
    }
    await end(ids[2]!);
    const names = async (filter: string, more = {}) => {
      const request = { experiment_ids: ['0'], filter, ...more };
      return (await done('runs/search', request)).runs.map(({ info }) => info.run_name);
    };
    expect(await names('')).toEqual(['run 2', 'run 1', 'run 0']);
    expect(await names("tags.kind = 'b' and metrics.best < 2")).toEqual(['run 1']);
    expect(await names("status = 'FINISHED'")).toEqual(['run 2']);
    expect(await names('params."n pop" = "10"')).toEqual(['run 1']);
    expect(await names("attributes.run_name LIKE 'run%1'")).toEqual(['run 1']);
    expect(await names("tags.kind != 'b'")).toEqual(['run 0']);
    const idList = `('${ids[0]}', "${ids[2]}")`;
    expect(await names(`attributes.run_id IN ${idList}`)).toEqual(['run 2', 'run 0']);
    expect(await names(`run_id not in ${idList} AND tags.kind = 'b'`)).toEqual(['run 1']);
    expect(await names('tags.kind IS NOT NULL')).toHaveLength(3);
    expect(await names('tags.other IS NULL and metrics.best > 1')).toEqual(['run 2']);
    expect(await names('tags.other is not null')).toEqual([]);
    expect(await names('created <= 1000000000000')).toEqual(['run 0']);
    expect(await names('', { order_by: ['`Run Name` ASC'] })).toHaveLength(3);
    expect(await names('', { order_by: ['metrics.best ASC'] })).toEqual([
      'run 0',
      'run 1',
      'run 2',
    ]);
    expect(await names('', { experiment_ids: ['9'] })).toEqual([]);
    const page = await done('runs/search', { experiment_ids: ['0'], max_results: 2 });
    expect(page.runs).toHaveLength(2);
    const rest = { experiment_ids: ['0'], max_results: 2, page_token: page.next_page_token };
    expect((await done('runs/search', rest)).runs.map(({ info }) => info.run_name)).toEqual([
      'run 0',
    ]);
    const { status, body } = await call('runs/search', { experiment_ids: ['0'], filter: 'best <' });
    expect([status, body]).toEqual([
      400,
      {
        error_code: 'INVALID_PARAMETER_VALUE',
        message:
          'filter is invalid at "best <". Write conditions such as metrics.best < 1 AND tags.kind = \'x\', ' +
          'and orders such as metrics.best ASC',
      },
    ]);
  });

  test('refuse attributes that a search cannot name, instead of finding nothing', async () => {
    const unknownSearches = [
      ['runs/search', { filter: "lifecycle_stage = 'active'" }, 'filter', 'lifecycle_stage'],
      ['runs/search', { order_by: ['best DESC'] }, 'order_by', 'best'],
      ['runs/search', { order_by: ['constructor'] }, 'order_by', 'constructor'],
      ['experiments/search', { filter: "run_id = 'x'" }, 'filter', 'run_id'],
    ] as const;
    for (const [operation, request, field, attribute] of unknownSearches) {
      const attributes =
        operation === 'runs/search'
          ? 'run_id, run_name, user_id, status, start_time, end_time'
          : 'experiment_id, name, creation_time, last_update_time';
      expect(await call(operation, request)).toEqual({
        status: 400,
        body: {
          error_code: 'INVALID_PARAMETER_VALUE',
          message: `${field} has the unknown attribute "${attribute}". Use one of ${attributes}`,
        },
      });
    }
    const { body } = await call('runs/search', { filter: "constructor.x = 'y'" });
    expect(body.message).toMatch(/^filter is invalid at "constructor.x"/);
    const unnamedSearch = await call('runs/search', { filter: '"" = 1' });
    expect(unnamedSearch.body.message).toContain('filter is invalid at """". ');
    const { experiments } = await done('experiments/search', { filter: 'last_update_time >= 0' });
    expect(experiments.map(({ name }) => name)).toEqual(['Default']);
  });

  test('find no run by a secret in its params and tags, which responses mask', async () => {
    const runId = await create({ url: 'https://me:hunter2@host/x' });
    await done('runs/log-parameter', { run_id: runId, key: 'db_password', value: 'hunter2' });
    await done('runs/update', { run_id: runId, run_name: 'https://me:hunter2@host/name' });
    const search = async (filter: string) =>
      (await done('runs/search', { experiment_ids: ['0'], filter })).runs;
    expect(JSON.stringify(await search(''))).not.toContain('hunter2');
    expect(await search("params.db_password LIKE 'h%'")).toEqual([]);
    expect(await search("tags.url LIKE '%:h%'")).toEqual([]);
    expect(await search("attributes.run_name LIKE '%:h%'")).toEqual([]);
    expect(await search("tags.url LIKE '%host/x'")).toHaveLength(1);
  });

  test('create experiments once, find them by id, name and filter, and tag them', async () => {
    const { experiment_id: id } = await done('experiments/create', {
      name: 'sphere',
      tags: [{ key: 'suite', value: 'bbob' }],
    });
    expect(await call('experiments/create', { name: 'sphere' })).toEqual({
      status: 400,
      body: {
        error_code: 'RESOURCE_ALREADY_EXISTS',
        message: 'There is already an experiment with the name "sphere": choose another name',
      },
    });
    await done('experiments/set-experiment-tag', { experiment_id: id, key: 'team', value: 'x' });
    const named = await done('experiments/get-by-name?experiment_name=sphere');
    expect(named.experiment).toMatchObject({
      experiment_id: id,
      name: 'sphere',
      lifecycle_stage: 'active',
      artifact_location: `mlflow-artifacts:/${id}`,
      tags: [
        { key: 'suite', value: 'bbob' },
        { key: 'team', value: 'x' },
      ],
    });
    expect(await done(`experiments/get?experiment_id=${id}`)).toEqual(named);
    const found = await done('experiments/search', { filter: "name LIKE 'sph%'" });
    expect(found.experiments.map(({ name }) => name)).toEqual(['sphere']);
    expect((await done('experiments/search', {})).experiments).toHaveLength(2);
    const runId = await create({}, { experiment_id: id });
    expect(await shown(runId)).toMatchObject({ problemType: 'sphere', algorithmType: 'unknown' });
  });

  test.each([
    [
      'runs/get?run_id=none',
      undefined,
      404,
      'RESOURCE_DOES_NOT_EXIST',
      'There is no run with the id "none". Select another run',
    ],
    ['runs/get', undefined, 400, 'INVALID_PARAMETER_VALUE', 'run_id is missing'],
    [
      'experiments/get?experiment_id=77',
      undefined,
      404,
      'RESOURCE_DOES_NOT_EXIST',
      'There is no experiment of MLflow with the id "77". Select or create another experiment',
    ],
    [
      'runs/create',
      { experiment_id: '77' },
      404,
      'RESOURCE_DOES_NOT_EXIST',
      'There is no experiment of MLflow with the id "77". Select or create another experiment',
    ],
    [
      'experiments/set-experiment-tag',
      { experiment_id: '0', key: 'a', value: 'b' },
      400,
      'INVALID_PARAMETER_VALUE',
      'experiment_id must be that of another experiment: Default has no tags',
    ],
    [
      'runs/create',
      { tags: [{ key: 'evoscope.stop', value: 'x' }] },
      400,
      'INVALID_PARAMETER_VALUE',
      'evoscope.stop is a tag that only the service sets: choose another tag',
    ],
    [
      'runs/create',
      { start_time: 'now', tags: 5 },
      400,
      'INVALID_PARAMETER_VALUE',
      'start_time must be a whole number; tags must be an array',
    ],
    [
      'runs/create',
      { start_time: 253_402_300_800_000 },
      400,
      'INVALID_PARAMETER_VALUE',
      'start_time must be at most 253402300799999',
    ],
  ])('return an error as MLflow writes it: %s %o', async (path, body, status, code, message) => {
    expect(await call(path, body)).toEqual({ status, body: { error_code: code, message } });
    expect(await count('runs')).toBe(0);
  });

  test('refuse to delete a tag that the run does not have', async () => {
    expect(await call('runs/delete-tag', { run_id: await create(), key: 'x' })).toEqual({
      status: 404,
      body: {
        error_code: 'RESOURCE_DOES_NOT_EXIST',
        message: 'The run has no tag "x". Select another tag',
      },
    });
  });

  test.each([
    ['a step below 0', { step: -1 }, 'step must not be negative'],
    ['a step of more than 32 bits', { step: 2 ** 31 }, 'step must be at most 2147483647'],
    [
      'a text as a value',
      { value: 'five' },
      'value must be a number, "NaN", "Infinity" or "-Infinity"',
    ],
    ['a long key', { key: 'k'.repeat(201) }, 'key must have at most 200 characters'],
    ['a key of objects', { key: '__proto__' }, 'key must not be __proto__'],
    ['the NUL character', { key: 'a\0b' }, 'key must not contain the NUL character'],
  ])('refuse a metric with %s', async (_what, wrong, message) => {
    const runId = await create();
    const metric = { key: 'best', value: 1, timestamp: 1, step: 0, ...wrong };
    expect(await call('runs/log-metric', { run_id: runId, ...metric })).toEqual({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message },
    });
    expect(await getRows(runId)).toEqual([]);
  });

  test('create one experiment of a name, also if two services create it at the same time', async () => {
    const otherDatabase = await openTestDatabase(database().url);
    const createInBoth = (name: string) =>
      Promise.allSettled(
        [database(), otherDatabase].map((openDatabase) =>
          callMlflow(
            { database: openDatabase, isRecording: true },
            { operation: 'experiments/create', input: { name } },
          ),
        ),
      );
    // Not every two transactions overlap.
    for (let number = 0; number < 10; number += 1) {
      const creations = await createInBoth(`sweep ${number}`);
      expect(creations.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    await otherDatabase.close();
  });

  test('store all of a batch or nothing', async () => {
    const runId = await create();
    await done('runs/log-parameter', { run_id: runId, key: 'w', value: '1' });
    const batch = {
      run_id: runId,
      metrics: [{ key: 'best', value: 1, timestamp: 1, step: 0 }],
      params: [{ key: 'w', value: '2' }],
      tags: [{ key: 'new', value: 'x' }],
    };
    expect(await call('runs/log-batch', batch)).toEqual({
      status: 400,
      body: {
        error_code: 'INVALID_PARAMETER_VALUE',
        message: 'w has another value already. A parameter cannot change: create another run',
      },
    });
    const params = [
      { key: 'v', value: '1' },
      { key: 'v', value: '2' },
    ];
    expect((await call('runs/log-batch', { ...batch, params })).body.message).toBe(
      'v has two values in this request: send one',
    );
    const half = { ...batch, params: [], tags: [{ key: 'new', value: 'x\ud800' }] };
    expect((await call('runs/log-batch', half)).body.message).toBe(
      'tags.0.value must be valid Unicode text: it contains half of a surrogate pair',
    );
    expect(await getRows(runId)).toEqual([]);
    const metrics = Array.from({ length: 1_001 }, (_, step) => ({ key: 'best', value: 1, step }));
    expect((await call('runs/log-batch', { run_id: runId, metrics })).body.message).toBe(
      'metrics must have at most 1000 items',
    );
    await done('runs/log-batch', { run_id: runId, metrics: metrics.slice(1) });
    expect(await getRows(runId)).toHaveLength(1_000);
  });

  test('refuse parameters and tags that are too large together', async () => {
    const runId = await create();
    let last = await call('runs/get');
    for (let batch = 0; batch < 3; batch += 1) {
      const tags = Array.from({ length: 100 }, (_, index) => ({
        key: `${batch}-${index}`,
        value: 'x'.repeat(5_000),
      }));
      last = await call('runs/log-batch', { run_id: runId, tags });
    }
    expect(last).toEqual({
      status: 400,
      body: {
        error_code: 'INVALID_PARAMETER_VALUE',
        message:
          'params, tags, metrics, data sets and models are too many or too long: together they may have at most 1048576 characters as JSON. ' +
          'Send fewer or shorter values',
      },
    });
  });

  test('never change a run that another program recorded', async () => {
    await insertExperiment(database(), 'e');
    await insertRun(database(), 'e', 'r', { status: 'RUNNING' });
    for (const [path, body] of [
      ['runs/update', { run_id: 'r', status: 'FAILED' }],
      ['runs/set-tag', { run_id: 'r', key: 'algorithm', value: 'x' }],
    ] as const) {
      expect((await call(path, body)).status).toBe(404);
    }
    expect(await shown('r')).toMatchObject({ status: 'RUNNING', experimentId: 'e' });
  });

  test('delete all of a run with its experiment', async () => {
    const runId = await create({ algorithm: 'PSO' });
    await log(runId, 0, { best: 1 });
    await end(runId);
    const file = `${service.url}/mlflow/api/2.0/mlflow-artifacts/artifacts/0/${runId}/artifacts/a`;
    expect((await fetch(file, { method: 'PUT', body: 'x' })).status).toBe(200);
    expect(existsSync(join(artifactsDirectory, 'runs', runId))).toBe(true);
    const { experimentId } = await shown(runId);
    const path = `${service.url}/api/experiments/${experimentId}`;
    expect((await fetch(path, { method: 'DELETE' })).status).toBe(200);
    expect((await call(`runs/get?run_id=${runId}`)).status).toBe(404);
    expect(await count('events')).toBe(0);
    expect(existsSync(join(artifactsDirectory, 'runs', runId))).toBe(false);
  });

  test('name what is supported for an unknown operation', async () => {
    const { status, body } = await call('runs/delete', { run_id: 'x' });
    expect([status, body.error_code]).toEqual([404, 'ENDPOINT_NOT_FOUND']);
    expect(body.message).toMatch(
      /^Evoscope does not support POST \/mlflow\/api\/2.0\/mlflow\/runs\/delete. It supports experiments\/create, /,
    );
  });
});
