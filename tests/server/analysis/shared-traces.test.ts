import { expect, test } from 'vitest';
import { loadTraces } from '#server/analysis/load.ts';
import { readPackedTraces } from '#server/analysis/packed-traces.ts';
import { TraceStore } from '#server/analysis/trace-store.ts';
import type { TraceRequest } from '#server/db/dialect.ts';
import { listRunsOf } from '#server/repositories/analysis.ts';
import { traceOf } from '#server/domain/trace.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insertExperiment, insertIterations, insertRun } from '#tests/support/rows.ts';

/** The database, with a record of which iterations of which runs are read. */
function watched(database: TestDatabase): { database: TestDatabase; reads: TraceRequest[] } {
  const reads: TraceRequest[] = [];
  const { dialect } = database;
  const readTraces: typeof dialect.readTraces = (requests, visit) => {
    reads.push(...requests.map(({ runId, after, until }) => ({ runId, after, until })));
    return dialect.readTraces(requests, visit);
  };
  const watching = Object.assign(Object.create(dialect) as typeof dialect, { readTraces });
  return { reads, database: { ...database, dialect: watching } };
}

/** A store that reads from this database, in this thread. */
const contextOf = (database: TestDatabase, maximumBytes = 1e8) => ({
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
  test('has each finished run read once, whatever the direction', async () => {
    await insertExperiment(database(), 'e1');
    for (const runId of ['r1', 'r2', 'r3']) {
      await insertRun(database(), 'e1', runId);
      await insertPoints(database(), runId, 0, [5, 7, Infinity, 3, 9]);
    }
    const { database: watching, reads } = watched(database());
    const context = contextOf(watching);
    const runs = await listRunsOf(database(), ['e1']);
    const pairs = Float64Array.from([0, 5, 10, 7, 20, Infinity, 30, 3, 40, 9]);
    for (const direction of ['min', 'max', 'min'] as const) {
      const traced = await loadTraces(context, runs, direction);
      expect(traced.map(({ runId }) => runId)).toEqual(['r1', 'r2', 'r3']);
      for (const { trace } of traced) expect(trace).toEqual(traceOf(pairs, direction));
    }
    expect(reads.map(({ runId }) => runId)).toEqual(['r1', 'r2', 'r3']);
    await database()
      .kysely.updateTable('runs')
      .set({ best_fitness: 2 })
      .where('run_id', '=', 'r2')
      .execute();
    await loadTraces(context, await listRunsOf(database(), ['e1']), 'min');
    expect(reads.map(({ runId }) => runId)).toEqual(['r1', 'r2', 'r3', 'r2']);
  });

  test('has a RUNNING run read from its last row on, and the whole of it when it has ended', async () => {
    await insertExperiment(database(), 'live');
    await insertRun(database(), 'live', 'growing', { status: 'RUNNING' });
    const { database: watching, reads } = watched(database());
    const context = contextOf(watching);
    const load = async () =>
      (await loadTraces(context, await listRunsOf(database(), ['live']), 'min'))[0]!.trace;
    expect((await load()).spent).toBe(0);
    await insertPoints(database(), 'growing', 0, [5, 4]);
    expect(Array.from((await load()).best)).toEqual([5, 4]);
    await insertPoints(database(), 'growing', 2, [6, Infinity, 1]);
    const grown = await load();
    expect(grown).toMatchObject({ end: 40, spent: 40 });
    expect(Array.from(grown.best)).toEqual([5, 4, 1]);
    expect(Array.from(grown.evaluations)).toEqual([0, 10, 40]);
    await load();
    expect(reads.map(({ after, until }) => [after, until])).toEqual([
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
    expect(reads.at(-1)).toEqual({ runId: 'growing', after: undefined, until: undefined });
  });

  test('has a resumed run read anew each time, as its iterations are written anew', async () => {
    await insertExperiment(database(), 'again');
    const columns = { status: 'RUNNING', resumed_from: 'x.ckpt.yaml' };
    await insertRun(database(), 'again', 'resumed', columns);
    await insertPoints(database(), 'resumed', 0, [5, 4, 3]);
    const { database: watching } = watched(database());
    const context = contextOf(watching);
    const load = async () =>
      (await loadTraces(context, await listRunsOf(database(), ['again']), 'min'))[0]!.trace;
    expect(Array.from((await load()).best)).toEqual([5, 4, 3]);
    await database()
      .kysely.updateTable('iterations')
      .set({ best_fitness: 2 })
      .where('run_id', '=', 'resumed')
      .where('iteration', '=', 1)
      .execute();
    expect(Array.from((await load()).best)).toEqual([5, 2]);
  });

  test('has what several ask for at once read once, in shares of tens of thousands of rows', async () => {
    await insertExperiment(database(), 'many');
    for (let run = 0; run < 4; run++) {
      await insertRun(database(), 'many', `many-${run}`);
      await insertIterations(database(), `many-${run}`, 30_000);
    }
    const shares: string[][] = [];
    const traces = new TraceStore(1e8, (runs) => {
      shares.push(runs.map(({ runId }) => runId));
      return readPackedTraces(database(), runs);
    });
    const runs = await listRunsOf(database(), ['many']);
    const both = await Promise.all([
      loadTraces({ traces }, runs, 'max'),
      loadTraces({ traces }, runs.toReversed(), 'max'),
    ]);
    expect(both[0].map(({ trace }) => trace.best.length)).toEqual(runs.map(() => 30_000));
    expect(both[1]).toEqual(both[0].toReversed());
    expect(shares).toEqual([
      ['many-0', 'many-1'],
      ['many-2', 'many-3'],
    ]);
  });

  test('hands on what reading throws to all who wait for it, and reads it when it is asked again', async () => {
    const runs = await listRunsOf(database(), ['e1']);
    let isBroken = true;
    const traces = new TraceStore(1e8, (wanted) =>
      isBroken ? Promise.reject(new Error('no')) : readPackedTraces(database(), wanted),
    );
    const asked = [1, 2].map(() => loadTraces({ traces }, runs, 'min'));
    for (const loaded of asked) await expect(loaded).rejects.toThrow('no');
    isBroken = false;
    expect(await loadTraces({ traces }, runs, 'min')).toHaveLength(3);
  });

  test('answers what does not fit into it, too', async () => {
    const context = contextOf(database(), 0);
    const runs = await listRunsOf(database(), ['e1']);
    for (const direction of ['min', 'max'] as const) {
      const [first] = await loadTraces(context, runs, direction);
      expect(first?.trace.best[0]).toBe(5);
    }
  });
});
