import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { endpoints } from '#shared/api.ts';
import { MemoStore } from '#server/analysis/memo.ts';
import { readPackedTraces, TraceStore } from '#server/analysis/shared-traces.ts';
import type { HandledName } from '#server/handlers.ts';
import { Responses } from '#server/runtime/responses.ts';
import { runHandler } from '#server/runtime/run-handler.ts';
import type { Threads } from '#server/runtime/threads.ts';
import {
  describeOnEachEngine,
  openTestDatabase,
  type TestDatabase,
  type TestLocation,
} from '#tests/support/databases.ts';
import { deleteAllRows, insertExperiment, insertRun } from '#tests/support/rows.ts';

const { compareProblem } = endpoints;

const now = performance.now.bind(performance);

const unchangedStatus = 'Evoscope; hit';
const staleStatus = expect.stringMatching(/^Evoscope; hit; ttl=-[12]$/) as unknown as string;
const currentStatus = 'Evoscope; fwd=miss';

describeOnEachEngine('A response about a database to which a runner writes', (engine) => {
  let location: TestLocation;
  let database: TestDatabase;
  /** Database connection of another program. */
  let runner: TestDatabase;
  let responses: Responses;
  /** Settles when the computations that have read the database may end. */
  let gate: Promise<void>;
  /** Number of computations that have read the database. */
  let readCount: number;

  beforeAll(async () => {
    location = await engine.makeLocation();
    database = await openTestDatabase(location.url);
    runner = await openTestDatabase(location.url);
  });
  beforeEach(async () => {
    await deleteAllRows(runner);
    await insertExperiment(runner, 'e1');
    await insertRun(runner, 'e1', 'r1');
    [gate, readCount] = [Promise.resolve(), 0];
    const context = {
      database,
      version: '1',
      logger: { warn() {}, error() {} },
      traces: new TraceStore(1, (runs) => readPackedTraces(database, runs)),
      memo: new MemoStore(1).createRequestMemo(),
    };
    const threads: Partial<Threads> = {
      // The keys of PostgreSQL also change with transactions of other tests on the same server.
      readState: async () =>
        JSON.stringify(await database.kysely.selectFrom('runs').selectAll().execute()),
      run: async (name, input) => {
        const response = await runHandler(context, name, input);
        if (name !== 'getSummary') return response;
        readCount += 1;
        await gate;
        return response;
      },
    };
    responses = new Responses(threads as Threads, 100_000);
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(async () => {
    await Promise.all([database.close(), runner.close()]);
    await location.remove();
  });

  function respond(name: HandledName, input: object = {}) {
    return responses.respond(name, { params: {}, query: {}, body: undefined, ...input });
  }

  /** Returns the number of runs in the summary, and the state of its cache. */
  async function requestSummary(): Promise<[runs: number, status: string | undefined]> {
    const { body, headers } = await respond('getSummary');
    const { runCount } = JSON.parse(Buffer.from(body as Uint8Array).toString()) as {
      runCount: number;
    };
    return [runCount, headers?.['Cache-Status']];
  }

  /** Pauses all computations, and returns a function that resumes them. */
  function pauseComputations(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  }

  /** Sets the clock forward. */
  function moveClock(millis: number): void {
    vi.spyOn(performance, 'now').mockImplementation(() => now() + millis);
  }

  test('is computed before the first response, however long it takes', async () => {
    const endComputation = pauseComputations();
    const firstResponse = requestSummary();
    await expect.poll(() => readCount).toBe(1);
    endComputation();
    expect(await firstResponse).toEqual([1, currentStatus]);
    expect(await requestSummary()).toEqual([1, unchangedStatus]);
  });

  test('contains each change immediately if it is ready within 100 ms', async () => {
    for (const runs of [1, 2, 3]) {
      expect(await requestSummary()).toEqual([runs, currentStatus]);
      await insertRun(runner, 'e1', `r${runs + 1}`);
    }
  });

  test('is stale while the current one is computed once, which is then announced', async () => {
    await requestSummary();
    await insertRun(runner, 'e1', 'r2');
    const cursorBefore = await responses.readCursor();
    const endComputation = pauseComputations();
    expect(await Promise.all([requestSummary(), requestSummary()])).toEqual([
      [1, staleStatus],
      [1, staleStatus],
    ]);
    expect(readCount).toBe(2);
    expect(await responses.readCursor()).toBe(cursorBefore);
    endComputation();
    await expect.poll(() => responses.readCursor()).not.toBe(cursorBefore);
    expect(await requestSummary()).toEqual([2, unchangedStatus]);
    expect(readCount).toBe(2);
  });

  test('is computed again, and announced, after a change during its computation', async () => {
    await requestSummary();
    await insertRun(runner, 'e1', 'r2');
    const endComputation = pauseComputations();
    await requestSummary();
    await insertRun(runner, 'e1', 'r3');
    const cursorBefore = await responses.readCursor();
    expect(await requestSummary()).toEqual([1, staleStatus]);
    expect(readCount).toBe(2);
    endComputation();
    await expect.poll(() => readCount).toBe(3);
    await expect.poll(() => responses.readCursor()).toMatch(/-2$/);
    expect(await responses.readCursor()).not.toBe(cursorBefore);
    expect(await requestSummary()).toEqual([3, unchangedStatus]);
  });

  test('is not announced if it has not changed', async () => {
    await requestSummary();
    await runner.kysely.updateTable('runs').set({ status: 'completed' }).execute();
    const cursorBefore = await responses.readCursor();
    const endComputation = pauseComputations();
    expect(await requestSummary()).toEqual([1, staleStatus]);
    endComputation();
    await expect.poll(requestSummary).toEqual([1, unchangedStatus]);
    expect(await responses.readCursor()).toBe(cursorBefore);
  });

  test('contains all changes of 2 s ago', async () => {
    await requestSummary();
    await insertRun(runner, 'e1', 'r2');
    const endComputation = pauseComputations();
    moveClock(1_500);
    expect(await requestSummary()).toEqual([1, staleStatus]);
    await insertRun(runner, 'e1', 'r3');
    moveClock(4_000);
    // The computation that began before is too old as well.
    const response = requestSummary();
    await expect.poll(() => readCount).toBe(3);
    endComputation();
    expect(await response).toEqual([3, currentStatus]);
  });

  test('is announced to the client with the stale one if a later request has computed it', async () => {
    await requestSummary();
    await insertRun(runner, 'e1', 'r2');
    const cursorBefore = await responses.readCursor();
    const endComputation = pauseComputations();
    moveClock(1_500);
    expect(await requestSummary()).toEqual([1, staleStatus]);
    moveClock(4_000);
    const laterResponse = requestSummary();
    await expect.poll(() => readCount).toBe(3);
    endComputation();
    expect(await laterResponse).toEqual([2, currentStatus]);
    await expect.poll(() => responses.readCursor()).not.toBe(cursorBefore);
  });

  test('contains a change by this service immediately, also if its computation began before', async () => {
    await requestSummary();
    const endComputation = pauseComputations();
    await insertRun(runner, 'e1', 'r2');
    expect(await requestSummary()).toEqual([1, staleStatus]);
    await respond('deleteExperiment', {
      params: { experimentId: 'e1' },
      query: { force: true },
    });
    const response = requestSummary();
    await expect.poll(() => readCount).toBe(3);
    endComputation();
    expect(await response).toEqual([0, currentStatus]);
    pauseComputations();
    await insertExperiment(runner, 'e2');
    await insertRun(runner, 'e2', 'r3');
    expect(await requestSummary()).toEqual([0, staleStatus]);
  });

  test('contains nothing of a previous file at its path', async () => {
    await requestSummary();
    await insertRun(runner, 'e1', 'r2');
    const endComputation = pauseComputations();
    expect(await requestSummary()).toEqual([1, staleStatus]);
    responses.clear();
    const response = requestSummary();
    await expect.poll(() => readCount).toBe(3);
    endComputation();
    expect(await response).toEqual([2, currentStatus]);
  });

  test('is not sent if its computation fails, but computed again', async () => {
    await requestSummary();
    await insertRun(runner, 'e1', 'r2');
    gate = Promise.reject(new Error('no response'));
    gate.catch(() => {});
    await expect(requestSummary()).rejects.toThrow('no response');
    gate = Promise.resolve();
    expect(await requestSummary()).toEqual([2, currentStatus]);
  });

  test('is computed again after 10 s, because runs become silent', async () => {
    await requestSummary();
    moveClock(2_000);
    expect(await requestSummary()).toEqual([1, unchangedStatus]);
    moveClock(11_000);
    expect(await requestSummary()).toEqual([1, currentStatus]);
  });

  test('is computed again after 10 s if it compares a run that can become silent, else only after a change', async () => {
    const request = { params: { problemType: 'onemax' }, query: compareProblem.query.parse({}) };
    const countSilentRuns = async () => {
      const { body, headers } = await respond('compareProblem', request);
      const { guard } = JSON.parse(Buffer.from(body as Uint8Array).toString()) as ProblemComparison;
      return [guard.silentRuns.length, headers?.['Cache-Status']];
    };
    await countSilentRuns();
    moveClock(100_000);
    expect(await countSilentRuns()).toEqual([0, unchangedStatus]);
    const start_time = new Date().toISOString();
    await insertRun(runner, 'e1', 'r2', { status: 'RUNNING', start_time });
    expect(await countSilentRuns()).toEqual([0, currentStatus]);
    moveClock(102_000);
    expect(await countSilentRuns()).toEqual([0, unchangedStatus]);
    moveClock(111_000);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    expect(await countSilentRuns()).toEqual([1, currentStatus]);
  });
});
