import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoStore } from '#server/analysis/memo.ts';
import { TraceStore } from '#server/analysis/shared-traces.ts';
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
import { insertExperiment, insertRun } from '#tests/support/rows.ts';

const now = performance.now.bind(performance);

const unchanged = 'Evoscope; hit';
const delayed = expect.stringMatching(/^Evoscope; hit; ttl=-[12]$/) as unknown as string;
const current = 'Evoscope; fwd=miss';

describeOnEachEngine('The summary of a database to which a runner writes', (engine) => {
  let location: TestLocation;
  let database: TestDatabase;
  /** Another program. */
  let runner: TestDatabase;
  let responses: Responses;
  /** Settles when the computations that have read the database may end. */
  let gate: Promise<void>;
  /** Number of computations that have read the database. */
  let read: number;

  beforeEach(async () => {
    location = await engine.makeLocation();
    database = await openTestDatabase(location.url);
    runner = await openTestDatabase(location.url);
    await insertExperiment(runner, 'e1');
    await insertRun(runner, 'e1', 'r1');
    [gate, read] = [Promise.resolve(), 0];
    const context = {
      database,
      version: '1',
      logger: { warn() {}, error() {} },
      traces: new TraceStore(1, async () => []),
      memo: new MemoStore(1).createRequestMemo(),
    };
    const threads: Partial<Threads> = {
      // The keys of PostgreSQL also change with transactions of other tests on the same server.
      readState: async () =>
        JSON.stringify(await database.kysely.selectFrom('runs').selectAll().execute()),
      run: async (name, input) => {
        const response = await runHandler(context, name, input);
        if (name !== 'getSummary') return response;
        read += 1;
        await gate;
        return response;
      },
    };
    responses = new Responses(threads as Threads, 100_000);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all([database.close(), runner.close()]);
    await location.remove();
  });

  function respond(name: HandledName, input: object = {}) {
    return responses.respond(name, { params: {}, query: {}, body: undefined, ...input });
  }

  /** Returns the number of runs in the summary, and the state of its cache. */
  async function ask(): Promise<[runs: number, status: string | undefined]> {
    const { body, headers } = await respond('getSummary');
    const { runCount } = JSON.parse(Buffer.from(body as Uint8Array).toString()) as {
      runCount: number;
    };
    return [runCount, headers?.['Cache-Status']];
  }

  /** Makes computations wait, and returns a function that ends the wait. */
  function makeSlow(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  }

  /** Sets the clock so much forward. */
  function wait(millis: number): void {
    vi.spyOn(performance, 'now').mockImplementation(() => now() + millis);
  }

  test('is computed before the first response, however long it takes', async () => {
    const end = makeSlow();
    const first = ask();
    await expect.poll(() => read).toBe(1);
    end();
    expect(await first).toEqual([1, current]);
    expect(await ask()).toEqual([1, unchanged]);
  });

  test('contains each change at once if it is ready within 100 ms', async () => {
    for (const runs of [1, 2, 3]) {
      expect(await ask()).toEqual([runs, current]);
      await insertRun(runner, 'e1', `r${runs + 1}`);
    }
  });

  test('is the previous one while the current one is computed once, and then announced', async () => {
    await ask();
    await insertRun(runner, 'e1', 'r2');
    const before = await responses.readCursor();
    const end = makeSlow();
    expect(await Promise.all([ask(), ask()])).toEqual([
      [1, delayed],
      [1, delayed],
    ]);
    expect(read).toBe(2);
    expect(await responses.readCursor()).toBe(before);
    end();
    await expect.poll(() => responses.readCursor()).not.toBe(before);
    expect(await ask()).toEqual([2, unchanged]);
    expect(read).toBe(2);
  });

  test('is computed again, and announced, after a change during its computation', async () => {
    await ask();
    await insertRun(runner, 'e1', 'r2');
    const end = makeSlow();
    await ask();
    await insertRun(runner, 'e1', 'r3');
    const before = await responses.readCursor();
    expect(await ask()).toEqual([1, delayed]);
    expect(read).toBe(2);
    end();
    await expect.poll(() => read).toBe(3);
    await expect.poll(() => responses.readCursor()).toMatch(/-2$/);
    expect(await responses.readCursor()).not.toBe(before);
    expect(await ask()).toEqual([3, unchanged]);
  });

  test('is not announced if it has not changed', async () => {
    await ask();
    await runner.kysely.updateTable('runs').set({ status: 'completed' }).execute();
    const before = await responses.readCursor();
    const end = makeSlow();
    expect(await ask()).toEqual([1, delayed]);
    end();
    await expect.poll(ask).toEqual([1, unchanged]);
    expect(await responses.readCursor()).toBe(before);
  });

  test('contains all changes of 2 s ago', async () => {
    await ask();
    await insertRun(runner, 'e1', 'r2');
    const end = makeSlow();
    wait(1_500);
    expect(await ask()).toEqual([1, delayed]);
    await insertRun(runner, 'e1', 'r3');
    wait(4_000);
    // The computation that began before is too old as well.
    const response = ask();
    await expect.poll(() => read).toBe(3);
    end();
    expect(await response).toEqual([3, current]);
  });

  test('contains a change by this service at once, also if its computation began before', async () => {
    await ask();
    const end = makeSlow();
    await insertRun(runner, 'e1', 'r2');
    expect(await ask()).toEqual([1, delayed]);
    await respond('deleteExperiment', {
      params: { experimentId: 'e1' },
      query: { force: true },
    });
    const response = ask();
    await expect.poll(() => read).toBe(3);
    end();
    expect(await response).toEqual([0, current]);
    makeSlow();
    await insertExperiment(runner, 'e2');
    await insertRun(runner, 'e2', 'r3');
    expect(await ask()).toEqual([0, delayed]);
  });

  test('contains nothing of another file at its path', async () => {
    await ask();
    await insertRun(runner, 'e1', 'r2');
    const end = makeSlow();
    expect(await ask()).toEqual([1, delayed]);
    responses.clear();
    const response = ask();
    await expect.poll(() => read).toBe(3);
    end();
    expect(await response).toEqual([2, current]);
  });

  test('is not sent if its computation fails, but computed again', async () => {
    await ask();
    await insertRun(runner, 'e1', 'r2');
    gate = Promise.reject(new Error('no response'));
    gate.catch(() => {});
    await expect(ask()).rejects.toThrow('no response');
    gate = Promise.resolve();
    expect(await ask()).toEqual([2, current]);
  });

  test('is computed again after 10 s, because runs become silent', async () => {
    await ask();
    wait(9_000);
    expect(await ask()).toEqual([1, unchanged]);
    wait(11_000);
    expect(await ask()).toEqual([1, current]);
  });
});
