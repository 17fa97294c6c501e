import { describe, expect, test } from 'vitest';
import type { TraceToRead } from '#server/analysis/packed-traces.ts';
import { TraceStore, type WantedTrace } from '#server/analysis/trace-store.ts';

const wanted = (runId: string, version = '1', newest?: number): WantedTrace => ({
  runId,
  version,
  rows: 10,
  growth: newest === undefined ? undefined : { lineage: 'e1', newestIteration: newest },
});

/** A store whose traces take a hundred bytes each, and what it has had read. */
function storeOf(maximumBytes = 1_000) {
  const reads: TraceToRead[] = [];
  const store = new TraceStore(maximumBytes, async (runs) => {
    reads.push(...runs);
    const memory = new SharedArrayBuffer(100 * runs.length);
    return runs.map((_, offset) => ({ memory, offset }));
  });
  return { store, reads, runIds: () => reads.map(({ runId }) => runId) };
}

describe('A store of traces', () => {
  test('has a trace read once, as long as the version is the same', async () => {
    const { store, reads, runIds } = storeOf();
    const [, second] = await store.collect([wanted('r1'), wanted('r2')]);
    expect(await store.collect([wanted('r2')])).toEqual([second]);
    await store.collect([wanted('r2', '2'), wanted('r1')]);
    expect(runIds()).toEqual(['r1', 'r2', 'r2']);
    expect(reads[2]).toEqual({ runId: 'r2', rows: 10, until: undefined });
  });

  test('asks of a run that grows only for what is new', async () => {
    const { store, reads } = storeOf();
    await store.collect([wanted('r1', '1', 7)]);
    const earlier = { memory: expect.any(SharedArrayBuffer) as SharedArrayBuffer, offset: 0 };
    await store.collect([wanted('r1', '2', 9)]);
    expect(reads.at(-1)).toEqual({ runId: 'r1', after: 7, until: 9, earlier });
    await store.collect([wanted('r1', '3', 5)]);
    expect(reads.at(-1)).toEqual({ runId: 'r1', rows: 10, until: 5 });
    const other = { lineage: 'e2', newestIteration: 9 };
    await store.collect([{ ...wanted('r1', '4'), growth: other }]);
    expect(reads.at(-1)).toEqual({ runId: 'r1', rows: 10, until: 9 });
    await store.collect([wanted('r1', '5')]);
    expect(reads.at(-1)).toEqual({ runId: 'r1', rows: 10, until: undefined });
  });

  test('lets go of memory whose traces were all read anew', async () => {
    const { store } = storeOf();
    await store.collect([wanted('r1'), wanted('r2')]);
    await store.collect([wanted('r1', '2')]);
    expect(store.bytes).toBe(300);
    await store.collect([wanted('r2', '2')]);
    expect(store.bytes).toBe(200);
  });

  test('gives each asker the version it asked for, and counts only the newest', async () => {
    const { store, runIds } = storeOf();
    const [older, newer] = await Promise.all(
      ['1', '2'].map((version) => store.collect([wanted('r1', version)])),
    );
    expect(older?.[0]?.memory).not.toBe(newer?.[0]?.memory);
    expect(runIds()).toEqual(['r1', 'r1']);
    expect(store.bytes).toBe(100);
  });

  test('drops what was not asked for for the longest time when all is too large', async () => {
    const { store, runIds } = storeOf(250);
    for (const runId of ['r1', 'r2', 'r1', 'r3', 'r1', 'r2']) await store.collect([wanted(runId)]);
    expect(store.bytes).toBe(200);
    expect(runIds()).toEqual(['r1', 'r2', 'r3', 'r2']);
  });
});
