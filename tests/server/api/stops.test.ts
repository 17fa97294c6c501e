import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import { describeOnEachDatabase, openTestDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const json = { 'content-type': 'application/json' };

describeOnEachDatabase('stop requests', (database) => {
  let service: TestService;

  const post = async (path: string, body?: unknown) => {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      ...(body === undefined ? {} : { headers: json, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const requests = () =>
    database()
      .kysely.selectFrom('control_requests')
      .selectAll()
      .orderBy('scope')
      .orderBy('target_id')
      .execute();

  beforeAll(async () => {
    service = await startService(database(), { isInThisThread: true });
    await insertExperiment(database(), 'busy');
    await insertRun(database(), 'busy', 'r1', { status: 'RUNNING' });
    await insertRun(database(), 'busy', 'r2', { status: 'running' });
    await insertRun(database(), 'busy', 'r3', { status: 'COMPLETED' });
    await insertExperiment(database(), 'done');
    await insertRun(database(), 'done', 'd1', { status: 'STOPPED' });
    await insertExperiment(database(), 'empty');
  });
  beforeEach(async () => {
    await database().kysely.deleteFrom('control_requests').execute();
  });
  afterAll(() => service.close());

  test('store a reason for a RUNNING run, and the runner reads them as PENDING', async () => {
    const { status, body } = await post('/api/runs/r1/stop', { reason: '  enough  ' });
    expect(status).toBe(200);
    expect(body).toEqual({
      scope: 'run',
      targetId: 'r1',
      accepted: true,
      affectedRuns: 1,
      message: 'The service requested a stop of run "r1". The run ends before its next iteration',
    });
    expect(await requests()).toMatchObject([
      {
        scope: 'run',
        target_id: 'r1',
        action: 'STOP',
        requested_by: 'evoscope',
        reason: 'enough',
        status: 'PENDING',
        acknowledged_at: null,
        acknowledged_by_run_id: null,
      },
    ]);
  });

  test('replace earlier requests, also acknowledged ones', async () => {
    await post('/api/runs/r1/stop', { reason: 'first' });
    await database()
      .kysely.updateTable('control_requests')
      .set({ status: 'ACKNOWLEDGED', acknowledged_at: 'x', acknowledged_by_run_id: 'r1' })
      .execute();
    expect((await post('/api/runs/r1/stop')).status).toBe(200);
    expect(await requests()).toMatchObject([
      { reason: null, status: 'PENDING', acknowledged_at: null, acknowledged_by_run_id: null },
    ]);
  });

  test('without a body or with an empty reason have no reason', async () => {
    await post('/api/runs/r1/stop', { reason: '   ' });
    expect(await requests()).toMatchObject([{ reason: null }]);
  });

  test('for an experiment are one for it and one for each RUNNING run', async () => {
    const { status, body } = await post('/api/experiments/busy/stop', { reason: 'lunch' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      scope: 'experiment',
      targetId: 'busy',
      accepted: true,
      affectedRuns: 2,
      message: 'The service requested a stop of experiment "busy" and of its 2 RUNNING runs',
    });
    expect((await requests()).map((row) => [row.scope, row.target_id, row.reason])).toEqual([
      ['experiment', 'busy', 'lunch'],
      ['run', 'r1', 'lunch'],
      ['run', 'r2', 'lunch'],
    ]);
  });

  test.each([
    [
      '/api/runs/nobody/stop',
      404,
      'RUN_NOT_FOUND',
      'There is no run with the id "nobody". Select another run',
    ],
    [
      '/api/experiments/nobody/stop',
      404,
      'EXPERIMENT_NOT_FOUND',
      'There is no experiment with the id "nobody". Select another experiment',
    ],
    [
      '/api/runs/r3/stop',
      409,
      'NOT_STOPPABLE',
      'Run "r3" is COMPLETED, not RUNNING. Select a RUNNING run',
    ],
    [
      '/api/experiments/done/stop',
      409,
      'NOT_STOPPABLE',
      'Experiment "done" has no RUNNING run. Select an experiment with one',
    ],
    [
      '/api/experiments/empty/stop',
      409,
      'NOT_STOPPABLE',
      'Experiment "empty" has no RUNNING run. Select an experiment with one',
    ],
  ])('POST %s is %i %s and writes nothing', async (path, status, code, detail) => {
    expect(await post(path)).toMatchObject({ status, body: { status, code, detail } });
    expect(await requests()).toEqual([]);
  });

  test('with a reason over 1000 characters or of another type are refused and write nothing', async () => {
    for (const reason of ['x'.repeat(1001), 7, ['a']]) {
      const { status, body } = await post('/api/runs/r1/stop', { reason });
      expect(status).toBe(400);
      expect((body as ProblemDocument).errors?.[0]?.path).toBe('reason');
    }
    expect(await requests()).toEqual([]);
  });

  test('are part of the run and of its experiment, the newest one only', async () => {
    await post('/api/experiments/busy/stop', { reason: 'lunch' });
    const run = await service.get<{ stopRequest: unknown }>('/api/runs/r1');
    const experiment = await service.get<{ stopRequest: unknown }>('/api/experiments/busy');
    expect(run.stopRequest).toMatchObject({ scope: 'run', status: 'PENDING', reason: 'lunch' });
    expect(experiment.stopRequest).toMatchObject({ scope: 'experiment', status: 'PENDING' });
  });

  test('are refused with READ_ONLY by a read-only database', async () => {
    const readOnly = await openTestDatabase(database().url, { isReadOnly: true });
    const other = await startService(readOnly, { isInThisThread: true });
    try {
      for (const path of ['/api/runs/r1/stop', '/api/experiments/busy/stop']) {
        const problem = await other.getProblem(path, { method: 'POST' });
        expect(problem).toMatchObject({
          status: 409,
          code: 'READ_ONLY',
          detail:
            'The database is open read-only, so the service cannot change anything. Open the database with write access',
        });
      }
    } finally {
      await other.close();
      await readOnly.close();
    }
  });
});

test('On SQLite a RUNNING run without an id cannot be stopped, and its experiment cannot be deleted', async () => {
  const database = await openTestDatabase(':memory:');
  await insertExperiment(database, 'e1');
  await insert(database, 'runs', { run_id: null, status: 'RUNNING' });
  const service = await startService(database);
  const url = `${service.url}/api/experiments/e1`;
  const responses = [
    await fetch(`${url}/stop`, { method: 'POST' }),
    await fetch(url, { method: 'DELETE' }),
  ];
  const problems = await Promise.all(responses.map((response) => response.json()));
  expect(problems).toMatchObject([
    { status: 409, code: 'NOT_STOPPABLE' },
    {
      status: 409,
      code: 'RUNS_ACTIVE',
      detail:
        'The service cannot delete experiment "e1" while a run without an id is RUNNING: set the status of the run without an id in the database first',
    },
  ]);
  await service.close();
  await database.close();
});
