import type { TraceRequest } from '#server/db/dialect.ts';
import { describe, expect, test, it } from 'vitest';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';
import { listRuns } from '#server/repositories/analysis.ts';
import { loadTraces } from '#server/analysis/load.ts';
import { getTrace } from '#server/domain/trace.ts';
import {
  positionBytes,
  type TraceToRead,
  TraceStore,
  type RequestedTrace,
  ThreadTraces,
  readPackedTraces,
} from '#server/analysis/shared-traces.ts';

const makeRequest = (runId: string, version = '1', newestIteration?: number): RequestedTrace => ({
  runId,
  version,
  rows: 10,
  growth:
    newestIteration === undefined ? undefined : { lineage: 'e1', newestIteration: newestIteration },
});

/** Size of a trace of this file in a store, with its position. */
const bytesPerTrace = 104 + positionBytes;

/** Returns a store with room for this number of traces, and the runs that it has read. */
function getStore(maximumTraces = 10) {
  const reads: TraceToRead[] = [];
  const store = new TraceStore(maximumTraces * bytesPerTrace, async (runs) => {
    reads.push(...runs);
    const memory = new SharedArrayBuffer(104 * runs.length);
    return runs.map((_, offset) => ({ memory, offset }));
  });
  return { store, reads, runIds: () => reads.map(({ runId }) => runId) };
}

describe('A store of traces', () => {
  it('reads a trace once while its version stays the same', async () => {
    const { store, reads, runIds } = getStore();
    const [, secondTrace] = await store.collect([makeRequest('r1'), makeRequest('r2')]);
    expect(await store.collect([makeRequest('r2')])).toEqual([secondTrace]);
    await store.collect([makeRequest('r2', '2'), makeRequest('r1')]);
    expect(runIds()).toEqual(['r1', 'r2', 'r2']);
    expect(reads[2]).toEqual({ runId: 'r2', rows: 10, lastIteration: undefined });
  });

  it('reads only the new iterations of a run that grows', async () => {
    const { store, reads } = getStore();
    await store.collect([makeRequest('r1', '1', 7)]);
    const previousTrace = { memory: expect.any(SharedArrayBuffer) as SharedArrayBuffer, offset: 0 };
    await store.collect([makeRequest('r1', '2', 9)]);
    expect(reads.at(-1)).toEqual({
      runId: 'r1',
      previousIteration: 7,
      lastIteration: 9,
      previousTrace,
    });
    await store.collect([makeRequest('r1', '3', 5)]);
    expect(reads.at(-1)).toEqual({ runId: 'r1', rows: 10, lastIteration: 5 });
    const otherGrowth = { lineage: 'e2', newestIteration: 9 };
    await store.collect([{ ...makeRequest('r1', '4'), growth: otherGrowth }]);
    expect(reads.at(-1)).toEqual({ runId: 'r1', rows: 10, lastIteration: 9 });
    await store.collect([makeRequest('r1', '5')]);
    expect(reads.at(-1)).toEqual({ runId: 'r1', rows: 10, lastIteration: undefined });
  });

  it('releases memory whose traces were all read again', async () => {
    const { store } = getStore();
    await store.collect([makeRequest('r1'), makeRequest('r2')]);
    await store.collect([makeRequest('r1', '2')]);
    expect(store.bytes).toBe(3 * bytesPerTrace);
    await store.collect([makeRequest('r2', '2')]);
    expect(store.bytes).toBe(2 * bytesPerTrace);
  });

  it('returns the requested version to each request, and counts only the newest', async () => {
    const { store, runIds } = getStore();
    const [olderTraces, newerTraces] = await Promise.all(
      ['1', '2'].map((version) => store.collect([makeRequest('r1', version)])),
    );
    expect(olderTraces?.[0]?.memory).not.toBe(newerTraces?.[0]?.memory);
    expect(runIds()).toEqual(['r1', 'r1']);
    expect(store.bytes).toBe(bytesPerTrace);
  });

  it('evicts the least recently requested traces above the limit', async () => {
    const { store, runIds } = getStore(2.5);
    for (const runId of ['r1', 'r2', 'r1', 'r3', 'r1', 'r2'])
      await store.collect([makeRequest(runId)]);
    expect(store.bytes).toBe(2 * bytesPerTrace);
    expect(runIds()).toEqual(['r1', 'r2', 'r3', 'r2']);
  });
});

