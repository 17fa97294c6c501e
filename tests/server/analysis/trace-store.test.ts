import { describe, expect, test } from 'vitest';
import { TraceStore, type WantedTrace } from '#server/analysis/trace-store.ts';

const wanted = (runId: string, version = '1', newest?: number): WantedTrace => ({
  runId,
  version,
  rows: 10,
  growth: newest === undefined ? undefined : { lineage: 'e1', newestIteration: newest },
});

/** Memory for the traces of some runs, a hundred bytes each. */
const slabOf = (runs: number) => ({
  memory: new SharedArrayBuffer(100 * runs),
  offsets: Array.from({ length: runs }, (_, index) => index),
});

describe('A store of traces', () => {
  test('finds what it keeps, as long as the version is the same', () => {
    const store = new TraceStore(1_000);
    expect(store.find(wanted('r1'))).toEqual({ runId: 'r1', until: undefined });
    const slab = slabOf(2);
    store.keep([wanted('r1'), wanted('r2')], slab);
    expect(store.find(wanted('r2'))).toEqual({ memory: slab.memory, offset: 1 });
    expect(store.find(wanted('r2', '2'))).toEqual({ runId: 'r2', until: undefined });
  });

  test('asks of a run that grows only for what is new', () => {
    const store = new TraceStore(1_000);
    const slab = slabOf(1);
    store.keep([wanted('r1', '1', 7)], slab);
    const earlier = { memory: slab.memory, offset: 0 };
    expect(store.find(wanted('r1', '2', 9))).toEqual({ runId: 'r1', after: 7, until: 9, earlier });
    expect(store.find(wanted('r1', '2', 5))).toEqual({ runId: 'r1', until: 5 });
    expect(store.find(wanted('r1', '3'))).toEqual({ runId: 'r1', until: undefined });
    const other = { ...wanted('r1', '2'), growth: { lineage: 'e2', newestIteration: 9 } };
    expect(store.find(other)).toEqual({ runId: 'r1', until: 9 });
  });

  test('lets go of memory whose traces were all read anew', () => {
    const store = new TraceStore(1_000);
    store.keep([wanted('r1'), wanted('r2')], slabOf(2));
    store.keep([wanted('r1', '2')], slabOf(1));
    expect(store.bytes).toBe(300);
    store.keep([wanted('r2', '2')], slabOf(1));
    expect(store.bytes).toBe(200);
  });

  test('drops what was not asked for for the longest time when all is too large', () => {
    const store = new TraceStore(250);
    for (const runId of ['r1', 'r2']) store.keep([wanted(runId)], slabOf(1));
    expect(store.find(wanted('r1'))).toHaveProperty('memory');
    store.keep([wanted('r3')], slabOf(1));
    expect(store.bytes).toBe(200);
    expect(store.find(wanted('r1'))).toHaveProperty('memory');
    expect(store.find(wanted('r2'))).not.toHaveProperty('memory');
  });
});
