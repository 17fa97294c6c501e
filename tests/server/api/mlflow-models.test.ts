import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunDetail } from '#shared/schemas/run.ts';
import { describeOnEachDatabase, openTestDatabase } from '#tests/support/databases.ts';
import { deleteAllRows, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

/** The parts of MLflow's responses that the tests read. */
interface Answer {
  error_code: string;
  message: string;
  experiment_id: string;
  run: Run;
  runs: Run[];
  model: Model;
  models: Model[];
  next_page_token: string;
}
interface Text {
  key: string;
  value: string;
}
interface Run {
  info: { run_id: string; artifact_uri: string };
  inputs: {
    dataset_inputs: { tags: Text[]; dataset: Record<string, string> }[];
    model_inputs: { model_id: string }[];
  };
  outputs: { model_outputs: { model_id: string; step: number }[] };
}
interface Model {
  info: { model_id: string; name: string; artifact_uri: string; tags: Text[] };
  data: { params: Text[]; metrics: Record<string, unknown>[] };
}

const dataSet = {
  name: 'train',
  digest: 'd7416626',
  source_type: 'http',
  source: '{"url": "http://host/x.csv"}',
  schema: '{"mlflow_colspec": [{"type": "double", "name": "a", "required": true}]}',
  profile: '{"num_rows": 20}',
};
const absentModel = `m-${'0'.repeat(44)}`;

describeOnEachDatabase('Data sets and models of MLflow', (database) => {
  let service: TestService;
  let artifactsDirectory: string;

  const callAt = async (address: string, method: string, path: string, body?: unknown) => {
    const response = await fetch(`${address}/mlflow/api/2.0/mlflow/${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const call = (method: string, path: string, body?: unknown) =>
    callAt(service.url, method, path, body);
  const done = async (method: string, path: string, body?: unknown) => {
    const { status, body: answer } = await call(method, path, body);
    expect(status, answer.message).toBe(200);
    return answer;
  };
  const createRun = async (experimentId = '0') =>
    (await done('POST', 'runs/create', { experiment_id: experimentId })).run.info.run_id;
  const readRun = async (runId: string) => (await done('GET', `runs/get?run_id=${runId}`)).run;
  const createModel = async (runId: string, more = {}) => {
    const request = { experiment_id: '0', source_run_id: runId, name: 'model', ...more };
    return (await done('POST', 'logged-models', request)).model.info.model_id;
  };
  const readModel = async (id: string) => (await done('GET', `logged-models/${id}`)).model;
  const countRows = async (table: 'iterations' | 'events') =>
    (await database().kysely.selectFrom(table).select('run_id').execute()).length;

  beforeAll(async () => {
    artifactsDirectory = mkdtempSync(join(tmpdir(), 'evoscope-artifacts-'));
    service = await startService(database(), {
      isRecording: true,
      isInThisThread: true,
      artifactsDirectory,
    });
  });
  beforeEach(() => deleteAllRows(database()));
  afterAll(async () => {
    await service.close();
    rmSync(artifactsDirectory, { recursive: true });
  });

  test('store each data set of a run once, with the tags of its first request', async () => {
    const runId = await createRun();
    const tags = (value: string) => [{ key: 'mlflow.data.context', value }];
    const other = { name: 'eval', digest: '1', source_type: 'code', source: '{}' };
    const log = (datasets: unknown) =>
      done('POST', 'runs/log-inputs', { run_id: runId, datasets, models: [] });
    expect(await log([{ dataset: dataSet, tags: tags('training') }])).toEqual({});
    await log([{ dataset: other }, { dataset: dataSet, tags: tags('again') }]);
    const run = await readRun(runId);
    expect(run.inputs).toEqual({
      dataset_inputs: [
        { dataset: dataSet, tags: tags('training') },
        { dataset: other, tags: [] },
      ],
      model_inputs: [],
    });
    const { runs } = await done('POST', 'runs/search', { experiment_ids: ['0'] });
    expect(runs).toEqual([run]);
    // A data set is neither an iteration nor a parameter.
    expect(await countRows('iterations')).toBe(0);
    expect(await countRows('events')).toBe(1);
    const { configJson } = await service.get<RunDetail>(`/api/runs/${runId}`);
    expect(configJson).not.toContain('train');
  });

  test('mask secrets in data sets and models, also on the page of the run', async () => {
    const runId = await createRun();
    const secret = {
      ...dataSet,
      source: '{"url": "https://me:hunter2@host/x"}',
      profile: '{"password": "hunter2"}',
    };
    await done('POST', 'runs/log-inputs', { run_id: runId, datasets: [{ dataset: secret }] });
    const modelId = await createModel(runId, {
      params: [{ key: 'db_password', value: 'hunter2' }],
      tags: [{ key: 'url', value: 'https://me:hunter2@host/x' }],
    });
    const responses = [
      await readRun(runId),
      await readModel(modelId),
      await service.get(`/api/runs/${runId}/events`),
    ].map((response) => JSON.stringify(response));
    for (const text of responses) expect(text).not.toContain('hunter2');
    expect(responses[0]).toContain('host/x');
    expect(responses[1]).toContain('***');
  });

  test('create a model in a run, change it, and return it', async () => {
    const { experiment_id: experimentId } = await done('POST', 'experiments/create', {
      name: 'sphere',
    });
    const runId = await createRun(experimentId);
    const modelId = await createModel(runId, {
      model_type: 'agent',
      params: [{ key: 'C', value: '1.0' }],
      tags: [{ key: 'kind', value: 'a' }],
    });
    expect(modelId).toMatch(new RegExp(`^m-${runId}[0-9a-f]{12}$`));
    const created = await readModel(modelId);
    expect(created).toEqual({
      info: {
        model_id: modelId,
        experiment_id: experimentId,
        name: 'model',
        creation_timestamp_ms: expect.any(Number),
        last_updated_timestamp_ms: expect.any(Number),
        artifact_uri: `mlflow-artifacts:/${experimentId}/${runId}/artifacts/models/${modelId}`,
        status: 'LOGGED_MODEL_PENDING',
        model_type: 'agent',
        source_run_id: runId,
        tags: [{ key: 'kind', value: 'a' }],
      },
      data: { params: [{ key: 'C', value: '1.0' }], metrics: [] },
    });
    const path = `logged-models/${modelId}`;
    await done('POST', `${path}/params`, { params: [{ key: 'q', value: '2' }] });
    const tags = [
      { key: 'kind', value: 'b' },
      { key: 'a b', value: 'x' },
    ];
    await done('PATCH', `${path}/tags`, { tags });
    await done('DELETE', `${path}/tags/a%20b`);
    const status = 'LOGGED_MODEL_READY';
    const { model } = await done('PATCH', path, { model_id: modelId, status });
    expect(model).toMatchObject({
      info: { status, name: 'model', tags: [{ key: 'kind', value: 'b' }] },
      data: {
        params: [
          { key: 'C', value: '1.0' },
          { key: 'q', value: '2' },
        ],
      },
    });
    expect(await readModel(modelId)).toEqual(model);
    const nameless = await createModel(runId, { name: undefined });
    expect((await readModel(nameless)).info.name).toMatch(/^model-[0-9a-f]{12}$/);
    expect(await countRows('iterations')).toBe(0);
  });

  test('list the models that a run used and produced, each once', async () => {
    const runId = await createRun();
    const modelId = await createModel(runId);
    const log = (path: string, models: unknown) => done('POST', path, { run_id: runId, models });
    await log('runs/outputs', [{ model_id: modelId, step: 3 }]);
    await log('runs/outputs', [{ model_id: modelId, step: 4 }, { model_id: absentModel }]);
    await log('runs/log-inputs', [{ model_id: modelId }]);
    await log('runs/log-inputs', [{ model_id: absentModel }, { model_id: modelId }]);
    expect(await readRun(runId)).toMatchObject({
      inputs: { model_inputs: [{ model_id: modelId }, { model_id: absentModel }] },
      outputs: {
        model_outputs: [
          { model_id: modelId, step: 3 },
          { model_id: absentModel, step: 0 },
        ],
      },
    });
  });

  test('add the metrics of a run to their model: the latest value on each data set', async () => {
    const runId = await createRun();
    const [modelId, other] = [await createModel(runId), await createModel(await createRun())];
    const metric = { key: 'loss', step: 0, timestamp: 1_000, model_id: modelId };
    const onTrain = { dataset_name: 'train', dataset_digest: 'd7416626' };
    await done('POST', 'runs/log-batch', {
      run_id: runId,
      metrics: [
        { ...metric, ...onTrain, value: 3 },
        { ...metric, ...onTrain, value: 2, timestamp: 2_000 },
        { ...metric, value: 'NaN' },
        // A model of another run does not change.
        { ...metric, key: 'score', value: 1, model_id: other },
      ],
    });
    await done('POST', 'runs/log-metric', { run_id: runId, ...metric, key: 'acc', value: 0.5 });
    await done('POST', 'runs/log-metric', { run_id: runId, ...metric, ...onTrain, value: 9 });
    const common = { step: 0, model_id: modelId, run_id: runId };
    expect((await readModel(modelId)).data.metrics).toEqual([
      { key: 'loss', value: 2, timestamp: 2_000, ...onTrain, ...common },
      { key: 'loss', value: 'NaN', timestamp: 1_000, ...common },
      { key: 'acc', value: 0.5, timestamp: 1_000, ...common },
    ]);
    expect((await readModel(other)).data.metrics).toEqual([]);
    // For the run, all of them are metrics of one step.
    expect(await readRun(runId)).toMatchObject({
      data: { metrics: [{ key: 'loss', value: 2 }, { key: 'score' }, { key: 'acc', value: 0.5 }] },
    });
    expect(await countRows('iterations')).toBe(1);
  });

  test('find models by name, params, tags, metrics and run, in pages and in any order', async () => {
    const { experiment_id: otherId } = await done('POST', 'experiments/create', { name: 'other' });
    const runId = await createRun();
    for (const [name, score] of Object.entries({ a: 1, b: 3, c: 2 })) {
      const modelId = await createModel(runId, {
        name,
        params: [{ key: 'C', value: String(score) }],
        tags: [{ key: 'kind', value: name === 'a' ? 'x' : 'y' }],
      });
      await done('POST', 'runs/log-metric', {
        run_id: runId,
        key: 'my score',
        value: score,
        timestamp: 1,
        model_id: modelId,
      });
    }
    await createModel(await createRun(otherId), { name: 'a' });
    const find = async (filter: string, more = {}) => {
      const request = { experiment_ids: ['0'], filter, ...more };
      const { models, next_page_token: token } = await done(
        'POST',
        'logged-models/search',
        request,
      );
      return [models.map(({ info }) => info.name).join(), token];
    };
    const byName = [{ field_name: 'name' }];
    expect(await find("name = 'a'")).toEqual(['a', undefined]);
    expect(await find("tags.kind = 'y'", { order_by: byName })).toEqual(['b,c', undefined]);
    expect(await find("params.C != '3' AND metrics.`my score` > 1")).toEqual(['c', undefined]);
    expect((await find(`source_run_id = '${runId}'`))[0]).toHaveLength(5);
    expect(await find('creation_time < 5')).toEqual(['', undefined]);
    const byScore = { order_by: [{ field_name: 'metrics.my score', ascending: false }] };
    expect(await find('', byScore)).toEqual(['b,c,a', undefined]);
    expect(await find('', { ...byScore, max_results: 2 })).toEqual(['b,c', '1']);
    expect(await find('', { ...byScore, max_results: 2, page_token: '1' })).toEqual([
      'a',
      undefined,
    ]);
    expect(await find('', { experiment_ids: [otherId] })).toEqual(['a', undefined]);
    expect(await find('', { experiment_ids: [] })).toEqual(['', undefined]);
    const newest = await createModel(runId, { name: 'newest' });
    const { models } = await done('POST', 'logged-models/search', { experiment_ids: ['0'] });
    expect(models).toContainEqual(await readModel(newest));
  });

  test('store the files of a model in the folder of its run, which a deletion removes', async () => {
    const runId = await createRun();
    const modelId = await createModel(runId);
    const { artifact_uri: uri } = (await readModel(modelId)).info;
    const artifacts = `${service.url}/mlflow/api/2.0/mlflow-artifacts/artifacts`;
    const folder = uri.slice('mlflow-artifacts:/'.length);
    const stored = await fetch(`${artifacts}/${folder}/MLmodel`, { method: 'PUT', body: 'x' });
    expect(stored.status).toBe(200);
    expect(await (await fetch(`${artifacts}/${folder}/MLmodel`)).text()).toBe('x');
    const list = await fetch(`${artifacts}?path=${encodeURIComponent(folder)}`);
    expect(await list.json()).toEqual({
      files: [{ path: 'MLmodel', is_dir: false, file_size: 1 }],
    });
    const run = await service.get<RunDetail>(`/api/runs/${runId}`);
    expect(Object.keys(JSON.parse(run.artifactsJson ?? '{}') as object)).toEqual([
      `artifacts/models/${modelId}/MLmodel`,
    ]);
    const file = join(artifactsDirectory, 'runs', runId, 'models', modelId, 'MLmodel');
    expect(existsSync(file)).toBe(true);
    await done('POST', 'runs/update', { run_id: runId, status: 'FINISHED' });
    const path = `${service.url}/api/experiments/${run.experimentId}`;
    expect((await fetch(path, { method: 'DELETE' })).status).toBe(200);
    expect(existsSync(join(artifactsDirectory, 'runs', runId))).toBe(false);
    expect(await call('GET', `logged-models/${modelId}`)).toEqual({
      status: 404,
      body: {
        error_code: 'RESOURCE_DOES_NOT_EXIST',
        message: `There is no model with the id "${modelId}". Select another model`,
      },
    });
    const { models } = await done('POST', 'logged-models/search', { experiment_ids: ['0'] });
    expect(models).toEqual([]);
    expect(await countRows('events')).toBe(0);
  });

  test.each([
    ['POST', 'logged-models', {}, 'source_run_id is missing: log the model in a run'],
    [
      'POST',
      'logged-models',
      { name: 'x'.repeat(501), source_run_id: 'x' },
      'name must have at most 500 characters',
    ],
    [
      'PATCH',
      'logged-models/<model>',
      { status: 'READY' },
      'status must be one of LOGGED_MODEL_PENDING, LOGGED_MODEL_READY, LOGGED_MODEL_UPLOAD_FAILED',
    ],
    [
      'POST',
      'logged-models/<model>/params',
      { params: [{ key: 'C', value: '2' }] },
      'C has another value already. A parameter cannot change: create another model',
    ],
    [
      'POST',
      'logged-models/<model>/params',
      {
        params: [
          { key: 'v', value: '1' },
          { key: 'v', value: '2' },
        ],
      },
      'v has two values in this request: send one',
    ],
    [
      'PATCH',
      'logged-models/<model>/tags',
      { tags: [{ key: '__proto__', value: 'x' }] },
      'tags.0.key must not be __proto__',
    ],
    [
      'PATCH',
      'logged-models/<model>/tags',
      { tags: [{ key: 'a', value: 'x\0' }] },
      'tags.0.value must not contain the NUL character',
    ],
    [
      'POST',
      'logged-models/search',
      { filter: "status = 'READY'" },
      'filter has the unknown attribute "status". Use one of model_id, name, model_type, source_run_id, ' +
        'creation_timestamp, creation_time, last_updated_timestamp',
    ],
    [
      'POST',
      'logged-models/search',
      { datasets: [{ dataset_name: 'x' }] },
      'datasets must be absent, because a metric has its last value of all data sets',
    ],
    [
      'POST',
      'logged-models/search',
      { order_by: [{ field_name: 'metrics.x', dataset_name: 'x' }] },
      'order_by.0.dataset_name must be absent, because a metric has its last value of all data sets',
    ],
    [
      'POST',
      'runs/log-inputs',
      { run_id: '<run>', datasets: [{ dataset: { ...dataSet, digest: undefined } }] },
      'datasets.0.dataset.digest must be a text',
    ],
    [
      'POST',
      'runs/log-inputs',
      { run_id: '<run>', datasets: [{ dataset: { ...dataSet, source: 'x'.repeat(65_536) } }] },
      'datasets.0.dataset.source must have at most 65535 characters',
    ],
    ['POST', 'runs/log-inputs', {}, 'run_id is missing'],
    [
      'POST',
      'runs/outputs',
      { run_id: '<run>', models: [{ model_id: '', step: 0 }] },
      'models.0.model_id must not be empty',
    ],
  ])('refuse what is invalid: %s %s %o', async (method, path, body, message) => {
    const runId = await createRun();
    const modelId = await createModel(runId, { params: [{ key: 'C', value: '1' }] });
    const before = [await readRun(runId), await readModel(modelId)];
    const sent = JSON.parse(JSON.stringify(body).replace('<run>', runId)) as object;
    expect(await call(method, path.replace('<model>', modelId), sent)).toEqual({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message },
    });
    expect([await readRun(runId), await readModel(modelId)]).toEqual(before);
  });

  test.each([
    ['GET', '', undefined],
    ['PATCH', '', { status: 'LOGGED_MODEL_READY' }],
    ['POST', '/params', {}],
    ['PATCH', '/tags', {}],
    ['DELETE', '/tags/x', undefined],
  ])('find no model with an unknown id, nor another tag: %s %s', async (method, end, body) => {
    const runId = await createRun();
    const modelId = await createModel(runId);
    const absent = { error_code: 'RESOURCE_DOES_NOT_EXIST' };
    // Only the second id names a run.
    for (const id of ['m-x', `m-${runId}${'0'.repeat(12)}`]) {
      const message = `There is no model with the id "${id}". Select another model`;
      expect(await call(method, `logged-models/${id}${end}`, body)).toEqual({
        status: 404,
        body: { ...absent, message },
      });
    }
    expect(await call('DELETE', `logged-models/${modelId}/tags/x`)).toEqual({
      status: 404,
      body: { ...absent, message: 'The model has no tag "x". Select another tag' },
    });
  });

  test('refuse data sets and models that are too large together', async () => {
    const runId = await createRun();
    const schema = 'x'.repeat(600_000);
    const log = (digest: string) =>
      call('POST', 'runs/log-inputs', {
        run_id: runId,
        datasets: [{ dataset: { ...dataSet, digest, schema } }],
      });
    expect((await log('1')).status).toBe(200);
    const tooLarge = {
      status: 400,
      body: {
        error_code: 'INVALID_PARAMETER_VALUE',
        message:
          'params, tags, metrics, data sets and models are too many or too long: together they may have at most 1048576 characters as JSON. Send fewer or shorter values',
      },
    };
    expect(await log('2')).toEqual(tooLarge);
    const params = Array.from({ length: 90 }, (_, index) => ({
      key: `p${index}`,
      value: 'x'.repeat(5_500),
    }));
    expect(await call('POST', 'logged-models', { source_run_id: runId, params })).toEqual(tooLarge);
    expect((await readRun(runId)).inputs.dataset_inputs).toHaveLength(1);
    const large = { ...dataSet, schema: 'x'.repeat(1_048_576) };
    const request = { run_id: runId, datasets: [{ dataset: large }] };
    expect(await call('POST', 'runs/log-inputs', request)).toEqual({
      status: 413,
      body: {
        error_code: 'INVALID_PARAMETER_VALUE',
        message: 'The body is larger than 1 MiB. Send less at a time',
      },
    });
  });

  test('change nothing in a read-only database, which clients can still read', async () => {
    const runId = await createRun();
    const modelId = await createModel(runId, { tags: [{ key: 'kind', value: 'x' }] });
    const model = await readModel(modelId);
    const copy = await openTestDatabase(database().url, { isReadOnly: true });
    const reader = await startService(copy, { isRecording: true, isInThisThread: true });
    try {
      const path = `logged-models/${modelId}`;
      for (const [method, writePath, body] of [
        ['POST', 'runs/log-inputs', { run_id: runId, datasets: [{ dataset: dataSet }] }],
        ['POST', 'runs/outputs', { run_id: runId, models: [{ model_id: modelId }] }],
        ['POST', 'logged-models', { source_run_id: runId }],
        ['PATCH', path, { status: 'LOGGED_MODEL_READY' }],
        ['POST', `${path}/params`, { params: [{ key: 'a', value: '1' }] }],
        ['PATCH', `${path}/tags`, { tags: [{ key: 'a', value: '1' }] }],
        ['DELETE', `${path}/tags/kind`, undefined],
      ] as const) {
        expect(await callAt(reader.url, method, writePath, body), writePath).toEqual({
          status: 409,
          body: {
            error_code: 'PERMISSION_DENIED',
            message:
              'The database is open read-only, so the service cannot change anything. Open the database with write access',
          },
        });
      }
      expect((await callAt(reader.url, 'GET', path)).body.model).toEqual(model);
      const search = await callAt(reader.url, 'POST', 'logged-models/search', {
        experiment_ids: ['0'],
      });
      expect(search.body.models).toEqual([model]);
    } finally {
      await reader.close();
      await copy.close();
    }
  });

  test('never change a run that another program recorded', async () => {
    await insertExperiment(database(), 'e');
    await insertRun(database(), 'e', 'r', { status: 'RUNNING' });
    for (const [path, body] of [
      ['runs/log-inputs', { run_id: 'r', datasets: [{ dataset: dataSet }] }],
      ['runs/outputs', { run_id: 'r', models: [{ model_id: absentModel }] }],
      ['logged-models', { source_run_id: 'r' }],
    ] as const) {
      expect(await call('POST', path, body)).toEqual({
        status: 404,
        body: {
          error_code: 'RESOURCE_DOES_NOT_EXIST',
          message: 'There is no run with the id "r". Select another run',
        },
      });
    }
    expect(await countRows('events')).toBe(0);
  });

  test('read runs that an earlier version stored, without data sets and models', async () => {
    const runId = await createRun();
    const payload = JSON.stringify({ experimentId: '0', name: 'old', params: {}, tags: {} });
    await database().kysely.updateTable('events').set({ payload_json: payload }).execute();
    const modelId = await createModel(runId);
    expect(await readRun(runId)).toMatchObject({
      info: { run_name: 'old' },
      inputs: { dataset_inputs: [], model_inputs: [] },
      outputs: { model_outputs: [] },
    });
    expect((await readModel(modelId)).info.name).toBe('model');
  });

  test('store all models that clients log to one run at the same time', async () => {
    const runId = await createRun();
    const names = Array.from({ length: 8 }, (_, index) => `model ${index}`);
    await Promise.all(names.map((name) => createModel(runId, { name })));
    const { models } = await done('POST', 'logged-models/search', { experiment_ids: ['0'] });
    expect(models.map(({ info }) => info.name).sort()).toEqual(names);
  });

  test('respond with FEATURE_DISABLED while recording is off', async () => {
    const off = await startService(database(), { isInThisThread: true });
    try {
      const response = await fetch(`${off.url}/mlflow/api/2.0/mlflow/experiments/search`, {
        method: 'POST',
      });
      expect([response.status, await response.json()]).toEqual([
        403,
        {
          error_code: 'FEATURE_DISABLED',
          message:
            'Recording is off, so the service stored nothing. Start the service with --record (SVC_RECORD=1).',
        },
      ]);
    } finally {
      await off.close();
    }
  });
});