/** Returns the traces of a thread over a store with room for this number of traces, and the requests of the thread. */
function createThreadTraces(maximumTraces: number) {
  const requests: string[][] = [];
  const usedChunks: number[][] = [];
  const store = new TraceStore(maximumTraces * bytesPerTrace, async (runs) => {
    const memory = new SharedArrayBuffer(104 * runs.length);
    return runs.map((_run, index) => ({ memory, offset: 13 * index }));
  });
  const traces = new ThreadTraces(
    async (runs) => {
      requests.push(runs.map(({ runId }) => runId));
      const collectedTraces = await store.collect(runs);
      return collectedTraces.map((trace) =>
        store.has(trace.chunkNumber) ? trace : { ...trace, chunkNumber: 0 },
      );
    },
    (chunks) => {
      usedChunks.push([...chunks]);
      store.touch(chunks);
    },
  );
  store.onRelease = (chunks) => traces.release(chunks);
  const load = async (...runs: RequestedTrace[]) => (await traces.load(runs, 'min')).length;
  return { requests, used: usedChunks, load };
}

describe('The traces of a thread', () => {
  it('requests only traces that are new to it, and returns all in the order of the runs', async () => {
    const { requests, load } = createThreadTraces(10);
    expect(await load(makeRequest('r1'), makeRequest('r2'))).toBe(2);
    expect(await load(makeRequest('r3'), makeRequest('r1'), makeRequest('r2', '2'))).toBe(3);
    expect(await load(makeRequest('r2', '2'), makeRequest('r1'))).toBe(2);
    expect(requests).toEqual([
      ['r1', 'r2'],
      ['r3', 'r2'],
    ]);
  });

  it('requests the traces of many runs in batches, so that the store responds in between', async () => {
    const requests: number[] = [];
    let pendingCount = 0;
    const memory = new SharedArrayBuffer(8 * 5_000 * 5);
    const traces = new ThreadTraces(
      async (runs) => {
        requests.push(runs.length);
        pendingCount += 1;
        expect(pendingCount).toBeLessThanOrEqual(4);
        // Later batches arrive first.
        await new Promise((resolve) => setTimeout(resolve, 20 - requests.length));
        pendingCount -= 1;
        for (const { runId } of runs)
          new Float64Array(memory)[5 * Number(runId) + 2] = Number(runId);
        return runs.map(({ runId }) => ({ memory, offset: 5 * Number(runId), chunkNumber: 0 }));
      },
      () => {},
    );
    const loadedTraces = await traces.load(
      Array.from({ length: 5_000 }, (_, index) => makeRequest(String(index))),
      'min',
    );
    expect(requests).toEqual(Array.from({ length: 10 }, () => 500));
    expect(loadedTraces.map(({ end }) => end)).toEqual(
      Array.from({ length: 5_000 }, (_, index) => index),
    );
  });

  it('releases traces that the store has evicted, and requests them again', async () => {
    const { requests, load } = createThreadTraces(2.5);
    for (const runId of ['r1', 'r2', 'r3', 'r1']) await load(makeRequest(runId));
    expect(requests).toEqual([['r1'], ['r2'], ['r3'], ['r1']]);
  });

  it('requests traces that do not fit into the store each time', async () => {
    const { requests, load } = createThreadTraces(0);
    for (let time = 0; time < 2; time++) expect(await load(makeRequest('r1'))).toBe(1);
    expect(requests).toEqual([['r1'], ['r1']]);
  });

  it('reports the chunks that it uses without a request, so that the store evicts others first', async () => {
    const { requests, used: usedChunks, load } = createThreadTraces(2.5);
    for (const runId of ['r1', 'r2', 'r1', 'r3']) await load(makeRequest(runId));
    expect(usedChunks).toEqual([[1]]);
    await load(makeRequest('r1'));
    expect(requests).toEqual([['r1'], ['r2'], ['r3']]);
  });
});

/** Returns the database, with a record of the iterations of runs that are read. */
function watchDatabase(database: TestDatabase): { database: TestDatabase; reads: TraceRequest[] } {
  const reads: TraceRequest[] = [];
  const { dialect } = database;
  const readTraces: typeof dialect.readTraces = (requests, visit) => {
    reads.push(
      ...requests.map(({ runId, previousIteration, lastIteration }) => ({
        runId,
        previousIteration,
        lastIteration,
      })),
    );
    return dialect.readTraces(requests, visit);
  };
  const watchedDatabase = Object.assign(Object.create(dialect) as typeof dialect, { readTraces });
  return { reads, database: { ...database, dialect: watchedDatabase } };
}

/** Returns a context with a store that reads from this database, in this thread. */
const getContext = (database: TestDatabase, maximumBytes = 1e8) => ({
  database,
  traces: new TraceStore(maximumBytes, (runs) => readPackedTraces(database, runs)),
});

async function insertPoints(
  { kysely }: TestDatabase,
  runId: string,
  first: number,
  fitness: number[],
): Promise<void> {
  const rows = fitness.map((value, index) => ({
    run_id: runId,
    iteration: first + index,
    evaluations: 10 * (first + index),
    best_fitness: value,
    mean_fitness: 0,
    std_fitness: 0,
    created_at: '2026-11-21T10:00:00Z',
  }));
  await kysely.insertInto('iterations').values(rows).execute();
}

