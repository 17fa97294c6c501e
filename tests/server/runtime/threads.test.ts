import { renameSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { TraceStore } from '#server/analysis/shared-traces.ts';
import type { Database } from '#server/db/database.ts';
import type { PoolOptions } from '#server/runtime/pool.ts';
import { createThreads, type Threads } from '#server/runtime/threads.ts';
import {
  describeOnEachDatabase,
  makeSqliteLocation,
  openTestDatabase,
} from '#tests/support/databases.ts';
import { resolveProgramFile } from '#tests/support/programs.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';

/** The threads of a service, with functions that run handlers. */
interface RunningThreads extends Pick<Threads, 'close'> {
  listProblems(): Promise<string>;
  listEvents(q: string): Promise<string>;
  getAnalysis(experimentId: string, query?: object): Promise<string>;
}

const runningThreads: RunningThreads[] = [];
function start(database: Database, options?: Partial<PoolOptions>): RunningThreads {
  const logger = { warn() {}, error() {} };
  const traces = new TraceStore(1e6, (runs) => threads.readTraces(runs));
  const threads: Threads = createThreads(
    { database, logger, traces, memoBytes: 1e6, version: '1' },
    { program: resolveProgramFile('worker'), ...options },
  );
  const run = async (...request: Parameters<Threads['run']>) => {
    const { body } = await threads.run(...request);
    return typeof body === 'string' ? body : Buffer.from(body).toString();
  };
  const threadsOfTest: RunningThreads = {
    listProblems: () => run('listProblems', {}),
    listEvents: (q) =>
      run('listEvents', {
        params: { runId: 'r1' },
        query: { q, page: 0, size: 25, previewBytes: 9 },
      }),
    getAnalysis: (experimentId, query = {}) =>
      run('analyseExperiment', {
        params: { experimentId },
        query: query && { targets: [], ...query },
      }),
    close: () => threads.close(),
  };
  runningThreads.push(threadsOfTest);
  return threadsOfTest;
}
afterEach(async () => {
  for (const threads of runningThreads.splice(0)) await threads.close();
});

describeOnEachDatabase('Threads', (database) => {
  test('run more tasks than there are threads, on their own connections', async () => {
    await insertExperiment(database(), 'e1');
    await insertRun(database(), 'e1', 'r1');
    await insertIterations(database(), 'r1', 50);
    const threads = start(database(), { size: 2 });
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => threads.getAnalysis('e1')));
    expect(new Set(responses).size).toBe(1);
    expect(JSON.parse(responses[0]!)).toMatchObject({ experimentId: 'e1', totalRuns: 1 });
  });

  /** One thread of each kind, shared by the following tests; the last test closes them. */
  let threads: RunningThreads;
  beforeAll(() => {
    threads = start(database(), { size: 1 });
    runningThreads.pop();
  });
  afterAll(() => threads.close());

  test('reject with errors of the catalogue and their code, and continue', async () => {
    await expect(threads.getAnalysis('none')).rejects.toMatchObject({
      name: 'ProblemError',
      code: 'EXPERIMENT_NOT_FOUND',
      message: 'There is no experiment with the id "none". Select another experiment',
    });
    expect(JSON.parse(await threads.listProblems())).toHaveLength(1);
  });

  test('reject with any other error and its message and stack', async () => {
    const error = await threads.getAnalysis('e1', null!).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(error).toHaveProperty('message', expect.stringContaining('null'));
    expect((error as Error).stack).toContain('worker.js:');
  });

  test('refuse requests above the maximum number of waiting requests', async () => {
    const requests = Array.from({ length: 80 }, () => threads.listProblems());
    const outcomes = await Promise.allSettled(requests);
    const refusedRequests = outcomes.filter(({ status }) => status === 'rejected');
    expect(refusedRequests).toHaveLength(15);
    expect(refusedRequests[0]).toMatchObject({
      reason: {
        code: 'DATABASE_BUSY',
        message: 'Too many requests are waiting; try again in a moment',
        headers: { 'Retry-After': '5' },
      },
    });
  });

  test('finish pending requests before they close', async () => {
    const responses = [threads.listProblems(), threads.getAnalysis('e1')];
    await threads.close();
    for (const requestEvents of responses) expect(await requestEvents).toContain('onemax');
  });
});

test('a database that cannot be opened is unavailable, and the next request opens it', async () => {
  const location = await makeSqliteLocation();
  const database = await openTestDatabase(location.url);
  const threads = start(database, { size: 1 });
  renameSync(location.file, `${location.file}.away`);
  await expect(threads.listProblems()).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: `The database file ${location.file} is missing, so the service read and changed nothing. Restore it, then try again`,
  });
  renameSync(`${location.file}.away`, location.file);
  expect(await threads.listProblems()).toBe('[]');
  await threads.close();
  await database.close();
  await location.remove();
});

test('a database in memory is queried in the same thread', async () => {
  const database = await openTestDatabase('jdbc:sqlite::memory:');
  await insertExperiment(database, 'e1');
  const threads = start(database);
  expect(JSON.parse(await threads.listProblems())).toHaveLength(1);
  await expect(threads.getAnalysis('none')).rejects.toMatchObject({
    code: 'EXPERIMENT_NOT_FOUND',
  });
  await database.close();
});

test('a query that takes too long is rejected, and a new thread runs the other requests', async () => {
  const location = await makeSqliteLocation();
  const database = await openTestDatabase(location.url);
  await insertExperiment(database, 'e1');
  await insertRun(database, 'e1', 'r1');
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 60)
    insert into events (run_id, event_type, payload_json, created_at)
    select 'r1', 'x', hex(zeroblob(1500000)), '' from n`.execute(database.kysely);
  const threads = start(database, { size: 1, deadlineMillis: 500, abandonmentMillis: 500 });
  await threads.listEvents('x').catch(() => {});
  const slowRequest = threads.listEvents('\u00e9zzz');
  await expect(slowRequest).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  const requestEvents = () => threads.listEvents('').catch(() => 'late');
  await expect.poll(requestEvents, { timeout: 40_000 }).toContain('"total":60');
  await threads.close();
  await database.close();
  await location.remove();
}, 60_000);

test.each([
  ['free their memory two minutes after the last request', false, 1],
  ['free no memory after they are closed', true, 0],
])('Threads of a database in memory %s', async (_what, isClosed, expectedCalls) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const database = await openTestDatabase(':memory:');
  const clearCaches = vi.fn();
  const threads = createThreads(
    {
      database,
      logger: { warn() {}, error() {} },
      traces: new TraceStore(1e6, (runs) => threads.readTraces(runs)),
      memoBytes: 1e6,
      version: '1',
    },
    {},
    { clearCaches, pauseDuringReopening: (reopen) => reopen() },
  );
  await threads.run('listProblems', {});
  if (isClosed) await threads.close();
  vi.advanceTimersByTime(120_000);
  expect(clearCaches).toHaveBeenCalledTimes(expectedCalls);
  await threads.close();
  await database.close();
});
