import { describe, expect, it } from 'vitest';
import { MemoStore } from '#server/analysis/memo.ts';

/** Returns a value whose computations are counted. */
function makeCountedValue<Value>(value: Value) {
  let count = 0;
  return {
    compute: async () => ((count += 1), value),
    get count() {
      return count;
    },
  };
}

describe('A memo', () => {
  it('computes a value once for equal facts, null included', async () => {
    const store = new MemoStore(10_000);
    const value = makeCountedValue(null);
    for (const facts of [
      ['a', 1],
      ['a', 1],
      ['a', 2],
    ]) {
      expect(await store.createRequestMemo().ensure(facts, value.compute)).toBeNull();
    }
    expect(value.count).toBe(2);
  });

  it('computes a value once for requests at the same time', async () => {
    const store = new MemoStore(10_000);
    const value = makeCountedValue({ x: 1.5 });
    const [firstMemo, secondMemo] = [store.createRequestMemo(), store.createRequestMemo()];
    const values = [firstMemo, secondMemo].map((memo) => memo.ensure(['a'], value.compute));
    expect(await values[0]).toBe(await values[1]);
    expect(value.count).toBe(1);
    expect([firstMemo.isHit, secondMemo.isHit]).toEqual([false, true]);
  });

  it('evicts the least recently used values above its size, and computes them again', async () => {
    const store = new MemoStore(10_000);
    const series = Array.from({ length: 150 }, (_, index) => index + 0.5);
    const values = new Map(['a', 'b', 'c'].map((name) => [name, makeCountedValue(series)]));
    const useValue = (name: string) =>
      store.createRequestMemo().ensure([name], values.get(name)!.compute);
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) expect(await useValue(name)).toEqual(series);
    expect(Array.from(values.values(), ({ count }) => count)).toEqual([1, 2, 1]);
    expect(store.bytes).toBeGreaterThan(2 * 150 * 8);
    expect(store.bytes).toBeLessThanOrEqual(10_000);
  });

  it('returns a value that is larger than its size without caching it', async () => {
    const store = new MemoStore(1_000);
    const value = makeCountedValue('x'.repeat(2_000));
    for (let time = 0; time < 2; time++)
      expect(await store.createRequestMemo().ensure(['long'], value.compute)).toHaveLength(2_000);
    expect(value.count).toBe(2);
    expect(store.bytes).toBe(0);
  });

  it('does not cache the value of a computation that was pending when the cache was cleared', async () => {
    const store = new MemoStore(10_000);
    const pending = Promise.withResolvers<string>();
    const oldValue = store.createRequestMemo().ensure(['a'], () => pending.promise);
    store.clear();
    const getNewValue = () => store.createRequestMemo().ensure(['a'], () => 'new');
    expect(await getNewValue()).toBe('new');
    pending.resolve('old');
    expect(await oldValue).toBe('old');
    expect(await getNewValue()).toBe('new');
    expect(store.bytes).toBeGreaterThan(0);
  });

  it('does not cache errors', async () => {
    const store = new MemoStore(1_000);
    const fail = () => Promise.reject(new Error('no'));
    await expect(store.createRequestMemo().ensure(['a'], fail)).rejects.toThrow('no');
    expect(await store.createRequestMemo().ensure(['a'], async () => 1)).toBe(1);
  });

  it('computes again after an error that is thrown synchronously', async () => {
    const store = new MemoStore(1_000);
    const fail = () => {
      throw new Error('no');
    };
    await expect(store.createRequestMemo().ensure(['a'], fail)).rejects.toThrow('no');
    expect(await store.createRequestMemo().ensure(['a'], () => 1)).toBe(1);
  });

  it('reports a hit only for a request that used values and computed none', async () => {
    const store = new MemoStore(10_000);
    const [unusedMemo, missMemo, hitMemo] = [1, 2, 3].map(() => store.createRequestMemo());
    await missMemo!.ensure(['a'], () => 1);
    await hitMemo!.ensure(['a'], () => 1);
    expect([unusedMemo!.isHit, missMemo!.isHit, hitMemo!.isHit]).toEqual([false, false, true]);
  });
});
