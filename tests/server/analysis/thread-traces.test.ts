import { describe, expect, it } from 'vitest';
import { ThreadTraces } from '#server/analysis/thread-traces.ts';
import { TraceStore, type WantedTrace } from '#server/analysis/trace-store.ts';

const wanted = (runId: string, version = '1'): WantedTrace => ({ runId, version, rows: 10 });

/** Traces of a thread over a store whose traces take 100 bytes each, and what the thread requests. */
function threadOver(maximumBytes: number) {
  const requests: string[][] = [];
  const store = new TraceStore(maximumBytes, async (runs) => {
    const memory = new SharedArrayBuffer(104 * runs.length);
    return runs.map((_run, index) => ({ memory, offset: 13 * index }));
  });
  const traces = new ThreadTraces(async (runs) => {
    requests.push(runs.map(({ runId }) => runId));
    const collected = await store.collect(runs);
    return collected.map((one) => (store.has(one.share) ? one : { ...one, share: 0 }));
  });
  store.onDrop = (shares) => traces.release(shares);
  const load = async (...runs: WantedTrace[]) => (await traces.load(runs, 'min')).length;
  return { store, traces, requests, load };
}

describe('The traces of a thread', () => {
  it('requests only traces that are new to it, and others in the order of the runs', async () => {
    const { requests, load } = threadOver(1_000);
    expect(await load(wanted('r1'), wanted('r2'))).toBe(2);
    expect(await load(wanted('r3'), wanted('r1'), wanted('r2', '2'))).toBe(3);
    expect(await load(wanted('r2', '2'), wanted('r1'))).toBe(2);
    expect(requests).toEqual([
      ['r1', 'r2'],
      ['r3', 'r2'],
    ]);
  });

  it('releases traces that the store has evicted, and requests them again', async () => {
    const { requests, load } = threadOver(250);
    for (const runId of ['r1', 'r2', 'r3', 'r1']) await load(wanted(runId));
    expect(requests).toEqual([['r1'], ['r2'], ['r3'], ['r1']]);
  });

  it('requests traces that do not fit into the store each time', async () => {
    const { requests, load } = threadOver(0);
    for (let time = 0; time < 2; time++) expect(await load(wanted('r1'))).toBe(1);
    expect(requests).toEqual([['r1'], ['r1']]);
  });

  it('reports which shares it used, by which the store evicts others first', async () => {
    const { store, traces, requests, load } = threadOver(250);
    for (const runId of ['r1', 'r2']) await load(wanted(runId));
    expect(traces.takeUsed()).toEqual([1, 2]);
    await load(wanted('r1'));
    store.touch(traces.takeUsed());
    await load(wanted('r3'));
    await load(wanted('r1'));
    expect(requests).toEqual([['r1'], ['r2'], ['r3']]);
  });
});
