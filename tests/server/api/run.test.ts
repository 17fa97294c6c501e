import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '#shared/api.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

describeOnEachDatabase('GET /api/runs/{runId}', (database) => {
  let service: TestService;

  const get = (runId: string) =>
    service.get<ResponseBody<'getRun'>>(`/api/runs/${encodeURIComponent(runId)}`);

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    const configuration = {
      stopping: { targetFitness: '40' },
      persistence: { database: { password: 'runner-pw-not-secret', user: 'me' } },
    };
    await insert(
      database(),
      'experiments',
      {
        config_json: JSON.stringify(configuration),
        config_yaml:
          'persistence:\n  database:\n    password: runner-pw-not-secret\n    user: me\n',
      },
      {
        experiment_id: 'plugin',
        config_hash: 'plugin',
        problem_type: 'my-plugin',
        config_json: '{',
      },
      {
        experiment_id: 'grammar',
        config_hash: 'grammar',
        representation_type: 'grammar-bitstring',
        problem_type: 'grammar-xor',
        config_json: '{"problem":{"params":{"direction":"maximise"}},"target":1}',
      },
    );
    await insert(
      database(),
      'runs',
      { run_id: 'a/b ü?#%', seed: 5 },
      {
        run_id: 'r1',
        seed: '7134074521766642662',
        artifacts_json: '{"database":"jdbc:postgresql://u:pw-in-url@h/d","token":"pw-in-token"}',
        error_message: 'cannot reach postgres://u:pw-in-error@h/d',
      },
      { run_id: 'r2', seed: '7134074521766642663' },
      { run_id: 'r3', seed: 5 },
      { run_id: 'p1', experiment_id: 'plugin' },
      { run_id: 'p2', experiment_id: 'plugin' },
      { run_id: 'g1', experiment_id: 'grammar' },
    );
    await insert(
      database(),
      'iterations',
      {
        iteration: 1,
        best_fitness: 9,
        metrics_json: '{"best":9,"best_obj_0":9,"best_obj_1":2,"mean":4}',
      },
      { run_id: 'p1', iteration: 1, best_fitness: 1 },
      { run_id: 'p1', iteration: 2, best_fitness: 5 },
      { run_id: 'p2', iteration: 1, best_fitness: 3 },
      {
        run_id: 'p2',
        iteration: 2,
        best_fitness: 4,
        diagnostics_json: '{"latentTelemetry":{"representationFamily":"real"}}',
      },
    );
    const objective = { run_id: 'r1' };
    await insert(
      database(),
      'run_objectives',
      { ...objective, objective_name: 'best_obj_1', objective_value: 2 },
      { ...objective, objective_name: 'best', objective_value: 9 },
      { ...objective, objective_name: 'mean', objective_value: 4 },
      { ...objective, objective_name: 'best_obj_0', objective_value: 9 },
      { ...objective, objective_name: 'own', objective_value: 7 },
    );
    await insert(
      database(),
      'control_requests',
      { target_id: 'r1', requested_at: '2026-11-21T10:00:00.5Z', reason: 'older' },
      {
        scope: 'experiment',
        target_id: 'e1',
        requested_at: '2026-11-21T10:00:01Z',
        reason: 'newer',
        requested_by: 'web-ui',
      },
    );
  });

  afterAll(() => service.close());

  test('shows the configuration with masked secrets and otherwise as stored', async () => {
    const run = await get('r1');
    expect(run.configJson).toBe(
      '{"stopping":{"targetFitness":"40"},"persistence":{"database":{"password":"***","user":"me"}}}',
    );
    expect(run.configYaml).toBe('persistence:\n  database:\n    password: "***"\n    user: me\n');
    expect(run.artifactsJson).toBe('{"database":"jdbc:postgresql://***@h/d","token":"***"}');
    expect(run.errorMessage).toBe('cannot reach postgres://***@h/d');
  });

  test('lists the objectives among the metrics of the runner', async () => {
    expect((await get('r1')).objectives).toEqual([
      { name: 'best_obj_0', value: 9 },
      { name: 'best_obj_1', value: 2 },
      { name: 'own', value: 7 },
    ]);
    expect((await get('r2')).objectives).toEqual([]);
  });

  test('has the newest stop request of the run and its experiment', async () => {
    const newest = {
      scope: 'experiment',
      status: 'PENDING',
      requestedAt: '2026-11-21T10:00:01Z',
      requestedBy: 'web-ui',
      reason: 'newer',
      acknowledgedAt: null,
      acknowledgedByRunId: null,
    };
    expect((await get('r1')).stopRequest).toEqual(newest);
    expect((await get('p1')).stopRequest).toBeNull();
  });

  test('returns the sources of direction and target', async () => {
    const inConfig = { direction: 'max', directionSource: 'config', targetFitness: 1 };
    expect(await get('g1')).toMatchObject({ ...inConfig, targetSource: 'config' });
    const byProblem = { direction: 'max', directionSource: 'problem', targetFitness: 40 };
    expect(await get('r1')).toMatchObject({ ...byProblem, targetSource: 'config' });
    const byTraces = { direction: 'max', directionSource: 'trace', targetFitness: null };
    expect(await get('p1')).toMatchObject({ ...byTraces, targetSource: 'none' });
  });

  test('returns the family by the representation, or by the telemetry if that is unknown', async () => {
    expect((await get('r1')).representationFamily).toBe('binary');
    expect((await get('g1')).representationFamily).toBe('grammar');
  });

  test('has its neighbours by seed, compared without rounding, ties by run id', async () => {
    expect((await get('r1')).siblings).toEqual({
      previous: { runId: 'r3', seed: 5 },
      next: { runId: 'r2', seed: '7134074521766642663' },
    });
    expect((await get('a/b ü?#%')).siblings).toEqual({
      previous: null,
      next: { runId: 'r3', seed: 5 },
    });
  });

  test('returns the position of a trial in the first campaign that contains it', async () => {
    expect((await get('r1')).trial).toBeNull();
    await insert(
      database(),
      'coco_campaigns',
      { campaign_id: 'c1', name: 'BBOB' },
      { campaign_id: 'c2' },
    );
    await insert(
      database(),
      'coco_trials',
      { run_id: 'r2', campaign_id: 'c1', optimizer_id: 'o', function_id: 8, dimension: 3 },
      { run_id: 'r2', campaign_id: 'c2', optimizer_id: 'o', function_id: 1, dimension: 2 },
    );
    expect((await get('r2')).trial).toEqual({
      campaignId: 'c1',
      name: 'BBOB',
      optimizerId: 'o',
      functionId: 8,
      dimension: 3,
      instanceId: expect.any(Number) as number,
    });
  });

  test('accepts any id that a path can contain', async () => {
    expect((await get('a/b ü?#%')).runId).toBe('a/b ü?#%');
  });

  const parts = [
    '',
    '/iterations',
    '/events',
    '/events/1',
    '/event-types',
    '/checkpoints',
    '/params',
  ];

  test.each(parts)('%s of an unknown run is RUN_NOT_FOUND', async (part) => {
    expect(await service.getProblem(`/api/runs/no%22pe${part}`)).toMatchObject({
      status: 404,
      code: 'RUN_NOT_FOUND',
      detail: 'There is no run with the id "no"pe". Select another run',
    });
  });

  test('returns RUN_NOT_FOUND also for the scalars of an unknown run, and no scalars for a run without rows', async () => {
    expect(await service.getProblem('/api/runs/nope/iterations?fields=scalars')).toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
    for (const part of [
      '/iterations',
      '/iterations?fields=scalars',
      '/checkpoints',
      '/event-types',
    ]) {
      expect(await service.get(`/api/runs/r2${part}`)).toEqual([]);
    }
    expect(await service.get('/api/runs/r2/events')).toMatchObject({ items: [], total: 0 });
  });

  test('refuses an id that is too long or cannot be decoded', async () => {
    expect(await service.getProblem(`/api/runs/${'x'.repeat(1_025)}`)).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      detail: 'runId must have at most 1024 characters',
      errors: [{ path: 'runId' }],
    });
    expect(await service.getProblem(`/api/runs/${'ü'.repeat(1_024)}`)).toMatchObject({
      status: 404,
    });
    expect(await service.getProblem('/api/runs/%E0%A4%A')).toMatchObject({
      status: 400,
      detail: 'The URL contains an invalid percent-encoding. Write % as %25',
    });
  });
});

