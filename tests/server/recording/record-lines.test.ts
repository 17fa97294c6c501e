import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { RecordResponse } from '#shared/schemas/recording.ts';
import { recordWithRetries } from '#server/recording/recorder.ts';
import { storeInTransaction, storeRecords } from '#server/recording/record-lines.ts';
import {
  describeOnEachDatabase,
  makePostgresLocation,
  onServer,
  openTestDatabase,
} from '#tests/support/databases.ts';
import { deleteAllRows, insert, insertExperiment, insertRun } from '#tests/support/rows.ts';

const config = { algorithm: 'CMA-ES', problem: 'sphere' };
const makeRun = (runId: string, fields = {}) => ({
  type: 'run',
  runId,
  seed: 1,
  config,
  ...fields,
});
const makeIteration = (runId: string, iteration: number, best: number | string, fields = {}) => ({
  type: 'iteration',
  runId,
  iteration,
  evaluations: 10 * (iteration + 1),
  best,
  ...fields,
});
const makeEnd = (runId: string, fields = {}) => ({
  type: 'end',
  runId,
  status: 'COMPLETED',
  ...fields,
});

describeOnEachDatabase('storeRecords', (database) => {
  beforeEach(() => deleteAllRows(database()));

  const store = (records: readonly unknown[], furtherRuns: string[] = []) =>
    storeRecords(database(), {
      isRecording: true,
      text: records.map((record) => JSON.stringify(record)).join('\n'),
      furtherRuns,
    });
  const getCounts = ({ accepted, unchanged, rejected }: RecordResponse) => [
    accepted,
    unchanged,
    ...rejected.map(({ code }) => code),
  ];
  const getRun = (runId = 'r') =>
    database()
      .kysely.selectFrom('runs')
      .selectAll()
      .where('run_id', '=', runId)
      .executeTakeFirstOrThrow();
  const listIterations = () =>
    database().kysely.selectFrom('iterations').selectAll().orderBy('iteration').execute();
  const listEvents = async () =>
    (await database().kysely.selectFrom('events').selectAll().orderBy('id').execute()).map(
      ({ event_type, payload_json }) => ({
        type: event_type,
        payload: JSON.parse(payload_json ?? '{}') as Record<string, unknown>,
      }),
    );

  test.each([
    ['evaluations', { evaluations: 11 }, { evaluations: 11 }],
    ['best', { best: 4 }, { best_fitness: 4 }],
    ['mean', { mean: 7 }, { mean_fitness: 7 }],
    ['deviation', { std: 2 }, { std_fitness: 2 }],
    ['metrics', { metrics: { sigma: 2 } }, { metrics_json: '{"sigma":2.0}' }],
    ['diagnostics', { diagnostics: { axis: 2 } }, { diagnostics_json: '{"axis":2}' }],
  ])('stores an iteration again if its %s changed', async (_name, change, expected) => {
    const values = { mean: 6, std: 1, metrics: { sigma: 1 }, diagnostics: { axis: 1 } };
    const iteration = makeIteration('r', 0, 5, values);
    expect(getCounts(await store([makeRun('r'), iteration]))).toEqual([2, 0]);
    expect(getCounts(await store([iteration]))).toEqual([0, 1]);
    expect(getCounts(await store([{ ...iteration, ...change }]))).toEqual([1, 0]);
    expect(await listIterations()).toMatchObject([expected]);
  });

  test('rejects only the record that has an object as the length of a text', async () => {
    const invalidIteration = makeIteration('r', 0, 5, { runId: { length: { toString: 1 } } });
    expect(await store([makeRun('r'), invalidIteration, makeIteration('r', 0, 4)])).toMatchObject({
      accepted: 2,
      rejected: [
        { line: 2, code: 'VALIDATION_FAILED', message: 'runId.length must not be an object' },
      ],
    });
  });

  test('stores the last of several records of an iteration, and counts it once', async () => {
    // Without time that passes, one transaction stores all records.
    vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const records = [makeRun('r'), makeIteration('r', 0, 5), makeIteration('r', 0, 4)];
    expect(getCounts(await store(records))).toEqual([2, 1]);
    expect(await listIterations()).toMatchObject([{ best_fitness: 4 }]);
  });

  test('stores a missing mean and deviation as the best and 0', async () => {
    await store([makeRun('r'), makeIteration('r', 0, 5, { mean: 'NaN', std: 'NaN' })]);
    expect(await listIterations()).toMatchObject([
      { best_fitness: 5, mean_fitness: 5, std_fitness: 0, metrics_json: null },
    ]);
  });

  test('updates a missing best if an earlier iteration arrives later', async () => {
    await store([makeRun('r'), makeIteration('r', 1, 8), makeIteration('r', 4, 'NaN')]);
    await store([makeIteration('r', 5, 'NaN'), makeIteration('r', 3, 6)]);
    await store([makeIteration('r', 2, 7)]);
    const bests = (await listIterations()).map(({ best_fitness }) => best_fitness);
    expect(bests).toEqual([8, 7, 6, 6, 6]);
  });

  test('takes the best of the last iteration before a missing one, stored or in the request', async () => {
    await store([makeRun('r'), makeIteration('r', 0, 9), makeIteration('r', 2, 5)]);
    await store([makeIteration('r', 2, 4), makeIteration('r', 3, 'NaN')]);
    await store([makeIteration('r', 0, 8), makeIteration('r', 4, 'NaN')]);
    const rows = await listIterations();
    expect(rows.map(({ best_fitness }) => best_fitness)).toEqual([8, 4, 4, 4]);
    expect(rows.map(({ mean_fitness }) => mean_fitness)).toEqual([8, 4, 4, 4]);
  });

  test('stores the type of the event and the values of the end of a run', async () => {
    const end = { best: 3, evaluations: 99, summary: 'x = 0', objectives: { cost: 3, time: 7 } };
    await store([makeRun('r'), makeIteration('r', 4, 5), makeEnd('r', end)]);
    expect(await getRun()).toMatchObject({
      status: 'COMPLETED',
      iterations: 4,
      evaluations: 99,
      best_fitness: 3,
      best_summary: 'x = 0',
      error_message: null,
    });
    expect(await listEvents()).toMatchObject([{ type: 'run_completed', payload: end }]);
    const objectives = await database()
      .kysely.selectFrom('run_objectives')
      .selectAll()
      .orderBy('objective_name')
      .execute();
    expect(objectives).toMatchObject([
      { objective_name: 'cost', objective_value: 3 },
      { objective_name: 'time', objective_value: 7 },
    ]);
  });

  test.each([
    ['FAILED', { error: 'out of memory' }, 'run_failed', 'out of memory'],
    ['FAILED', {}, 'run_failed', 'The client reported a failure'],
    ['STOPPED', {}, 'run_stopped', null],
  ])('stores a run that ended as %s with %j', async (status, fields, type, message) => {
    await store([makeRun('r'), makeEnd('r', { status, ...fields })]);
    expect(await getRun()).toMatchObject({ status, error_message: message, best_fitness: null });
    expect(await listEvents()).toMatchObject([{ type, payload: { status, ...fields } }]);
  });

  test.each(['NaN', '-Infinity'])(
    'takes the best of the iterations if that of the end is %s',
    async (best) => {
      await store([makeRun('r'), makeIteration('r', 0, 5), makeEnd('r', { best })]);
      expect(await getRun()).toMatchObject({ best_fitness: 5, evaluations: 10, iterations: 0 });
      const objectives = await database().kysely.selectFrom('run_objectives').selectAll().execute();
      expect(objectives).toMatchObject([{ objective_name: 'best_obj_0', objective_value: 5 }]);
    },
  );

  test('has no runtime if the run ended before its start', async () => {
    const startTime = '2026-01-31T12:00:00.25Z';
    for (const [runId, time, runtime] of [
      ['later', '2026-01-31T12:00:01Z', 750],
      ['same', startTime, 0],
      ['earlier', '2026-01-31T12:00:00Z', null],
    ] as const) {
      await store([makeRun(runId, { startTime }), makeEnd(runId, { time })]);
      const { runtime_millis: millis } = await getRun(runId);
      expect(millis === null ? null : Number(millis), runId).toBe(runtime);
    }
  });

  test('stores all digits of a time, and the current time for a later one', async () => {
    const startTime = '2026-01-31T12:00:00.123456789Z';
    await store([makeRun('r', { startTime }), makeRun('s', { startTime: '2999-01-01T00:00:00Z' })]);
    expect(await getRun('r')).toMatchObject({ start_time: startTime });
    const { start_time: currentTime } = await getRun('s');
    expect(Math.abs(Date.parse(currentTime) - Date.now())).toBeLessThan(60_000);
  });

  const endValues = { best: 3, summary: 'a', evaluations: 20, error: 'b', objectives: { cost: 3 } };
  test.each([
    { status: 'FAILED' },
    { best: 4 },
    { summary: 'c' },
    { evaluations: 21 },
    { error: 'd' },
    { objectives: { cost: 4 } },
  ])('refuses another end with %j, in the same request or later', async (change) => {
    const [first, second] = [makeEnd('r', endValues), makeEnd('r', { ...endValues, ...change })];
    expect(getCounts(await store([makeRun('r'), first, first, second]))).toEqual([
      2,
      1,
      'RUN_ENDED',
    ]);
    expect(getCounts(await store([second, first]))).toEqual([0, 1, 'RUN_ENDED']);
    expect(await getRun()).toMatchObject({ status: 'COMPLETED', best_fitness: 3 });
    expect(await listEvents()).toHaveLength(1);
  });

  test('accepts late iterations up to the evaluations of the end, or any if it states none', async () => {
    await store([
      makeRun('r'),
      makeEnd('r', { evaluations: 20 }),
      makeRun('open'),
      makeEnd('open'),
    ]);
    const inRequest = [makeRun('q'), makeEnd('q', { evaluations: 20 }), makeIteration('q', 2, 1)];
    expect(getCounts(await store(inRequest))).toEqual([2, 0, 'RUN_ENDED']);
    const late = [makeIteration('r', 1, 4), makeIteration('r', 2, 3), makeIteration('open', 2, 3)];
    expect(getCounts(await store(late))).toEqual([2, 0, 'RUN_ENDED']);
    expect(await getRun('r')).toMatchObject({ iterations: 1, evaluations: 20, best_fitness: 4 });
    expect(await getRun('open')).toMatchObject({ iterations: 2, evaluations: 30, best_fitness: 3 });
    expect(getCounts(await store([makeIteration('open', 4, 2)]))).toEqual([1, 0]);
    expect(await getRun('open')).toMatchObject({ iterations: 4, evaluations: 50, best_fitness: 2 });
  });

  test('accepts iterations of a run that a user settled, and leaves its results as they are', async () => {
    await store([makeRun('r')]);
    await database().kysely.updateTable('runs').set({ status: 'FAILED' }).execute();
    expect(getCounts(await store([makeIteration('r', 0, 5)]))).toEqual([1, 0]);
    expect(await getRun()).toMatchObject({ status: 'FAILED', best_fitness: null });
  });

  test('recognises an event by its run, type and id, and appends events without an id', async () => {
    const event = { type: 'event', runId: 'r', eventType: 'restart', eventId: 'one' };
    const records = [
      makeRun('r'),
      makeRun('s'),
      event,
      event,
      { ...event, eventId: 'two' },
      { ...event, eventType: 'jump' },
      { ...event, runId: 's' },
      { ...event, eventId: undefined, payload: { runId: 'x', timestamp: 'y', reason: 'z' } },
      { ...event, eventId: undefined, payload: { runId: 'x', timestamp: 'y', reason: 'z' } },
    ];
    expect(getCounts(await store(records))).toEqual([8, 1]);
    const events = await listEvents();
    expect(events).toHaveLength(6);
    expect(events.at(-1)).toEqual({
      type: 'restart',
      payload: { runId: 'r', timestamp: expect.not.stringMatching('y'), reason: 'z' },
    });
  });

  test('recognises a checkpoint by its iteration and path', async () => {
    const checkpoint = { type: 'checkpoint', runId: 'r', iteration: 1, path: 'a' };
    const records = [checkpoint, { ...checkpoint, iteration: 2 }, { ...checkpoint, path: 'b' }];
    expect(getCounts(await store([makeRun('r'), ...records, checkpoint]))).toEqual([4, 1]);
    const rows = await database().kysely.selectFrom('checkpoints').selectAll().execute();
    expect(rows).toHaveLength(3);
  });

  test('recognises a run by its configuration and seed', async () => {
    await store([makeRun('r')]);
    const records = [
      makeRun('r'),
      makeRun('r', { seed: 2 }),
      makeRun('r', { config: { ...config, popsize: 5 } }),
    ];
    expect(getCounts(await store(records))).toEqual([0, 1, 'RUN_CONFLICT', 'RUN_CONFLICT']);
    expect(getCounts(await store([makeRun('s'), makeRun('s')]))).toEqual([1, 1]);
  });

  test('lists rejected lines in their order', async () => {
    const { rejected } = await store([makeIteration('none', 0, 1), [1], makeEnd('none'), [2]]);
    expect(rejected.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
  });

  test('lists pending stop requests of RUNNING recorded runs and of their experiments', async () => {
    await insertExperiment(database(), 'real');
    await insertRun(database(), 'real', 'foreign', { status: 'RUNNING' });
    const other = { config: { ...config, popsize: 5 } };
    await store([makeRun('a'), makeRun('b'), makeRun('ended'), makeRun('c', other), makeRun('d')]);
    await store([makeEnd('ended')]);
    const { experiment_id: experimentId } = await getRun('a');
    const request = (scope: string, target_id: string, reason: string | null, fields = {}) =>
      insert(database(), 'control_requests', { scope, target_id, reason, ...fields });
    await request('run', 'a', null);
    await request('run', 'd', 'own');
    await request('experiment', experimentId, 'all');
    await request('run', 'foreign', 'x');
    await request('run', 'c', 'x', { status: 'ACKNOWLEDGED' });
    const { stop } = await store([makeIteration('a', 0, 1)], ['b', 'c', 'd', 'ended', 'foreign']);
    expect(stop).toEqual([
      { runId: 'a', reason: 'all' },
      { runId: 'b', reason: 'all' },
      { runId: 'd', reason: 'own' },
    ]);
  });

  test('does not change the iterations of an ended run when a program uses its id again', async () => {
    await store([makeRun('r'), makeIteration('r', 0, 5), makeIteration('r', 1, 'NaN')]);
    await store([makeIteration('r', 2, 3), makeEnd('r')]);
    const previousRows = await listIterations();
    const { rejected, ...counts } = await store([
      makeRun('r'),
      makeIteration('r', 0, 4),
      makeIteration('r', 1, 'NaN'),
      makeIteration('r', 2, 3, { metrics: { sigma: 1 } }),
    ]);
    expect(counts).toMatchObject({ accepted: 0, unchanged: 2 });
    const message = 'Run "r" has ended with other values in this iteration. Record another run';
    expect(rejected).toEqual([2, 4].map((line) => ({ line, code: 'RUN_ENDED', message })));
    expect(await listIterations()).toEqual(previousRows);
  });

  test('storeInTransaction returns the first rejection with the number of its record', async () => {
    await store([makeRun('r')]);
    const makeEvent = (runId: string) => ({ type: 'event', runId, eventType: 'restart' }) as const;
    const storeEvents = (...runIds: string[]) =>
      recordWithRetries(database(), (recorder, transaction) =>
        storeInTransaction(transaction, recorder, runIds.map(makeEvent)),
      );
    expect(await storeEvents('r', 'none')).toMatchObject({ line: 2, code: 'RUN_UNKNOWN' });
    expect(await storeEvents('r', 'r')).toBeUndefined();
  });
});

test('storeRecords rejects only the lines with a character that the encoding of the database lacks', async () => {
  const location = await makePostgresLocation();
  const name = `latin1_${Date.now()}`;
  const create = `create database ${name} template template0 encoding 'LATIN1' locale 'C'`;
  await onServer(location.url, (client) => client.query(create));
  const url = new URL(location.url);
  url.pathname = `/${name}`;
  const database = await openTestDatabase(url.href);
  const event = { type: 'event', runId: 'r', eventType: 'restart' };
  const text = [
    makeRun('r'),
    ...Array.from({ length: 40 }, (_, iteration) => makeIteration('r', iteration, 1)),
    { ...event, payload: { text: '∞' } },
    makeRun('日本'),
    makeRun('größe'),
    { ...event, payload: { text: 'é' } },
    makeEnd('r'),
  ].map((record) => JSON.stringify(record));
  const input = { isRecording: true, text: text.join('\n'), furtherRuns: ['∞', 'größe'] };
  const message = (character: string) =>
    `The encoding of the PostgreSQL database has no character "${character}". Remove it, or use a database with the encoding UTF8`;
  expect(await storeRecords(database, input)).toMatchObject({
    accepted: 44,
    rejected: [
      { line: 42, code: 'VALIDATION_FAILED', message: message('∞') },
      { line: 43, code: 'VALIDATION_FAILED', message: message('日') },
    ],
  });
  await insert(database, 'control_requests', {
    scope: 'run',
    target_id: 'größe',
    action: 'STOP',
    requested_at: 't',
    status: 'PENDING',
    reason: 'no',
  });
  const { stop } = await storeRecords(database, { ...input, text: '' });
  expect(stop).toEqual([{ runId: 'größe', reason: 'no' }]);
  await database.close();
  await onServer(location.url, (client) => client.query(`drop database ${name}`));
  await location.remove();
});
