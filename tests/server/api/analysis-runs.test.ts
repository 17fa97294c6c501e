import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExperimentTraces } from '#shared/schemas/analysis.ts';
import type { RunsOverlay, TelemetryOverlay } from '#shared/schemas/analysis-runs.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insert, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const start = Date.parse('2026-11-21T10:00:00Z');

/** Writes a run with these best values of its populations, `perIteration` evaluations and `seconds` apart. */
async function writeRun(
  database: TestDatabase,
  runId: string,
  bests: readonly (number | null)[],
  { experimentId = 'umda', seconds = 2, perIteration = 10, ...columns }: Record<string, unknown>,
): Promise<void> {
  const step = Number(perIteration);
  await insertRun(database, String(experimentId), runId, {
    best_fitness: Math.max(...bests.map((best) => best ?? -Infinity)),
    evaluations: step * bests.length,
    iterations: bests.length - 1,
    runtime_millis: 1_000 * Number(seconds) * bests.length,
    start_time: new Date(start).toISOString(),
    ...columns,
  });
  const rows = bests.map((best, iteration) => ({
    run_id: runId,
    iteration,
    evaluations: step * (iteration + 1),
    best_fitness: best ?? NaN,
    metrics_json: JSON.stringify({ diversity: 1 / (iteration + 1), best }),
    created_at: new Date(start + 1_000 * Number(seconds) * iteration).toISOString(),
  }));
  await insert(database, 'iterations', ...rows);
}

async function writeExperiment(
  database: TestDatabase,
  id: string,
  { populationSize, length }: { populationSize: number; length: number },
): Promise<void> {
  const config = {
    problem: { type: 'onemax' },
    representation: { type: 'bitstring', params: { length } },
    algorithm: { type: id, params: { populationSize } },
    stopping: { targetFitness: 9 },
  };
  await insertExperiment(database, id, {
    algorithm_type: id,
    config_json: JSON.stringify(config),
  });
  const flat = (path: string, text: string, section = 'algorithm') => ({
    experiment_id: id,
    section,
    param_path: path,
    value_text: text,
  });
  await insert(
    database,
    'experiment_params',
    flat('algorithm.populationSize', String(populationSize)),
    flat('algorithm.type', id),
    flat('problem.type', 'onemax', 'problem'),
    flat('persistence.database.password', `hunter-${id}`, 'persistence'),
    flat('run.name', `name of ${id}`, 'run'),
    flat('algorithm.rates[0]', '0.1'),
    {
      ...flat('algorithm.rates', ''),
      value_text: null,
      value_type: 'json',
      value_json: JSON.stringify(Array(300).fill(populationSize)),
    },
  );
}