describeOnEachDatabase('The data of a run', (database) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    await insert(database(), 'experiments', {});
    await insert(database(), 'runs', { run_id: 'r1' });
    const actions = JSON.stringify(
      Array.from({ length: 40 }, () => ({ trigger: 'entropy collapse' })),
    );
    await insert(
      database(),
      'iterations',
      { iteration: 2, diagnostics_json: `{"populationSize":7,"x":1,"adaptiveActions":${actions}}` },
      { iteration: 0, metrics_json: null, diagnostics_json: null },
      { iteration: 1, metrics_json: ' {"a" : 1}', evaluations: '9007199254740993' },
      { iteration: 10, diagnostics_json: '{"adaptiveActions":[{"a":"x"}],"eliteSize":3}' },
    );
    const payload = (text: string) => ({ payload_json: text });
    await insert(
      database(),
      'events',
      { created_at: '2026-11-21T10:00:00Z', ...payload('{"text":"plain ünïcödé"}') },
      { created_at: '2026-11-21T10:00:01Z', ...payload('{"password":"letmein-1","n":1}') },
      { created_at: '2026-11-21T10:00:01Z', event_type: 'Run_Stopped', ...payload('{"n":2}') },
      { created_at: '2026-11-21T10:00:02Z', ...payload(`{"fat":"${'ä'.repeat(60_000)}"}`) },
    );
    await insert(database(), 'checkpoints', { iteration: 10 }, { iteration: 9 }, { iteration: 10 });
    await insert(
      database(),
      'experiment_params',
      { section: 'b', param_path: 'b.y', value_text: 'x' },
      {
        section: 'a',
        param_path: 'a.z',
        value_type: 'boolean',
        value_text: 'true',
        value_boolean: 1,
      },
      {
        section: 'a',
        param_path: 'a.B',
        value_type: 'number',
        value_text: '5.0E-4',
        value_number: 5e-4,
      },
      { section: 'b', param_path: 'b.apiKey', leaf_key: 'apiKey', value_text: 'letmein-2' },
    );
  });

  afterAll(() => service.close());

  describe('its iterations', () => {
    const iterations = <Row>(query = '') => service.get<Row[]>(`/api/runs/r1/iterations${query}`);

    test('come in order, with their JSON exactly as stored', async () => {
      const rows = await iterations<Record<string, unknown>>();
      expect(rows.map((row) => row['iteration'])).toEqual([0, 1, 2, 10]);
      expect(rows[0]).toMatchObject({ metricsJson: null, diagnosticsJson: null });
      expect(rows[1]).toMatchObject({
        metricsJson: ' {"a" : 1}',
        evaluations: '9007199254740993',
        createdAt: '2026-11-21T10:00:00Z',
      });
    });

    test('come as scalars without their JSON, with its counts', async () => {
      const rows = await iterations<Record<string, unknown>>('?fields=scalars');
      expect(Object.keys(rows[0] ?? {})).not.toContain('metricsJson');
      const counts = rows.map((row) => [
        row['populationSize'],
        row['eliteSize'],
        row['adaptiveActions'],
      ]);
      expect(counts).toEqual([
        [null, null, null],
        [10, 5, 0],
        [7, null, 40],
        [null, 3, 1],
      ]);
    });

    test.each(['fields=all', 'fields=scalars'])(
      'come after one, and no more than requested (%s)',
      async (fields) => {
        const numbers = async (query: string) =>
          (await iterations<{ iteration: number }>(`?${fields}&${query}`)).map(
            (row) => row.iteration,
          );
        expect(await numbers('after=0')).toEqual([1, 2, 10]);
        expect(await numbers('after=-5&limit=2')).toEqual([0, 1]);
        expect(await numbers('after=9007199254740991')).toEqual([]);
        expect(await numbers('after=-9007199254740991&limit=9007199254740991')).toHaveLength(4);
      },
    );

    test('come one by one, with their JSON', async () => {
      const one = (iteration: string) => `/api/runs/r1/iterations/${iteration}`;
      const all = await service.get<{ iteration: number }[]>('/api/runs/r1/iterations');
      for (const row of all) {
        expect(await service.get(one(String(row.iteration)))).toEqual(row);
      }
      expect(await service.getProblem(one('3'))).toMatchObject({
        code: 'NOT_FOUND',
        detail: 'The run has no iteration 3. Select another iteration',
      });
      expect(await service.getProblem(one('9999999999999999999'))).toMatchObject({ status: 404 });
      expect(await service.getProblem('/api/runs/nobody/iterations/1')).toMatchObject({
        code: 'RUN_NOT_FOUND',
      });
      for (const invalidNumber of ['1.5', '99999999999999999999']) {
        expect(await service.getProblem(one(invalidNumber))).toMatchObject({
          status: 400,
          detail: 'iteration must be a whole number with at most 19 digits',
        });
      }
    });

    test('are refused with a wrong query', async () => {
      expect(await service.getProblem('/api/runs/r1/iterations?fields=some')).toMatchObject({
        status: 400,
        detail: 'fields must be one of all, scalars',
      });
      expect(await service.getProblem('/api/runs/r1/iterations?after=x')).toMatchObject({
        detail: 'after must be a whole number',
      });
      expect(await service.getProblem('/api/runs/r1/iterations?limit=0')).toMatchObject({
        detail: 'limit must be a whole number, at least 1',
      });
    });
  });

  describe('its events', () => {
    const events = (query = '') =>
      service.get<ResponseBody<'listEvents'>>(`/api/runs/r1/events?${query}`);

    test('come newest first, ties by id', async () => {
      const { items, total } = await events();
      expect(total).toBe(4);
      expect(items.map((event) => event.id)).toEqual([4, 3, 2, 1]);
      expect(items[0]).not.toHaveProperty('payloadBytes');
    });

    test('come in the order of their instants, with fractions of a second or without', async () => {
      const times = ['2026-11-21T10:00:00.5Z', '2026-11-21T10:00:00Z', '2026-11-21T10:00:01Z'];
      const at = (created_at: string) => ({ run_id: 'fractions', created_at });
      await insert(database(), 'events', ...times.map(at));
      const { items } = await service.get<ResponseBody<'listEvents'>>('/api/runs/fractions/events');
      expect(items.map((event) => event.createdAt)).toEqual([times[2], times[0], times[1]]);
    });

    test('are filtered by their whole type, and searched for in their payload', async () => {
      expect((await events('eventType=run_STOPPED')).items.map((event) => event.id)).toEqual([3]);
      expect((await events('eventType=run')).total).toBe(0);
      expect((await events('q=%22N%22')).items.map((event) => event.id)).toEqual([3, 2]);
      expect((await events(`q=${encodeURIComponent('ÜNÏ')}`)).total).toBe(1);
      expect((await events('q=run_started')).total).toBe(0);
    });

    test('are not found by their secrets, but by the texts next to them', async () => {
      expect((await events('q=letmein')).total).toBe(0);
      expect((await events('q=password')).items[0]?.payloadJson).toBe('{"password":"***","n":1}');
    });

    test('are truncated to whole characters, and state their sizes', async () => {
      const { items } = await events('previewBytes=10');
      expect(items.map((event) => event.payloadJson)).toEqual([
        '{"fat":"ä',
        '{"n":2}',
        '{"password',
        '{"text":"p',
      ]);
      expect(items.map((event) => event.payloadBytes)).toEqual([120_010, 7, 24, 28]);
      const [fat] = (await events('previewBytes=9&size=1')).items;
      expect(fat?.payloadJson).toBe('{"fat":"');
    });

    test('hide a secret that is partly truncated', async () => {
      const { items } = await events('previewBytes=16');
      expect(items[2]?.payloadJson).toBe('{"password":"***');
    });

    test('are whole one by one', async () => {
      const whole = await service.get<ResponseBody<'getEvent'>>('/api/runs/r1/events/4');
      expect(whole.payloadJson).toHaveLength(60_010);
      expect(whole).not.toHaveProperty('payloadBytes');
      for (const id of ['5', '9223372036854775807', '9999999999999999999']) {
        expect(await service.getProblem(`/api/runs/r1/events/${id}`)).toMatchObject({
          code: 'NOT_FOUND',
          detail: `The run has no event with the id ${id}. Select another event`,
        });
      }
      for (const invalidId of ['x', '99999999999999999999']) {
        expect(await service.getProblem(`/api/runs/r1/events/${invalidId}`)).toMatchObject({
          status: 400,
          detail: 'id must be a whole number, at least 0, with at most 19 digits',
        });
      }
    });

    test('are counted by type', async () => {
      expect(await service.get('/api/runs/r1/event-types')).toEqual([
        { eventType: 'Run_Stopped', count: 1 },
        { eventType: 'run_started', count: 3 },
      ]);
    });
  });

  test('includes its checkpoints by iteration, then in the order of storing', async () => {
    const rows = await service.get<ResponseBody<'listCheckpoints'>>('/api/runs/r1/checkpoints');
    expect(rows.map(({ iteration, id }) => [iteration, id])).toEqual([
      [9, 2],
      [10, 1],
      [10, 3],
    ]);
  });

  test('includes its parameters by section and path, by code point, with masked secrets', async () => {
    const rows = await service.get<ResponseBody<'listRunParams'>>('/api/runs/r1/params');
    expect(rows.map((row) => [row.paramPath, row.valueText])).toEqual([
      ['a.B', '5.0E-4'],
      ['a.z', 'true'],
      ['b.apiKey', '***'],
      ['b.y', 'x'],
    ]);
    expect(rows[0]).toMatchObject({ valueNumber: 0.0005, valueBoolean: null, experimentId: 'e1' });
  });
});