describeOnEachDatabase('The memory of traces', (database) => {
  test('reads each finished run once for both directions', async () => {
    await insertExperiment(database(), 'e1');
    for (const runId of ['r1', 'r2', 'r3']) {
      await insertRun(database(), 'e1', runId);
      await insertPoints(database(), runId, 0, [5, 7, Infinity, 3, 9]);
    }
    const { database: watchedDatabase, reads } = watchDatabase(database());
    const context = getContext(watchedDatabase);
    const runs = await listRuns(database(), ['e1']);
    const pairs = Float64Array.from([0, 5, 10, 7, 20, Infinity, 30, 3, 40, 9]);
    for (const direction of ['min', 'max', 'min'] as const) {
      const tracedRuns = await loadTraces(context, runs, direction);
      expect(tracedRuns.map(({ runId }) => runId)).toEqual(['r1', 'r2', 'r3']);
      for (const { trace } of tracedRuns) expect(trace).toEqual(getTrace(pairs, direction));
    }
    expect(reads.map(({ runId }) => runId)).toEqual(['r1', 'r2', 'r3']);
    await database()
      .kysely.updateTable('runs')
      .set({ best_fitness: 2 })
      .where('run_id', '=', 'r2')
      .execute();
    await loadTraces(context, await listRuns(database(), ['e1']), 'min');
    expect(reads.map(({ runId }) => runId)).toEqual(['r1', 'r2', 'r3', 'r2']);
  });

  test('reads a RUNNING run from its last row on, and completely when it has ended', async () => {
    await insertExperiment(database(), 'live');
    await insertRun(database(), 'live', 'growing', { status: 'RUNNING' });
    const { database: watchedDatabase, reads } = watchDatabase(database());
    const context = getContext(watchedDatabase);
    const load = async () =>
      (await loadTraces(context, await listRuns(database(), ['live']), 'min'))[0]!.trace;
    expect((await load()).usedEvaluations).toBe(0);
    await insertPoints(database(), 'growing', 0, [5, 4]);
    expect(Array.from((await load()).best)).toEqual([5, 4]);
    await insertPoints(database(), 'growing', 2, [6, Infinity, 1]);
    const grownTrace = await load();
    expect(grownTrace).toMatchObject({ end: 40, usedEvaluations: 40 });
    expect(Array.from(grownTrace.best)).toEqual([5, 4, 1]);
    expect(Array.from(grownTrace.evaluations)).toEqual([0, 10, 40]);
    await load();
    expect(
      reads.map(({ previousIteration, lastIteration }) => [previousIteration, lastIteration]),
    ).toEqual([
      [undefined, -1],
      [-1, 1],
      [1, 4],
    ]);
    await database()
      .kysely.updateTable('runs')
      .set({ status: 'COMPLETED' })
      .where('run_id', '=', 'growing')
      .execute();
    expect(Array.from((await load()).best)).toEqual([5, 4, 1]);
    expect(reads.at(-1)).toEqual({
      runId: 'growing',
      previousIteration: undefined,
      lastIteration: undefined,
    });
  });

  test('reads a resumed run again each time, because its iterations are written again', async () => {
    await insertExperiment(database(), 'again');
    const columns = { status: 'RUNNING', resumed_from: 'x.ckpt.yaml' };
    await insertRun(database(), 'again', 'resumed', columns);
    await insertPoints(database(), 'resumed', 0, [5, 4, 3]);
    const { database: watchedDatabase } = watchDatabase(database());
    const context = getContext(watchedDatabase);
    const load = async () =>
      (await loadTraces(context, await listRuns(database(), ['again']), 'min'))[0]!.trace;
    expect(Array.from((await load()).best)).toEqual([5, 4, 3]);
    await database()
      .kysely.updateTable('iterations')
      .set({ best_fitness: 2 })
      .where('run_id', '=', 'resumed')
      .where('iteration', '=', 1)
      .execute();
    expect(Array.from((await load()).best)).toEqual([5, 2]);
  });

  test('adds the evaluations of a resumed run before its count restarted, also after it is set to resumed', async () => {
    await insertExperiment(database(), 'restart');
    await insertRun(database(), 'restart', 'restarted');
    await insertPoints(database(), 'restarted', 0, [5, 4, 3, 2]);
    const { kysely } = database();
    await kysely
      .updateTable('iterations')
      .set({ evaluations: 10 })
      .where('run_id', '=', 'restarted')
      .where('iteration', '=', 3)
      .execute();
    const context = getContext(database());
    const load = async () =>
      (await loadTraces(context, await listRuns(database(), ['restart']), 'min'))[0]!.trace;
    expect(Array.from((await load()).evaluations)).toEqual([0, 10, 10]);
    await kysely
      .updateTable('runs')
      .set({ resumed_from: 'x.ckpt.yaml' })
      .where('run_id', '=', 'restarted')
      .execute();
    const resumedTrace = await load();
    expect(Array.from(resumedTrace.evaluations)).toEqual([0, 10, 20, 30]);
    expect(resumedTrace).toMatchObject({ usedEvaluations: 30, isDecreasing: true });
  });

  test('reports evaluations that decrease from a read of a RUNNING run to the next', async () => {
    await insertExperiment(database(), 'decrease');
    await insertRun(database(), 'decrease', 'decreasing', { status: 'RUNNING' });
    await insertPoints(database(), 'decreasing', 5, [5, 4]);
    const context = getContext(database());
    const load = async () =>
      (await loadTraces(context, await listRuns(database(), ['decrease']), 'min'))[0]!.trace;
    expect((await load()).isDecreasing).toBe(false);
    await insertPoints(database(), 'decreasing', 7, [3, 2]);
    await database()
      .kysely.updateTable('iterations')
      .set({ evaluations: 10 })
      .where('run_id', '=', 'decreasing')
      .where('iteration', '=', 7)
      .execute();
    expect((await load()).isDecreasing).toBe(true);
    await insertPoints(database(), 'decreasing', 9, [1]);
    expect(await load()).toMatchObject({ isDecreasing: true, usedEvaluations: 90 });
  });

  test('reads traces that several analyses request at the same time once, in chunks of tens of thousands of rows', async () => {
    await insertExperiment(database(), 'many');
    for (let run = 0; run < 4; run++) {
      await insertRun(database(), 'many', `many-${run}`);
      await insertIterations(database(), `many-${run}`, 30_000);
    }
    const chunks: string[][] = [];
    const traces = new TraceStore(1e8, (runs) => {
      chunks.push(runs.map(({ runId }) => runId));
      return readPackedTraces(database(), runs);
    });
    const runs = await listRuns(database(), ['many']);
    const tracesOfBoth = await Promise.all([
      loadTraces({ database: database(), traces }, runs, 'max'),
      loadTraces({ database: database(), traces }, runs.toReversed(), 'max'),
    ]);
    expect(tracesOfBoth[0].map(({ trace }) => trace.best.length)).toEqual(runs.map(() => 30_000));
    expect(tracesOfBoth[1]).toEqual(tracesOfBoth[0].toReversed());
    expect(chunks).toEqual([
      ['many-0', 'many-1'],
      ['many-2', 'many-3'],
    ]);
  });

  test('rejects all pending requests with the error of the read, and reads again at the next request', async () => {
    const runs = await listRuns(database(), ['e1']);
    let isBroken = true;
    const traces = new TraceStore(1e8, (requested) =>
      isBroken ? Promise.reject(new Error('no')) : readPackedTraces(database(), requested),
    );
    const loads = [1, 2].map(() => loadTraces({ database: database(), traces }, runs, 'min'));
    for (const loadedTraces of loads) await expect(loadedTraces).rejects.toThrow('no');
    isBroken = false;
    expect(await loadTraces({ database: database(), traces }, runs, 'min')).toHaveLength(3);
  });

  test('refuses runs that were deleted after their list was read, and returns runs without a value', async () => {
    await insertExperiment(database(), 'deleted');
    for (const runId of ['blank', 'lost']) await insertRun(database(), 'deleted', runId);
    await insertPoints(database(), 'blank', 0, [Infinity]);
    await insertPoints(database(), 'lost', 0, [5, 4]);
    const runs = await listRuns(database(), ['deleted']);
    const tracedRuns = await loadTraces(getContext(database()), runs, 'min');
    expect(tracedRuns.map(({ trace }) => trace.best.length)).toEqual([0, 2]);
    const { kysely } = database();
    await kysely.deleteFrom('iterations').where('run_id', '=', 'lost').execute();
    await kysely.deleteFrom('runs').where('run_id', '=', 'lost').execute();
    await expect(loadTraces(getContext(database()), runs, 'min')).rejects.toMatchObject({
      code: 'DATABASE_BUSY',
      message:
        'The analysis stopped, because a client or another program deleted runs that it compares; try again in a moment',
    });
  });

  test('also returns traces that do not fit into it', async () => {
    const context = getContext(database(), 0);
    const runs = await listRuns(database(), ['e1']);
    for (const direction of ['min', 'max'] as const) {
      const [first] = await loadTraces(context, runs, direction);
      expect(first?.trace.best[0]).toBe(5);
    }
  });
});