describeOnEachDatabase('Runs laid over each other', (database) => {
  let service: TestService;
  const ask = (query: string) => service.get<RunsOverlay>(`/api/analysis/runs?${query}`);
  const refuse = (query: string) => service.getProblem(`/api/analysis/runs?${query}`);

  beforeAll(async () => {
    await writeExperiment(database(), 'umda', { populationSize: 10, length: 40 });
    await writeExperiment(database(), 'pbil', { populationSize: 20, length: 40 });
    await writeExperiment(database(), 'long', { populationSize: 10, length: 80 });
    await writeRun(database(), 'u1', [3, 5, 4, 9], { seed: 1 });
    await writeRun(database(), 'p1', [2, 6, 8, 7, 8], {
      experimentId: 'pbil',
      perIteration: 20,
      seed: '9007199254740993',
    });
    await writeRun(database(), 'on', [4, 4, 6], {
      status: 'RUNNING',
      evaluations: null,
      best_fitness: null,
      iterations: null,
      runtime_millis: null,
    });
    await writeRun(database(), 'l1', [30, 40], { experimentId: 'long' });
    await writeRun(database(), 'imported', [1, 2], { seconds: 0 });
    for (const [experimentId, row] of [
      ['empty', { value_type: 'null', value_text: null }],
      ['word', { value_text: 'null' }],
    ] as const) {
      await insertExperiment(database(), experimentId);
      await writeRun(database(), `run-${experimentId}`, [1], { experimentId });
      const param = { experiment_id: experimentId, section: 'algorithm' };
      await insert(
        database(),
        'experiment_params',
        { ...param, param_path: 'algorithm.limit', ...row },
        { ...param, param_path: 'algorithm.note', value_text: `${'x'.repeat(199)}😀` },
      );
    }
    await insertRun(database(), 'umda', 'bare', { status: 'FAILED' });
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test('have the best so far of each at common places: carried on after its end, but not while it is RUNNING', async () => {
    const { x, traces, isThinned, by } = await ask('run=u1&run=p1&run=on');
    expect({ by, isThinned }).toEqual({ by: 'evaluations', isThinned: false });
    expect(x).toEqual([10, 20, 30, 40, 60, 100]);
    expect(traces).toEqual([
      { runId: 'u1', best: [3, 5, 5, 9, 9, 9], end: 40, difference: null },
      { runId: 'p1', best: [null, 2, 2, 6, 8, 8], end: 100, difference: null },
      { runId: 'on', best: [4, 4, 6, null, null, null], end: 30, difference: null },
    ]);
  });

  test('can be over iterations, and over the seconds since each began', async () => {
    const iterations = await ask('run=u1&run=p1&by=iteration');
    expect(iterations.x).toEqual([0, 1, 2, 3, 4]);
    expect(iterations.traces.map(({ best }) => best)).toEqual([
      [3, 5, 5, 9, 9],
      [2, 6, 8, 8, 8],
    ]);
    const times = await ask('run=u1&run=on&run=imported&run=bare&by=TIME');
    expect(times.x).toEqual([0, 2, 4, 6]);
    expect(times.traces.map(({ best, end }) => [best, end])).toEqual([
      [[3, 5, 5, 9], 6],
      [[4, 4, 6, null], 4],
      [[null, null, null, null], null],
      [[null, null, null, null], null],
    ]);
    expect(times.notes.map(({ message }) => message)).toEqual([
      '1 run still running: its curve ends at the latest point.',
      '1 run without recorded fitness: no curve.',
      '1 run whose iterations have no usable times: no curve over time.',
    ]);
  });

  test('have their results side by side, each by its own target', async () => {
    const { runs } = await ask('run=p1&run=u1&run=on&run=bare');
    expect(runs).toMatchObject([
      {
        runId: 'p1',
        seed: '9007199254740993',
        best: 8,
        evaluationsSpent: 100,
        iterationsDone: 4,
        elapsedMillis: 10_000,
        solved: false,
        evaluationsToTarget: null,
        direction: 'max',
        directionSource: 'problem',
        targetFitness: 9,
        targetSource: 'config',
        instance: { label: 'onemax, length 40' },
        difference: null,
      },
      { runId: 'u1', best: 9, solved: true, evaluationsToTarget: 40 },
      {
        runId: 'on',
        status: 'RUNNING',
        best: 6,
        evaluationsSpent: 30,
        iterationsDone: 2,
        elapsedMillis: 4_000,
        solved: false,
      },
      { runId: 'bare', status: 'FAILED', best: null, evaluationsSpent: null, solved: false },
    ]);
  });

  test('have the wall time of a resumed run up to its newest row, not that of its earlier segment', async () => {
    await writeRun(database(), 'again', [30, 40, 50], {
      experimentId: 'long',
      status: 'RUNNING',
      resumed_from: 'checkpoint',
      runtime_millis: 1_500,
    });
    const { runs } = await ask('run=again&run=l1');
    expect(runs.map(({ elapsedMillis }) => elapsedMillis)).toEqual([4_000, 4_000]);
  });

  test('have the parameters that differ apart from the equal ones, lists whole, and secrets nowhere', async () => {
    const answer = await ask('run=u1&run=p1&run=on');
    expect(answer.parameters).toEqual({
      differing: [
        { path: 'algorithm.populationSize', isIncidental: false, values: ['10', '20', '10'] },
        {
          path: 'algorithm.rates',
          isIncidental: false,
          values: [/^\[10,10,/, /^\[20,20,/, /^\[10,10,/].map((form) =>
            expect.stringMatching(form),
          ),
        },
        { path: 'algorithm.type', isIncidental: false, values: ['umda', 'pbil', 'umda'] },
        {
          path: 'run.name',
          isIncidental: true,
          values: ['name of umda', 'name of pbil', 'name of umda'],
        },
      ],
      equal: [
        { path: 'persistence.database.password', value: '***' },
        { path: 'problem.type', value: 'onemax' },
      ],
    });
    expect(answer.parameters.differing[1]?.values[0]).toMatch(/… \(901 characters, [0-9a-f]{8}\)$/);
    expect(JSON.stringify(answer)).not.toContain('hunter');
  });

  test('distinguish null from the text "null", and truncate a long text to whole characters', async () => {
    const { parameters } = await ask('run=run-empty&run=run-word');
    expect(parameters.differing).toEqual([
      { path: 'algorithm.limit', isIncidental: false, values: ['null', '"null"'] },
    ]);
    expect(parameters.equal.at(-1)?.value).toMatch(/^x{199}… \(201 characters, /);
  });

  test('are set against a reference, fitness only where it means the same', async () => {
    const { reference, runs, traces, notes } = await ask('run=u1&run=p1&run=l1&reference=u1');
    expect(reference).toBe('u1');
    expect(runs.map(({ difference }) => difference)).toEqual([
      null,
      {
        best: -1,
        evaluationsToTarget: null,
        evaluations: 60,
        iterations: 1,
        runtimeMillis: 2_000,
      },
      {
        best: null,
        evaluationsToTarget: -30,
        evaluations: -20,
        iterations: -2,
        runtimeMillis: -4_000,
      },
    ]);
    expect(traces.map(({ difference }) => difference)).toEqual([
      null,
      [null, -3, -3, -1, -1],
      null,
    ]);
    expect(notes.map(({ message }) => message)).toContain(
      'The runs belong to 2 problem instances, whose fitness is not comparable: onemax, length 40; onemax, length 80.',
    );
  });

  test('have the requested positions, and those that a curve requires', async () => {
    const { x, isThinned } = await ask('run=u1&run=p1&points=2');
    expect({ x, isThinned }).toEqual({ x: [10, 20, 40, 100], isThinned: true });
  });

  test('are thinned in the traces of an experiment if an improvement is missing, even if the end is a point', async () => {
    const { runs } = await service.get<ExperimentTraces>('/api/experiments/pbil/traces?points=2');
    expect(runs.map(({ points, isThinned }) => [points.map(({ x }) => x), isThinned])).toEqual([
      [[20, 60, 100], true],
    ]);
  });

  test('have their stored series over the same axes, the keys by how many have them, and what was found', async () => {
    const getTelemetry = (query: string) =>
      service.get<TelemetryOverlay>(`/api/analysis/runs/telemetry?run=u1&run=on&run=bare&${query}`);
    const { runs, keys, series } = await getTelemetry('series=diversity&series=none');
    expect(keys).toEqual([
      { key: 'diversity', runs: 2 },
      { key: 'best', runs: 2 },
    ]);
    expect(runs.map(({ runId, x }) => [runId, x])).toEqual([
      ['u1', [10, 20, 30, 40]],
      ['on', [10, 20, 30]],
      ['bare', []],
    ]);
    expect(series).toEqual([
      { key: 'diversity', values: [[1, 1 / 2, 1 / 3, 1 / 4], [1, 1 / 2, 1 / 3], []] },
      { key: 'none', values: [[], [], []] },
    ]);
    expect(runs.map(({ diagnosis }) => diagnosis.map(({ code }) => code))).toEqual([
      ['TARGET_REACHED'],
      ['SILENT'],
      ['CRASHED'],
    ]);
    expect((await getTelemetry('by=iteration')).runs[0]?.x).toEqual([0, 1, 2, 3]);
    const timed = await service.get<TelemetryOverlay>(
      '/api/analysis/runs/telemetry?run=u1&run=imported&by=time',
    );
    expect(timed.runs.map(({ x }) => x)).toEqual([
      [0, 2, 4, 6],
      [null, null],
    ]);
  });

  test('are refused in words: too few, too many, too few, too many, one twice, a stranger as reference, an axis that is none', async () => {
    const many = Array.from({ length: 21 }, (_, index) => `run=r${index}`).join('&');
    const details = ['', 'run=u1', many, 'run=u1&run=u1', 'run=u1&run=p1&reference=on'].map(
      async (query) => (await refuse(query)).detail,
    );
    expect(await Promise.all(details)).toEqual([
      'run must name 2 to 20 runs, not 0',
      'run must name 2 to 20 runs, not 1',
      'run must name 2 to 20 runs, not 21',
      'run must name each run once, but names "u1" several times',
      'reference must be one of the runs',
    ]);
    const tooMany = '/api/analysis/runs/telemetry?run=u1&run=p1&series=a&series=b&series=c';
    expect((await service.getProblem(`${tooMany}&series=d&series=e`)).detail).toBe(
      'series must name at most 4 series',
    );
    expect(await refuse('run=u1&run=p1&by=mood')).toMatchObject({
      status: 400,
      detail: 'by must be one of evaluations, iteration, time',
    });
  });

  test('that do not exist are named, each with its position in the query', async () => {
    expect(await refuse('run=u1&run=gone')).toMatchObject({
      status: 404,
      code: 'RUN_NOT_FOUND',
      detail: 'There is no run with the id "gone". Select another run',
      errors: [{ path: 'run.1', message: 'must be the id of a run' }],
    });
    expect((await refuse('run=a&run=u1&run=b')).detail).toBe(
      'There are no runs with the ids "a", "b". Select other runs',
    );
    expect((await refuse('run=a&run=b')).code).toBe('RUN_NOT_FOUND');
  });
});
