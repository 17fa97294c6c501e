import { beforeAll, expect, test } from 'vitest';
import type { RunOutcome } from '#server/sample/execute-run.ts';
import { runSample } from '#server/sample/run-sample.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import {
  findShapeDifferences,
  parseJavaJson,
  readRunnerRows,
} from '#tests/support/runner-sample.ts';

/** Runs of the sample, each with the run of the real runner whose rows it must resemble. */
const runPairs = [
  ['onemax30-adaptive-r01', 'adaptive30-pbil'],
  ['sphere5-gauss-r01', 'sphere5-gauss-r01'],
  ['ring16-ehm-r01', 'tsp8-ehm-r01'],
] as const;

describeOnEachDatabase('the sample', (database) => {
  let outcomes: RunOutcome[];
  const kysely = () => database().kysely;
  beforeAll(async () => {
    outcomes = await runSample({ database: database(), seeds: 2 });
  });

  const getIterations = (runId: string) =>
    kysely()
      .selectFrom('iterations')
      .selectAll()
      .where('run_id', '=', runId)
      .orderBy('iteration')
      .execute();
  const getEvents = (runId: string) =>
    kysely().selectFrom('events').selectAll().where('run_id', '=', runId).orderBy('id').execute();
  const getRun = (runId: string) =>
    kysely().selectFrom('runs').selectAll().where('run_id', '=', runId).executeTakeFirstOrThrow();

  test('has completed runs, one stopped run and one failed run', () => {
    const statuses = outcomes.map(({ runId, status }) => `${runId} ${status}`);
    expect(statuses).toHaveLength(13);
    expect(statuses).toContain('onemax60-stopped-r01 STOPPED');
    expect(statuses).toContain('sphere5-failing-r01 FAILED');
    expect(statuses.filter((status) => status.endsWith('COMPLETED'))).toHaveLength(11);
  });

  test.each(runPairs)(
    'writes iterations of %s like those of %s',
    async (sampleRunId, realRunId) => {
      const rows = await getIterations(sampleRunId);
      const realRows = readRunnerRows(
        'select * from iterations where run_id = ? order by iteration',
        realRunId,
      );
      for (const index of [0, 1, 4]) {
        for (const column of ['metrics_json', 'diagnostics_json'] as const) {
          const [sampleValue, realValue] = [rows[index]![column], realRows[index]![column]];
          expect(
            findShapeDifferences(parseJavaJson(sampleValue), parseJavaJson(realValue)),
          ).toEqual([]);
        }
      }
      expect(rows.map(({ iteration }) => iteration)).toEqual(rows.map((_, index) => index));
    },
  );

  test.each([
    ['run_started', 'onemax30-adaptive-r01'],
    ['iteration_completed', 'onemax30-adaptive-r01'],
    ['adaptive_action', 'onemax30-adaptive-r01'],
    ['checkpoint_saved', 'onemax60-stopped-r01'],
    ['run_stopped', 'onemax60-stopped-r01'],
    ['run_failed', 'sphere5-failing-r01'],
    ['run_completed', 'ring16-ehm-r01'],
  ])('writes the payload of %s as the runner does', async (type, runId) => {
    const event = (await getEvents(runId)).find(({ event_type }) => event_type === type)!;
    const [real] = readRunnerRows('select payload_json from events where event_type = ?', type);
    const withoutArtifacts = (text: unknown) => ({ ...parseJavaJson(text), artifacts: {} });
    expect(
      findShapeDifferences(
        withoutArtifacts(event.payload_json),
        withoutArtifacts(real!['payload_json']),
      ),
    ).toEqual([]);
    expect(event.payload_json).toMatch(/^\{"runId":"[^"]+","timestamp":\d{10}\.\d{9},/);
  });

  test.each([
    ['sphere5-gauss-r02', 'sphere5-gauss-r01'],
    ['sphere5-failing-r01', 'failed-copula'],
    ['onemax60-stopped-r01', 'long-rastrigin-r01'],
  ])('fills the columns of %s as those of %s', async (sampleRunId, realRunId) => {
    const run = await getRun(sampleRunId);
    const [realRun] = readRunnerRows('select * from runs where run_id = ?', realRunId);
    const listFilledColumns = (row: Record<string, unknown>) =>
      Object.keys(row).filter((column) => row[column] !== null);
    expect(listFilledColumns(run).toSorted()).toEqual(listFilledColumns(realRun!).toSorted());
    expect(run.status).toBe(realRun!['status']);
  });

  test('writes the same values into a run, its last iteration and its last event', async () => {
    const run = await getRun('ring16-ehm-r01');
    const lastIteration = (await getIterations('ring16-ehm-r01')).at(-1)!;
    const lastEvent = (await getEvents('ring16-ehm-r01')).at(-1)!;
    expect(run).toMatchObject({
      iterations: lastIteration.iteration,
      evaluations: lastIteration.evaluations,
    });
    expect(run.best_fitness).toBe(lastIteration.best_fitness);
    expect(run.end_time).toBe(lastEvent.created_at);
    expect(JSON.parse(lastEvent.payload_json)).toMatchObject({
      bestFitness: run.best_fitness,
      runtimeMillis: run.runtime_millis,
      bestSummary: run.best_summary,
    });
  });

  test('writes events in the order of the runner', async () => {
    const types = (await getEvents('onemax60-stopped-r01')).map(({ event_type }) => event_type);
    expect(types.slice(0, 2)).toEqual(['run_started', 'iteration_completed']);
    expect(types.slice(11, 13)).toEqual(['iteration_completed', 'checkpoint_saved']);
    expect(types.at(-1)).toBe('run_stopped');
    const times = (await getEvents('onemax60-stopped-r01')).map(
      ({ payload_json }) => (JSON.parse(payload_json) as { timestamp: number }).timestamp,
    );
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('writes each key of the last metrics as an objective if a run ends with results', async () => {
    const objectives = await kysely()
      .selectFrom('run_objectives')
      .select(['objective_name', 'objective_value'])
      .where('run_id', '=', 'onemax60-stopped-r01')
      .execute();
    const lastIteration = (await getIterations('onemax60-stopped-r01')).at(-1)!;
    const storedValues = objectives.map((row) => [row.objective_name, row.objective_value]);
    expect(Object.fromEntries(storedValues)).toEqual(JSON.parse(lastIteration.metrics_json!));
    const failedRuns = await kysely()
      .selectFrom('run_objectives')
      .selectAll()
      .where('run_id', '=', 'sphere5-failing-r01')
      .execute();
    expect(failedRuns).toEqual([]);
  });

  test('stores all 64 bits of a seed', async () => {
    expect((await getRun('sphere10-gauss-r01')).seed).toBe('7134074521766642662');
    expect((await getRun('sphere10-gauss-r02')).seed).toBe('7134074521766642663');
    const [startEvent] = await getEvents('sphere10-gauss-r02');
    expect(startEvent!.payload_json).toMatch(/"masterSeed":7134074521766642663\}$/);
  });

  test('acknowledges the stop that it requests', async () => {
    const requests = await kysely().selectFrom('control_requests').selectAll().execute();
    expect(requests).toMatchObject([
      {
        scope: 'run',
        target_id: 'onemax60-stopped-r01',
        status: 'ACKNOWLEDGED',
        acknowledged_by_run_id: 'onemax60-stopped-r01',
      },
    ]);
    expect(await getRun('onemax60-stopped-r01')).toMatchObject({
      iterations: 34,
      error_message: 'Stop requested from dashboard controls',
    });
  });

  test('stores each experiment once, with its parameters', async () => {
    const experiments = await kysely().selectFrom('experiments').selectAll().execute();
    expect(experiments).toHaveLength(8);
    for (const { experiment_id, config_hash } of experiments) {
      expect(config_hash).toBe(experiment_id);
    }
    const passwords = await kysely()
      .selectFrom('experiment_params')
      .select('value_text')
      .where('param_path', '=', 'persistence.database.password')
      .execute();
    expect(passwords).toEqual(experiments.map(() => ({ value_text: 'not-a-secret' })));
  });

  test('continues with the next seeds of the same experiments when it is written again', async () => {
    const secondResult = await runSample({
      database: database(),
      seeds: 1,
      onlyExperiment: 'sphere5-gauss',
    });
    expect(secondResult.map(({ runId }) => runId)).toEqual(['sphere5-gauss-r03']);
    const [firstRun, thirdRun] = [
      await getRun('sphere5-gauss-r01'),
      await getRun('sphere5-gauss-r03'),
    ];
    expect(thirdRun).toMatchObject({ experiment_id: firstRun.experiment_id, seed: 2003 });
  });

  test('stops the next run of an experiment with a pending stop request', async () => {
    const { experiment_id } = await getRun('sphere10-gauss-r01');
    const request = { scope: 'experiment', target_id: experiment_id, action: 'STOP' };
    await kysely()
      .insertInto('control_requests')
      .values({ ...request, requested_at: '2026-01-01T00:00:00Z', status: 'PENDING' })
      .execute();
    const [outcome] = await runSample({
      database: database(),
      seeds: 1,
      onlyExperiment: 'sphere10-gauss',
    });
    expect(outcome).toMatchObject({ runId: 'sphere10-gauss-r03', status: 'STOPPED' });
    expect(outcome!.generation!.iteration).toBe(0);
    const acknowledgedEvents = await kysely()
      .selectFrom('control_requests')
      .select(['status', 'acknowledged_by_run_id'])
      .where('target_id', '=', experiment_id)
      .execute();
    expect(acknowledgedEvents).toEqual([
      { status: 'ACKNOWLEDGED', acknowledged_by_run_id: 'sphere10-gauss-r03' },
    ]);
  });

  test('starts no run and leaves no run RUNNING when it is aborted', async () => {
    const controller = new AbortController();
    controller.abort();
    const emptyResult = await runSample({ database: database(), signal: controller.signal });
    expect(emptyResult).toEqual([]);
    const runningRuns = await kysely()
      .selectFrom('runs')
      .select('run_id')
      .where('status', '=', 'RUNNING')
      .execute();
    expect(runningRuns).toEqual([]);
  });
});
