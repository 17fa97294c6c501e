import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ProblemDocument } from '#shared/schemas/error.ts';
import type { RecordResponse } from '#shared/schemas/recording.ts';
import { describeOnEachDatabase } from '#tests/support/databases.ts';
import { deleteAllRows, deleteAllRuns, insertExperiment, insertRun } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const config = {
  algorithm: 'CMA-ES',
  problem: 'sphere',
  dimension: 10,
  budget: 1_000,
  popsize: 12,
};
const runLine = (runId: string, more = {}) => ({ type: 'run', runId, config, seed: 1, ...more });
const iterationLine = (runId: string, iteration: number, best: number | string, more = {}) => ({
  type: 'iteration',
  runId,
  iteration,
  evaluations: 12 * (iteration + 1),
  best,
  ...more,
});
const ndjson = (records: readonly unknown[]) =>
  records.map((one) => JSON.stringify(one)).join('\n');

async function post(service: TestService, body: string | Buffer, headers = {}, query = '') {
  const response = await fetch(`${service.url}/api/record${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...headers },
    body: body as BodyInit,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as unknown,
  };
}

describeOnEachDatabase('POST /api/record', (database) => {
  let service: TestService;

  const send = async (records: readonly unknown[], query = '') =>
    (await post(service, ndjson(records), {}, query)).body as RecordResponse;
  const getRows = (runId: string) =>
    database()
      .kysely.selectFrom('iterations')
      .selectAll()
      .where('run_id', '=', runId)
      .orderBy('iteration')
      .execute();
  const runs = () => database().kysely.selectFrom('runs').selectAll().execute();
  const getRun = (runId: string) =>
    database()
      .kysely.selectFrom('runs')
      .selectAll()
      .where('run_id', '=', runId)
      .executeTakeFirstOrThrow();

  beforeAll(async () => {
    service = await startService(database(), { isRecording: true, isInThisThread: true });
  });
  beforeEach(() => deleteAllRows(database()));
  afterAll(() => service.close());

  test('stores a run from its start to its end, as the pages show it', async () => {
    expect(
      await send([
        runLine('r', { seed: '9223372036854775807', startTime: '2026-01-31T12:00:00Z' }),
        iterationLine('r', 0, 5, {
          metrics: { sigma: 0.5, cond: 'Infinity' },
          diagnostics: { mean: [1, 2] },
        }),
        iterationLine('r', 1, 2.5, { mean: 3, std: 0.25 }),
        { type: 'event', runId: 'r', eventType: 'restart', payload: { why: 'stagnation' } },
        { type: 'checkpoint', runId: 'r', iteration: 1, path: 'out/1.pkl' },
        {
          type: 'end',
          runId: 'r',
          status: 'COMPLETED',
          time: '2026-01-31T12:00:10Z',
          summary: 'x = 0',
        },
      ]),
    ).toEqual({ accepted: 6, unchanged: 0, rejected: [], runIds: ['r'], stop: [] });
    const run = (await (await fetch(`${service.url}/api/runs/r`)).json()) as Record<
      string,
      unknown
    >;
    expect(run).toMatchObject({
      runId: 'r',
      algorithmType: 'CMA-ES',
      problemType: 'sphere',
      status: 'COMPLETED',
      seed: '9223372036854775807',
      startTime: '2026-01-31T12:00:00Z',
      endTime: '2026-01-31T12:00:10Z',
      runtimeMillis: 10_000,
      iterations: 1,
      evaluations: 24,
      bestFitness: 2.5,
    });
    expect(await getRows('r')).toMatchObject([
      {
        iteration: 0,
        evaluations: 12,
        best_fitness: 5,
        mean_fitness: 5,
        std_fitness: 0,
        metrics_json: '{"sigma":0.5,"cond":"Infinity"}',
        diagnostics_json: '{"mean":[1,2]}',
      },
      { iteration: 1, evaluations: 24, best_fitness: 2.5, mean_fitness: 3, std_fitness: 0.25 },
    ]);
  });

  test('gives an id to a run without one', async () => {
    const { runIds } = await send([{ type: 'run', config, seed: 3 }]);
    expect(runIds).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(await getRun(runIds[0]!)).toMatchObject({ status: 'RUNNING', seed: 3 });
  });

  test('joins runs of equal configurations in one experiment, for any seed, order and digits', async () => {
    await send([
      runLine('a', { config: { ...config, seed: 1 } }),
      runLine('b', { seed: 2, config: Object.fromEntries(Object.entries(config).reverse()) }),
    ]);
    await post(service, JSON.stringify(runLine('c')).replace('"dimension":10', '"dimension":10.0'));
    await send([runLine('d', { config: { ...config, popsize: 13 } })]);
    const ids = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (id) => (await getRun(id)).experiment_id),
    );
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(ids[3]).not.toBe(ids[0]);
  });

  test.each([
    [{ algorithm: { type: 'DE', name: 'a' } }, { algorithm: { type: 'DE', name: 'b' } }],
    [{ problem: { type: 'x', name: 'f1' } }, { problem: { type: 'x', name: 'f2' } }],
    [{ algorithm: { params: { type: 'a' } } }, { algorithm: { params: { type: 'b' } } }],
    [{ algorithm: { type: 'DE', params: [1] } }, { algorithm: { type: 'DE', params: [2] } }],
    [
      { budget: 10, stopping: { maxEvaluations: 30 } },
      { budget: 20, stopping: { maxEvaluations: 30 } },
    ],
    [{ stopping: [{ maxEvaluations: 10 }] }, { stopping: [{ maxEvaluations: 20 }] }],
    [{ algorithm: { type: ['DE'] } }, { algorithm: { type: ['CMA-ES'] } }],
    [{ problem: { k: 1, params: { k: 2 } } }, { problem: { k: 1, params: { k: 3 } } }],
    [{ type: 'DE' }, { type: 'CMA-ES' }],
    [{ recording: true }, { recording: false }],
  ])('separates runs of the configurations %j and %j', async (first, second) => {
    const lines = [first, second].map((own, i) => runLine(`r${i}`, { config: own }));
    expect(await send(lines)).toMatchObject({ accepted: 2 });
    expect(new Set((await runs()).map((run) => run.experiment_id)).size).toBe(2);
  });

  test.each(['1e10', '2.5', '1e400'])(
    'stores a configuration with maxIterations %s',
    async (text) => {
      const line = JSON.stringify(runLine('r', { config: { stopping: { maxIterations: 'N' } } }));
      const { status, body } = await post(service, line.replace('"N"', text));
      expect([status, body]).toMatchObject([200, { accepted: 1 }]);
      const experiments = database().kysely.selectFrom('experiments').select('max_iterations');
      expect(await experiments.execute()).toEqual([{ max_iterations: null }]);
    },
  );

  test.each([
    [{ problem: 'sphere' }, { problem: { type: 'sphere', name: null, params: null } }],
    [
      { stopping: { type: 'x', params: { type: 'y' }, maxEvaluations: 1_000 } },
      { stopping: { type: 'x', params: { type: 'y' } }, budget: 1_000 },
    ],
  ])('does not separate runs of the configurations %j and %j', async (first, second) => {
    const lines = [first, second].map((own, i) => runLine(`r${i}`, { config: own }));
    expect(await send(lines)).toMatchObject({ accepted: 2 });
    expect(new Set((await runs()).map((run) => run.experiment_id)).size).toBe(1);
  });

  test('stores valid lines and names the others', async () => {
    const body = [
      JSON.stringify(runLine('r')),
      '{"type":',
      '',
      JSON.stringify({ type: 'iteration', runId: 'r', iteration: -1, evaluations: 3, best: 1 }),
      JSON.stringify({ ...iterationLine('r', 0, 1), best: 'low' }),
      JSON.stringify({ type: 'jump' }),
      JSON.stringify(iterationLine('r', 0, 1)),
      '[1]',
      JSON.stringify(runLine('s', { seed: 1.5 })),
      JSON.stringify({ type: 'event', runId: 'r', eventType: 'a\0b' }),
      `{"type":"event","runId":"r","eventType":"deep","payload":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
      JSON.stringify(runLine('t', { config: { list: Array.from({ length: 3_000 }, () => 0) } })),
      '{"type":"run","seed":1,"config":{"algorithm":{"__proto__":{"type":"x"}}}}',
      JSON.stringify({ ...iterationLine('r', 1, 1), evaluations: 1.5 }),
      JSON.stringify({ type: 'end', runId: 'r', status: 'DONE' }),
      JSON.stringify({ ...iterationLine('r', 1, 1), time: 'noon' }),
      JSON.stringify(runLine('u', { seed: '0x10' })),
      '{"type":"iteration","runId":"r","iteration":1,"evaluations":24,"best":1e999}',
      JSON.stringify(runLine('v', { seed: '9223372036854775808' })),
      `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
      `{"type":"run","seed":1,"config":${'{"a":'.repeat(21)}1${'}'.repeat(21)}}`,
      '{"type":"iteration","runId":"r","iteration":1,"evaluations":9007199254740992,"best":1}',
      JSON.stringify({ ...iterationLine('r', 1, 1), time: '1969-12-31T23:59:59Z' }),
      JSON.stringify(runLine('w', { seed: 1e21 })),
    ].join('\r\n');
    const answer = (await post(service, body)).body as RecordResponse;
    expect(answer).toMatchObject({
      accepted: 2,
      unchanged: 0,
      runIds: ['r', 't', expect.any(String), expect.any(String)],
    });
    expect(answer.rejected).toEqual([
      {
        line: 2,
        code: 'MALFORMED_JSON',
        message: 'The line is not JSON: send one JSON object per line',
      },
      {
        line: 4,
        code: 'VALIDATION_FAILED',
        message: 'iteration must be a whole number from 0 to 2147483647',
      },
      {
        line: 5,
        code: 'VALIDATION_FAILED',
        message: 'best must be a number, "NaN", "Infinity" or "-Infinity"',
      },
      {
        line: 6,
        code: 'VALIDATION_FAILED',
        message: 'type must be one of run, iteration, event, checkpoint, end',
      },
      { line: 8, code: 'VALIDATION_FAILED', message: 'The record must be an object' },
      {
        line: 9,
        code: 'VALIDATION_FAILED',
        message: 'seed must be a whole number in decimal digits',
      },
      {
        line: 10,
        code: 'VALIDATION_FAILED',
        message: 'eventType must not contain the NUL character',
      },
      {
        line: 11,
        code: 'VALIDATION_FAILED',
        message: 'The record must have at most 64 levels of nesting',
      },
      { line: 12, code: 'VALIDATION_FAILED', message: 'config must have at most 2000 values' },
      {
        line: 13,
        code: 'VALIDATION_FAILED',
        message: 'config must not have the key __proto__',
      },
      {
        line: 14,
        code: 'VALIDATION_FAILED',
        message: 'evaluations must be a whole number from 0 to 9007199254740991',
      },
      {
        line: 15,
        code: 'VALIDATION_FAILED',
        message: 'status must be one of COMPLETED, FAILED, STOPPED',
      },
      {
        line: 16,
        code: 'VALIDATION_FAILED',
        message: 'time must be a time from 1970 to 9999, such as 2026-01-31T12:00:00Z',
      },
      {
        line: 17,
        code: 'VALIDATION_FAILED',
        message: 'seed must be a whole number in decimal digits',
      },
      {
        line: 18,
        code: 'VALIDATION_FAILED',
        message: 'best must be a number, "NaN", "Infinity" or "-Infinity"',
      },
      {
        line: 19,
        code: 'VALIDATION_FAILED',
        message: 'seed must be from -2^63 to 2^63 - 1',
      },
      {
        line: 20,
        code: 'MALFORMED_JSON',
        message: 'The line must have at most 64 levels of nesting',
      },
      {
        line: 21,
        code: 'VALIDATION_FAILED',
        message: 'config must have at most 20 levels of nesting',
      },
      {
        line: 22,
        code: 'VALIDATION_FAILED',
        message: 'evaluations must be a whole number from 0 to 9007199254740991',
      },
      {
        line: 23,
        code: 'VALIDATION_FAILED',
        message: 'time must be a time from 1970 to 9999, such as 2026-01-31T12:00:00Z',
      },
      {
        line: 24,
        code: 'VALIDATION_FAILED',
        message: 'seed must be a whole number in decimal digits',
      },
    ]);
    expect(await getRows('r')).toHaveLength(1);
  });

  test('stores whole numbers beyond 2^53, which JavaScript writes without an exponent', async () => {
    const body = ndjson([
      runLine('r'),
      iterationLine('r', 0, 1e20, { mean: 2e20, std: 1e18, metrics: { condition: -3e20 } }),
      { type: 'end', runId: 'r', status: 'COMPLETED', objectives: { f: 1e20 } },
    ]);
    expect(body).toContain('100000000000000000000');
    const tooLarge = `{"type":"iteration","runId":"r","iteration":1,"evaluations":24,"best":1${'0'.repeat(400)}}`;
    expect((await post(service, `${body}\n${tooLarge}`)).body).toMatchObject({
      accepted: 3,
      rejected: [{ message: 'best must be a number, "NaN", "Infinity" or "-Infinity"' }],
    });
    expect(await getRows('r')).toMatchObject([
      {
        best_fitness: 1e20,
        mean_fitness: 2e20,
        std_fitness: 1e18,
        metrics_json: '{"condition":-3.0E20}',
      },
    ]);
    const objectives = await database().kysely.selectFrom('run_objectives').selectAll().execute();
    expect(objectives).toMatchObject([{ objective_name: 'f', objective_value: 1e20 }]);
  });

  test('refuses halves of characters, which would be stored as another text', async () => {
    const half = 'x\ud800';
    const { accepted, rejected } = await send([
      runLine('r'),
      runLine(half),
      runLine('s', { config: { algorithm: half } }),
      iterationLine('r', 0, 1, { metrics: { [half]: 1 } }),
      { type: 'checkpoint', runId: 'r', iteration: 0, path: half },
    ]);
    expect(accepted).toBe(1);
    const rule = 'must be valid Unicode text: it contains half of a surrogate pair';
    expect(rejected).toEqual(
      ['runId', 'config.algorithm', 'metrics', 'path'].map((path, index) => ({
        line: 2 + index,
        code: 'VALIDATION_FAILED',
        message: `${path} ${rule}`,
      })),
    );
    expect((await runs()).map((run) => run.run_id)).toEqual(['r']);
  });

  test('refuses more lines than it can respond to, and a body that cannot be decompressed', async () => {
    const many = await post(service, ndjson([runLine('r')]) + '\n1'.repeat(100_000));
    expect(many).toMatchObject({
      status: 413,
      body: {
        detail:
          'The service stored nothing, because the request has more than 100000 records. Send fewer at a time.',
      },
    });
    const damaged = gzipSync(ndjson([runLine('r')])).subarray(0, 40);
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd'])
      expect(
        await post(service, damaged, { 'content-encoding': encoding }),
        encoding,
      ).toMatchObject({
        status: 400,
        body: { detail: 'The compressed body is invalid or incomplete. Send it again' },
      });
    expect(
      await post(service, ndjson([runLine('r')]), { 'content-encoding': 'zip' }),
    ).toMatchObject({
      status: 415,
      body: { detail: 'The Content-Encoding of the body must be gzip, deflate, br or zstd' },
    });
    expect(await runs()).toEqual([]);
  });

  test('stores the same rows for any order, parts and repetitions of the records', async () => {
    const records: Record<string, unknown>[] = ['a', 'b'].flatMap((runId, offset) => [
      runLine(runId, { seed: offset, startTime: '2026-01-31T12:00:00Z' }),
      ...Array.from({ length: 12 }, (_, i) =>
        iterationLine(runId, i, [0, 3, 4, 9].includes(i) ? 'NaN' : 20 - i, {
          metrics: { sigma: i / 3 },
          time: `2026-01-31T12:00:${String(i).padStart(2, '0')}Z`,
        }),
      ),
      {
        type: 'event',
        runId,
        eventType: 'restart',
        eventId: 'one',
        payload: {},
        time: '2026-01-31T12:00:05Z',
      },
      { type: 'checkpoint', runId, iteration: 3, path: 'c', time: '2026-01-31T12:00:05Z' },
      {
        type: 'end',
        runId,
        status: offset === 0 ? 'COMPLETED' : 'FAILED',
        time: '2026-01-31T12:01:00Z',
        ...(offset === 0 && { evaluations: 144 }),
      },
    ]);
    const contents = async () => {
      const select = async (
        table:
          'runs' | 'iterations' | 'events' | 'checkpoints' | 'run_objectives' | 'experiment_params',
      ) =>
        (await database().kysely.selectFrom(table).selectAll().execute())
          .map(({ id: _id, ...row }: Record<string, unknown>) => JSON.stringify(row))
          .sort();
      return [
        await select('runs'),
        await select('iterations'),
        await select('events'),
        await select('checkpoints'),
        await select('run_objectives'),
        await select('experiment_params'),
      ];
    };
    const first = await send(records);
    expect(first).toMatchObject({ accepted: records.length, rejected: [] });
    const expected = await contents();
    expect(expected.map((rows) => rows.length)).toEqual([2, 24, 4, 2, 2, expect.any(Number)]);
    expect(await send(records)).toMatchObject({
      accepted: 0,
      unchanged: records.length,
      rejected: [],
    });
    expect(await contents()).toEqual(expected);
    let state = 7;
    const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
    for (let round = 0; round < 12; round += 1) {
      await deleteAllRuns(database());
      let waiting = [...records, ...records.slice(0, 5)];
      for (let turn = 0; waiting.length > 0 && turn < 50; turn += 1) {
        const shuffled = waiting.map((one) => [random(), one] as const).sort(([a], [b]) => a - b);
        const size = 1 + Math.floor(random() * 12);
        const [part, rest] = [shuffled.slice(0, size), shuffled.slice(size)].map((list) =>
          list.map(([, one]) => one),
        ) as [typeof waiting, typeof waiting];
        const lines = part.flatMap((one) => (random() < 0.2 ? ['{bad', one] : [one]));
        const body = lines
          .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
          .join('\n');
        const isPacked = random() < 0.5;
        const { rejected } = (
          await post(
            service,
            isPacked ? gzipSync(body) : body,
            isPacked ? { 'content-encoding': 'gzip' } : {},
          )
        ).body as RecordResponse;
        const again = rejected
          .filter(({ code }) => code !== 'MALFORMED_JSON')
          .map(({ line, code }) => {
            expect(code).toBe('RUN_UNKNOWN');
            return lines[line - 1] as (typeof records)[number];
          });
        waiting = [...rest, ...again];
      }
      expect(waiting).toEqual([]);
      expect(await contents(), `round ${round}`).toEqual(expected);
    }
  });

  test('keeps the best before a NaN, or the worst value before the first, and marks the iteration', async () => {
    await send([
      runLine('min'),
      iterationLine('min', 0, 'NaN'),
      iterationLine('min', 1, 3),
      iterationLine('min', 2, 'NaN', { metrics: { sigma: 1 } }),
      runLine('max', { config: { ...config, direction: 'maximize' } }),
      iterationLine('max', 0, 'NaN'),
    ]);
    expect(await getRows('min')).toMatchObject([
      { best_fitness: Infinity, metrics_json: '{"best_missing":1.0}' },
      { best_fitness: 3, metrics_json: null },
      { best_fitness: 3, mean_fitness: 3, metrics_json: '{"sigma":1.0,"best_missing":1.0}' },
    ]);
    expect(await getRows('max')).toMatchObject([{ best_fitness: -Infinity }]);
  });

  test('keeps the best of an iteration with a metric named like the mark, without this metric', async () => {
    await send([
      runLine('same'),
      iterationLine('same', 1, 4, { metrics: { sigma: 1, best_missing: 0 } }),
    ]);
    await send([iterationLine('same', 0, 9)]);
    expect(await getRows('same')).toMatchObject([
      { best_fitness: 9 },
      { best_fitness: 4, metrics_json: '{"sigma":1.0}' },
    ]);
  });

  test('keeps the best of an iteration with a metric whose name is similar to the mark', async () => {
    await send([
      runLine('similar'),
      iterationLine('similar', 1, 4, { metrics: { 'best-missing': 1, BEST_MISSING: 1 } }),
    ]);
    await send([iterationLine('similar', 0, 9)]);
    expect(await getRows('similar')).toMatchObject([{ best_fitness: 9 }, { best_fitness: 4 }]);
  });

  test('takes the best of an unknown problem in the direction of its traces, as the pages do', async () => {
    await send([
      runLine('r', { config: { problem: 'reward of a robot' } }),
      ...['NaN', 1, 2, 5].map((best, index) => iterationLine('r', index, best)),
      { type: 'end', runId: 'r', status: 'COMPLETED' },
    ]);
    const run: unknown = await (await fetch(`${service.url}/api/runs/r`)).json();
    expect(run).toMatchObject({ direction: 'max', directionSource: 'trace', bestFitness: 5 });
  });

  test('takes the best of an unknown problem in the direction of most runs of the experiment', async () => {
    const unknownProblem = { problem: 'cost of a robot' };
    const series = [
      [9, 4],
      [8, 3],
      [10, 3, 12],
    ];
    for (const [number, values] of series.entries())
      await send([
        runLine(`r${number}`, { config: unknownProblem }),
        ...values.map((best, index) => iterationLine(`r${number}`, index, best)),
        { type: 'end', runId: `r${number}`, status: 'COMPLETED' },
      ]);
    const run: unknown = await (await fetch(`${service.url}/api/runs/r2`)).json();
    expect(run).toMatchObject({ direction: 'min', bestFitness: 3 });
  });

  test('reports a run without its record, and a run that is there with another configuration', async () => {
    expect(await send([iterationLine('r', 0, 1)])).toMatchObject({
      rejected: [
        {
          line: 1,
          code: 'RUN_UNKNOWN',
          message: 'There is no run "r" yet: send its run record first',
        },
      ],
    });
    await send([runLine('r')]);
    expect(await send([runLine('r', { seed: 2 })])).toMatchObject({
      accepted: 0,
      rejected: [
        {
          code: 'RUN_CONFLICT',
          message: 'Run "r" already exists with another configuration or seed: use another id',
        },
      ],
    });
  });

  test('accepts late iterations of an ended run within its evaluations, and refuses others', async () => {
    await send([
      runLine('r'),
      iterationLine('r', 5, 4),
      { type: 'end', runId: 'r', status: 'COMPLETED', evaluations: 72 },
    ]);
    expect(await send([iterationLine('r', 3, 2), iterationLine('r', 6, 1)])).toMatchObject({
      accepted: 1,
      rejected: [
        {
          line: 2,
          code: 'RUN_ENDED',
          message:
            'Run "r" has ended after 72 evaluations: an iteration with 84 is not part of it. Record another run',
        },
      ],
    });
    expect(await getRun('r')).toMatchObject({ iterations: 5, evaluations: 72, best_fitness: 2 });
    expect(await send([{ type: 'end', runId: 'r', status: 'FAILED' }])).toMatchObject({
      rejected: [
        {
          code: 'RUN_ENDED',
          message: 'Run "r" has ended as COMPLETED: its end cannot change. Record another run',
        },
      ],
    });
  });

  test('refuses events of the types in which the service stores clients of MLflow', async () => {
    const event = { type: 'event', runId: 'r', payload: {} };
    const { accepted, rejected } = await send([
      runLine('r'),
      { ...event, eventType: 'mlflow_run' },
      { ...event, eventType: 'mlflow_experiment' },
    ]);
    expect(accepted).toBe(1);
    expect(rejected).toEqual(
      ['mlflow_run', 'mlflow_experiment'].map((type, index) => ({
        line: index + 2,
        code: 'VALIDATION_FAILED',
        message: `eventType must not be ${type}, which the service uses: choose another type`,
      })),
    );
    const body = JSON.stringify({ experiment_ids: ['0'] });
    const headers = { 'content-type': 'application/json' };
    const url = `${service.url}/mlflow/api/2.0/mlflow/runs/search`;
    const response = await fetch(url, { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toEqual([200, { runs: [] }]);
  });

  test('refuses an event that would replace the end of a run', async () => {
    await send([
      runLine('r'),
      iterationLine('r', 0, 5),
      { type: 'event', runId: 'r', eventType: 'run_completed', eventId: 'one' },
      { type: 'end', runId: 'r', status: 'COMPLETED' },
    ]);
    const event = { type: 'event', runId: 'r', eventType: 'run_completed' };
    const payload = { status: 'COMPLETED', best: -99, evaluations: 1 };
    expect(
      await send([
        { ...event, eventId: 'one' },
        { ...event, payload },
      ]),
    ).toMatchObject({
      unchanged: 1,
      rejected: [
        {
          line: 2,
          code: 'RUN_ENDED',
          message: 'Run "r" has ended as COMPLETED: its end cannot change. Record another run',
        },
      ],
    });
    expect(await send([iterationLine('r', 1, 4)])).toMatchObject({ accepted: 1 });
    expect(await getRun('r')).toMatchObject({ best_fitness: 4, iterations: 1 });
  });

  test('never changes a run that it has not recorded', async () => {
    await insertExperiment(database(), 'real');
    await insertRun(database(), 'real', 'mine', { status: 'RUNNING' });
    const before = await runs();
    const answer = await send([
      runLine('mine'),
      iterationLine('mine', 0, 1),
      { type: 'event', runId: 'mine', eventType: 'x' },
      { type: 'checkpoint', runId: 'mine', iteration: 0, path: 'x' },
      { type: 'end', runId: 'mine', status: 'FAILED' },
    ]);
    expect(answer.accepted).toBe(0);
    expect(answer.rejected.map(({ code }) => code)).toEqual(Array(5).fill('RUN_OF_OTHERS'));
    expect(answer.rejected[0]?.message).toBe(
      'No client recorded run "mine" over HTTP, so no record can change it: use another id',
    );
    expect(await runs()).toEqual(before);
    expect(await getRows('mine')).toEqual([]);
    expect(await database().kysely.selectFrom('events').selectAll().execute()).toEqual([]);
  });

  test('lists stop requests until the run ends as STOPPED, which acknowledges them', async () => {
    await send([runLine('r'), runLine('s')]);
    const stop = await fetch(`${service.url}/api/runs/r/stop`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'enough' }),
    });
    expect(stop.status).toBe(200);
    expect((await send([iterationLine('r', 0, 1)])).stop).toEqual([
      { runId: 'r', reason: 'enough' },
    ]);
    expect((await send([iterationLine('s', 0, 1)])).stop).toEqual([]);
    expect((await send([], '?run=r&run=s&run=none')).stop).toEqual([
      { runId: 'r', reason: 'enough' },
    ]);
    const end = await send([{ type: 'end', runId: 'r', status: 'STOPPED' }]);
    expect(end).toMatchObject({ accepted: 1, stop: [] });
    const { stopRequest } = (await (await fetch(`${service.url}/api/runs/r`)).json()) as {
      stopRequest: object;
    };
    expect(stopRequest).toMatchObject({ status: 'ACKNOWLEDGED', acknowledgedByRunId: 'r' });
  });

  test('lists a stop request without a reason', async () => {
    await send([runLine('r')]);
    expect((await fetch(`${service.url}/api/runs/r/stop`, { method: 'POST' })).status).toBe(200);
    expect((await send([], '?run=r')).stop).toEqual([{ runId: 'r', reason: null }]);
  });

  test('accepts an end that is sent again with whole numbers', async () => {
    const end = {
      type: 'end',
      runId: 'r',
      status: 'COMPLETED',
      best: 3,
      evaluations: 12,
      objectives: { cost: 3 },
    };
    await send([runLine('r'), iterationLine('r', 0, 3), end]);
    expect(await send([end])).toMatchObject({ unchanged: 1, rejected: [] });
  });

  test('keeps a run that a user settled as it is', async () => {
    await send([runLine('r'), iterationLine('r', 0, 1)]);
    await database()
      .kysely.updateTable('runs')
      .set({ status: 'FAILED', evaluations: 12 })
      .where('run_id', '=', 'r')
      .execute();
    const { rejected } = await send([
      iterationLine('r', 1, 1),
      { type: 'end', runId: 'r', status: 'COMPLETED' },
    ]);
    expect(rejected.map(({ code }) => code)).toEqual(['RUN_ENDED', 'RUN_ENDED']);
    expect(await getRun('r')).toMatchObject({ status: 'FAILED' });
  });

  test('refuses records that are neither in UTF-8 nor in the stated charset', async () => {
    // Decoded as UTF-8, both ids would be equal.
    const latin1 = Buffer.from(ndjson([runLine('é'), runLine('è', { seed: 2 })]), 'latin1');
    expect(await post(service, latin1)).toMatchObject({
      status: 400,
      body: { code: 'MALFORMED_JSON' },
    });
    const withCharset = { 'content-type': 'application/x-ndjson; charset=latin1' };
    expect(await post(service, latin1, withCharset)).toMatchObject({
      status: 200,
      body: { runIds: ['é', 'è'] },
    });
  });

  test('refuses records while recording is off, of another type, and above 8 MiB', async () => {
    const off = await startService(database(), { isInThisThread: true });
    try {
      const refused = await post(off, ndjson([runLine('r')]));
      expect(refused).toMatchObject({ status: 403, body: { code: 'RECORDING_OFF' } });
      expect((refused.body as ProblemDocument).detail).toBe(
        'Recording is off, so the service stored nothing. Start the service with --record (SVC_RECORD=1).',
      );
    } finally {
      await off.close();
    }
    const json = await post(service, '{}', { 'content-type': 'application/json' });
    expect(json).toMatchObject({
      status: 415,
      body: { detail: 'The body must be application/x-ndjson' },
    });
    const large = gzipSync(Buffer.alloc(9 * 1_048_576, 32));
    const tooLarge = await post(service, large, { 'content-encoding': 'gzip' });
    expect(tooLarge).toMatchObject({
      status: 413,
      body: { detail: 'The body is larger than 8 MiB. Send less at a time' },
    });
    expect(await post(service, '')).toMatchObject({
      status: 200,
      body: { accepted: 0, rejected: [] },
    });
    expect(await runs()).toEqual([]);
  });
});
