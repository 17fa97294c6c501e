import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import {
  describeOnEachEngine,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { whySkipped } from '#tests/support/long.ts';
import { makeLooseTables } from '#tests/support/loose-tables.ts';
import { insert } from '#tests/support/rows.ts';
import { sendRawRequest, startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachEngine('Bad rows', (engine) => {
  let location: TestLocation;
  let database: TestDatabase;
  let service: TestService;

  beforeAll(async () => {
    location = await engine.makeLocation();
    await makeLooseTables(location, engine.name);
    database = await openTestDatabase(location.url);
    service = await startService(database, { isInThisThread: true });
    await insert(database, 'experiments', {
      config_json: '{"stopping": {"targetFitness": 5',
      config_yaml: ': : [',
      algorithm_type: null,
      created_at: null,
      config_hash: null,
    });
    await insert(
      database,
      'runs',
      { run_id: 'orphan', experiment_id: 'gone', status: 'Exploded' },
      { run_id: 'no experiment', experiment_id: null, status: null, start_time: null, seed: null },
      { run_id: 'infinite', best_fitness: Infinity, artifacts_json: '{"a":' },
      { run_id: 'minus', best_fitness: -Infinity, start_time: 'not a time' },
      { run_id: 'fine', best_fitness: 2, runtime_millis: 7 },
    );
    await insert(
      database,
      'iterations',
      { run_id: 'fine', iteration: null },
      {
        run_id: 'fine',
        iteration: 1,
        evaluations: null,
        best_fitness: -Infinity,
        created_at: null,
      },
      {
        run_id: 'fine',
        iteration: 2,
        metrics_json: '{"a":',
        diagnostics_json: '{"populationSize":',
      },
      {
        run_id: 'fine',
        iteration: 2,
        diagnostics_json: '{"populationSize":1e3,"adaptiveActions":{}}',
      },
      { run_id: 'fine', iteration: 3, metrics_json: '[]', diagnostics_json: 'null' },
    );
    await insert(
      database,
      'events',
      { run_id: 'fine', payload_json: null, event_type: null },
      { run_id: 'fine', payload_json: '{"password":"x', created_at: null },
    );
    await insert(database, 'checkpoints', {
      run_id: 'fine',
      iteration: null,
      checkpoint_path: null,
    });
    await insert(
      database,
      'experiment_params',
      {
        param_path: null,
        section: null,
        leaf_key: null,
        value_type: 'odd',
        value_number: Infinity,
        value_json: '{',
      },
      { param_path: null },
      { param_path: 'algorithm.x' },
    );
    await insert(
      database,
      'run_objectives',
      { run_id: 'fine', objective_name: null, objective_value: 3 },
      { run_id: 'fine', objective_name: 'best_obj_0', objective_value: Infinity },
    );
    await insert(database, 'coco_campaigns', {});
    await insert(
      database,
      'coco_aggregates',
      { optimizer_id: null },
      { dimension: null },
      { target_value: null },
      { target_value: 1 },
    );
    await insert(
      database,
      'coco_trials',
      { run_id: 'unknown', repetition: 0, reached_target: null },
      { run_id: 'solved', repetition: 1, reached_target: 1 },
      { run_id: 'failed', repetition: 2, status: 'Failed' },
      ...(engine.name === 'sqlite'
        ? [{ run_id: 'text', repetition: 3, reached_target: 'no' }]
        : []),
    );
  });

  afterAll(async () => {
    await service.close();
    await database.close();
    await location.remove();
  });

  const run = (id: string) =>
    service.get<ResponseBody<'getRun'>>(`/api/runs/${encodeURIComponent(id)}`);

  test('are listed, also runs without an experiment, with NULL for invalid numbers', async () => {
    const { items } = await service.get<ResponseBody<'listRuns'>>('/api/runs?sortBy=best_fitness');
    expect(items.map(({ runId, bestFitness }) => [runId, bestFitness])).toEqual([
      ['fine', 2],
      ['orphan', null],
      ['no experiment', null],
      ['minus', null],
      ['infinite', null],
    ]);
    expect(items[1]).toMatchObject({ status: 'Exploded', algorithmType: '', experimentId: 'gone' });
    expect(items[2]).toMatchObject({ status: '', startTime: '', seed: null, experimentId: '' });
  });

  test('sort after all others by start time, in both directions', async () => {
    for (const sortDir of ['asc', 'desc']) {
      const { items } = await service.get<ResponseBody<'listRuns'>>(`/api/runs?sortDir=${sortDir}`);
      expect(items.at(-1)?.runId).toBe('no experiment');
    }
  });

  test('are in no range of fitness, and do not make a search fail', async () => {
    const found = await service.get<ResponseBody<'listRuns'>>(
      '/api/runs?minBest=-1e308&maxBest=1e308',
    );
    expect(found.items.map(({ runId }) => runId)).toEqual(['fine']);
    const searched = await service.get<ResponseBody<'listRuns'>>('/api/runs?q=gone');
    expect(searched.items.map(({ runId }) => runId)).toEqual(['orphan']);
    expect(await service.get('/api/runs?from=2020-01-01&status=exploded')).toMatchObject({
      total: 1,
    });
  });

  test('are shown one by one, malformed texts unchanged', async () => {
    expect((await run('infinite')).artifactsJson).toBe('{"a":');
    expect(await run('fine')).toMatchObject({
      configJson: '{"stopping": {"targetFitness": 5',
      configYaml: ': : [',
      targetFitness: null,
      objectives: [
        { name: 'best_obj_0', value: null },
        { name: '', value: 3 },
      ],
      algorithmType: '',
    });
    for (const id of ['orphan', 'no experiment', 'minus']) {
      expect((await run(id)).siblings).toEqual(expect.anything());
    }
  });

  test('of iterations without a number are omitted, and others retain their readable values', async () => {
    const scalars = await service.get<Record<string, unknown>[]>(
      '/api/runs/fine/iterations?fields=scalars',
    );
    expect(scalars.map((row) => row['iteration'])).toEqual([1, 2, 2, 3]);
    expect(scalars[0]).toMatchObject({ evaluations: null, bestFitness: null, createdAt: '' });
    for (const row of scalars.slice(1)) {
      expect(row).toMatchObject({ populationSize: null, eliteSize: null, adaptiveActions: null });
    }
    const full = await service.get<Record<string, unknown>[]>('/api/runs/fine/iterations');
    expect(full.map((row) => row['metricsJson'])).toContain('{"a":');
    expect(full).toHaveLength(4);
  });

  test('of events, checkpoints and parameters are sent with empty texts', async () => {
    const events = await service.get<ResponseBody<'listEvents'>>(
      '/api/runs/fine/events?previewBytes=5',
    );
    expect(events.items.map(({ payloadJson, createdAt }) => [payloadJson, createdAt])).toEqual([
      ['', '2026-11-21T10:00:00Z'],
      ['{"pas', ''],
    ]);
    expect(await service.get('/api/runs/fine/event-types')).toEqual([
      { eventType: 'run_started', count: 1 },
      { eventType: '', count: 1 },
    ]);
    expect(await service.get('/api/runs/fine/checkpoints')).toMatchObject([
      { iteration: null, checkpointPath: '' },
    ]);
    expect(await service.get('/api/runs/fine/params')).toMatchObject([
      { section: 'algorithm', paramPath: 'algorithm.x' },
      { section: 'algorithm', paramPath: '' },
      { section: '', paramPath: '', valueType: 'odd', valueNumber: null, valueJson: '{' },
    ]);
  });

  test('without a number of the iteration do not hide the trace of their run from exports', async () => {
    const points = await service.get<ResponseBody<'exportTraces'>>(
      '/api/export/experiment/e1/traces',
    );
    expect(points.filter(({ runId }) => runId === 'fine')).toMatchObject([
      { evaluations: 10, best: 1 },
    ]);
  });

  test('of aggregates sort after others', async () => {
    expect(await service.get('/api/coco/campaigns/c1/aggregates')).toMatchObject([
      { optimizerId: 'o1', dimension: 2, targetValue: 1 },
      { optimizerId: 'o1', dimension: 2, targetValue: null },
      { optimizerId: 'o1', dimension: 0, targetValue: 1e-8 },
      { optimizerId: '', dimension: 2, targetValue: 1e-8 },
    ]);
  });

  test('of trials without a value for the target did not reach it, and are found as such', async () => {
    const listRuns = async (reachedTarget: boolean) => {
      const { items } = await service.get<ResponseBody<'listTrials'>>(
        `/api/coco/campaigns/c1/trials?reachedTarget=${reachedTarget}`,
      );
      return items.map(({ runId }) => runId).sort();
    };
    expect(await listRuns(true)).toEqual(['solved']);
    expect(await listRuns(false)).toEqual(
      engine.name === 'sqlite' ? ['failed', 'text', 'unknown'] : ['failed', 'unknown'],
    );
  });

  test('of failed trials are counted in any case of their status', async () => {
    const { cells } = await service.get<ResponseBody<'getCompleteness'>>(
      '/api/coco/campaigns/c1/completeness',
    );
    expect(cells).toMatchObject([{ failed: 1 }]);
  });

  test('do not prevent facets and counts', async () => {
    const facets = await service.get<ResponseBody<'getFacets'>>('/api/facets');
    expect(facets.statuses).toEqual(['COMPLETED', 'Exploded']);
    expect(facets.algorithms).toEqual([]);
    expect(await service.get('/api/param-paths')).toEqual(['algorithm.x']);
    expect(await service.get('/api/dashboard/summary')).toMatchObject({
      runCount: 5,
      totalRuntimeMillis: 7,
    });
  });

  test('with the id of another run have the parameters of one of their experiments', async () => {
    await insert(database, 'experiments', { experiment_id: 'e2', config_hash: 'e2' });
    await insert(database, 'experiment_params', { experiment_id: 'e2', param_path: 'algorithm.y' });
    await insert(
      database,
      'runs',
      { run_id: 'twice', experiment_id: 'e2' },
      { run_id: 'twice', experiment_id: 'e1' },
    );
    const params = await service.get<ResponseBody<'listRunParams'>>('/api/runs/twice/params');
    expect(new Set(params.map(({ experimentId }) => experimentId)).size).toBe(1);
  });

  test('with ids of other runs count, and a note states their number', async () => {
    await insert(database, 'experiments', { experiment_id: 'e4', config_hash: 'e4' });
    for (const id of ['copied', 'copied', 'copied', 'once'])
      await insert(database, 'runs', { run_id: id, experiment_id: 'e4', best_fitness: 1 });
    const { totalRuns, notes } = await service.get<ResponseBody<'analyseExperiment'>>(
      '/api/experiments/e4/analysis',
    );
    expect(totalRuns).toBe(4);
    expect(notes).toContainEqual({
      code: 'RUN_IDS_REPEATED',
      message:
        '2 runs have the ids of other runs and count as well, because the table “runs” has no key. If they are ' +
        'copies, intervals and p-values are too small: delete the copies.',
    });
  });

  test('of trials that repeat count, and a note of each analysis states their number', async () => {
    await insert(database, 'coco_campaigns', { campaign_id: 'copied' });
    const trial = { campaign_id: 'copied', run_id: 'trial', evaluations: 10 };
    await insert(
      database,
      'coco_trials',
      trial,
      trial,
      trial,
      { ...trial, run_id: 'another trial' },
      { ...trial, function_id: 2 },
      { ...trial, run_id: null },
      { ...trial, run_id: null },
    );
    const readNotes = async (path: string) => {
      const { notes } = await service.get<Pick<ResponseBody<'listErts'>, 'notes'>>(
        `/api/coco/campaigns/copied/${path}`,
      );
      return notes.filter(({ code }) => code === 'TRIALS_REPEATED');
    };
    for (const path of ['erts', 'erts?targets=1', 'ecdf', 'tests', 'tests?target=1'])
      expect({ path, notes: await readNotes(path) }).toEqual({
        path,
        notes: [
          {
            code: 'TRIALS_REPEATED',
            message:
              '2 trials have the instance and the run of other trials and count as well, because the table “coco_trials” ' +
              'has no key. If they are copies, results give them too much weight and intervals are too small: delete the copies.',
          },
        ],
      });
    expect(await readNotes('erts?functionId=2')).toEqual([]);
  });

  test('of experiments with one id are in the order of their creation', async () => {
    for (const day of [3, 1, 2]) {
      const created_at = `2026-11-0${day}T00:00:00Z`;
      await insert(database, 'experiments', {
        experiment_id: 'e5',
        problem_type: 'copies',
        algorithm_type: `day ${day}`,
        created_at,
      });
    }
    const { items } = await service.get<ResponseBody<'listExperiments'>>(
      '/api/experiments?problem=copies',
    );
    expect(items.map(({ algorithmType }) => algorithmType)).toEqual(['day 1', 'day 2', 'day 3']);
    expect(await service.get('/api/experiments/e5')).toMatchObject({ algorithmType: 'day 1' });
  });

  test('of iterations with one number are in the order of their ids', async () => {
    await insert(database, 'runs', { run_id: 'repeating' });
    for (const id of [93, 91, 92]) {
      const metrics_json = JSON.stringify({ id });
      await insert(database, 'iterations', {
        id,
        run_id: 'repeating',
        iteration: 7,
        evaluations: 1_000 - id,
        metrics_json,
      });
    }
    const rows = await service.get<{ metricsJson: string }[]>('/api/runs/repeating/iterations');
    expect(rows.map(({ metricsJson }) => metricsJson)).toEqual([
      '{"id":91}',
      '{"id":92}',
      '{"id":93}',
    ]);
    expect(await service.get('/api/runs/repeating/iterations/7')).toMatchObject({
      metricsJson: '{"id":91}',
    });
    const scalars = await service.get<{ evaluations: number }[]>(
      '/api/runs/repeating/iterations?fields=scalars&limit=2',
    );
    expect(scalars.map(({ evaluations }) => evaluations)).toEqual([909, 908]);
  });

  test('of experiments without an id are in no list, analysis or export', async () => {
    await insert(database, 'experiments', { experiment_id: null, problem_type: 'nameless' });
    const [experiments, problems] = await Promise.all(
      ['experiments?problem=nameless', 'analysis/problems'].map((path) =>
        service.get<object>(`/api/${path}`),
      ),
    );
    expect(experiments).toMatchObject({ items: [], total: 0 });
    expect(problems).not.toContainEqual(expect.objectContaining({ problemType: 'nameless' }));
    const { status } = await sendRawRequest(service, '/api/export/problem/nameless/experiments');
    expect(status).toBe(404);
  });

  test('of a run whose id runs of other experiments have too remain with those runs', async () => {
    const artifacts = mkdtempSync(join(tmpdir(), 'evoscope-artifacts-'));
    for (const id of ['shared', 'alone'])
      mkdirSync(join(artifacts, 'runs', id), { recursive: true });
    await insert(database, 'experiments', { experiment_id: 'e3', config_hash: 'e3' });
    await insert(
      database,
      'runs',
      { run_id: 'shared', experiment_id: 'e3' },
      { run_id: 'alone', experiment_id: 'e3' },
      { run_id: null, experiment_id: 'e3' },
      { run_id: 'shared', experiment_id: null },
    );
    await insert(
      database,
      'iterations',
      { run_id: 'shared', iteration: 1 },
      { run_id: 'alone', iteration: 1 },
      { run_id: 'alone', iteration: 2 },
    );
    const options = { artifactsDirectory: artifacts, isInThisThread: true };
    const deleting = await startService(database, options);
    const counts = { runsDeleted: 3, iterationsDeleted: 2, artifactDirectoriesDeleted: 1 };
    expect(await deleting.get('/api/experiments/e3/deletion-preview')).toMatchObject(counts);
    const response = await sendRawRequest(deleting, '/api/experiments/e3', { method: 'DELETE' });
    expect(JSON.parse(response.body.toString())).toMatchObject(counts);
    expect(await deleting.get('/api/runs/shared/iterations?fields=scalars')).toHaveLength(1);
    expect(readdirSync(join(artifacts, 'runs'))).toEqual(['shared']);
    await deleting.close();
    rmSync(artifacts, { recursive: true });
  });

  const onSqlite = () => {
    beforeAll(async () => {
      await insert(database, 'runs', {
        run_id: 'texts',
        seed: 'abc',
        iterations: 'many',
        evaluations: 1.5,
        best_fitness: 'good',
        runtime_millis: 'long',
        start_time: Buffer.from('2026-11-20T00:00:00Z'),
        status: 5,
      });
      await insert(
        database,
        'iterations',
        { run_id: 'texts', iteration: 'first' },
        { run_id: 'texts', iteration: 1, evaluations: 'x', best_fitness: 'x', std_fitness: 'x' },
      );
    });

    test('show text in place of an integer as it is stored, and null in place of another number', async () => {
      expect(await run('texts')).toMatchObject({
        seed: 'abc',
        iterations: 'many',
        evaluations: '1.5',
        bestFitness: null,
        runtimeMillis: 'long',
        startTime: '2026-11-20T00:00:00Z',
        status: '5',
      });
      for (const fields of ['all', 'scalars']) {
        expect(await service.get(`/api/runs/texts/iterations?fields=${fields}`)).toMatchObject([
          { iteration: 1, evaluations: 'x', bestFitness: null, stdFitness: null },
        ]);
      }
    });

    test('with a text as the number of an iteration do not hide the trace of their run from exports', async () => {
      await insert(
        database,
        'iterations',
        { run_id: 'texts', iteration: 2, best_fitness: 4 },
        { run_id: 'texts', iteration: Buffer.from('last') },
      );
      const points = await service.get<ResponseBody<'exportTraces'>>(
        '/api/export/experiment/e1/traces',
      );
      expect(points.filter(({ runId }) => runId === 'texts')).toMatchObject([{ best: 4 }]);
    });

    test('sort texts after numbers, and are still counted', async () => {
      for (const sortBy of ['best_fitness', 'runtime_millis']) {
        const { items } = await service.get<ResponseBody<'listRuns'>>(`/api/runs?sortBy=${sortBy}`);
        expect(items[0]?.runId).toBe('fine');
      }
      expect(await service.get('/api/dashboard/summary')).toMatchObject({
        totalRuntimeMillis: 7,
      });
    });
  };

  if (engine.name === 'sqlite') {
    describe('of SQLite, whose columns accept any value,', onSqlite);
  }

  test.skipIf(whySkipped)(
    `of 100 MB are sent completely and truncated, and a list never stores them twice${whySkipped}`,
    async () => {
      const long = `{"x":"${'y'.repeat(100_000_000)}"}`;
      await insert(database, 'runs', { run_id: 'huge' });
      await insert(database, 'events', { run_id: 'huge', payload_json: long });
      await insert(database, 'iterations', {
        run_id: 'huge',
        iteration: 1,
        diagnostics_json: long,
      });
      // Each request has a new connection: a reused one may end while this process is busy with the long text.
      const read = async <Body>(path: string) =>
        JSON.parse(
          (await sendRawRequest(service, `/api/runs/huge${path}`)).body.toString(),
        ) as Body;
      const events = await read<ResponseBody<'listEvents'>>('/events?previewBytes=280');
      expect(events.items[0]).toMatchObject({ payloadBytes: long.length });
      expect(events.items[0]?.payloadJson).toHaveLength(280);
      const [iteration] = await read<{ diagnosticsJson: string }[]>('/iterations');
      expect(iteration?.diagnosticsJson).toHaveLength(long.length);
      expect(await read('/iterations?fields=scalars')).toMatchObject([
        { populationSize: null, adaptiveActions: null },
      ]);
    },
    120_000,
  );
});
