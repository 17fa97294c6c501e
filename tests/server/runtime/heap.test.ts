import { getHeapStatistics } from 'node:v8';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectGarbage, HeapTrimmer } from '#server/runtime/heap.ts';

const megabyte = 1_048_576;

function getHeapMegabytes(): number {
  return getHeapStatistics().total_heap_size / megabyte;
}

/** Returns so many megabytes of objects. */
function makeObjects(megabytes: number): object[] {
  return Array.from({ length: megabytes * 128 }, (_, index) => new Array(1_024).fill(index));
}

beforeEach(() => {
  vi.useFakeTimers();
  collectGarbage();
});

afterEach(() => {
  vi.useRealTimers();
});

test('a collection returns the memory of objects that are not used', () => {
  const before = getHeapMegabytes();
  expect(makeObjects(200).length).toBeGreaterThan(0);
  expect(getHeapMegabytes()).toBeGreaterThan(before + 100);
  collectGarbage();
  expect(getHeapMegabytes()).toBeLessThan(before + 40);
});

test('the heap is trimmed once no job has run for a second, not while one runs', async () => {
  const trimmer = new HeapTrimmer();
  const before = getHeapMegabytes();
  const { promise, resolve } = Promise.withResolvers<string>();
  const longJob = trimmer.run(() => promise);
  await trimmer.run(async () => makeObjects(200).length);
  vi.advanceTimersByTime(60_000);
  expect(getHeapMegabytes()).toBeGreaterThan(before + 100);
  resolve('end');
  expect(await longJob).toBe('end');
  vi.advanceTimersByTime(900);
  expect(getHeapMegabytes()).toBeGreaterThan(before + 100);
  vi.advanceTimersByTime(200);
  expect(getHeapMegabytes()).toBeLessThan(before + 40);
});

test('a job that fails rejects, and the heap is trimmed after it', async () => {
  const trimmer = new HeapTrimmer();
  const before = getHeapMegabytes();
  const job = trimmer.run(async () => {
    throw new Error(`failed after ${makeObjects(200).length > 0}`);
  });
  await expect(job).rejects.toThrow('failed after true');
  vi.advanceTimersByTime(1_100);
  expect(getHeapMegabytes()).toBeLessThan(before + 40);
});

test('a small heap is not trimmed', async () => {
  const trimmer = new HeapTrimmer();
  await trimmer.run(async () => makeObjects(200).length);
  vi.advanceTimersByTime(1_100);
  await trimmer.run(async () => makeObjects(20).length);
  const before = getHeapMegabytes();
  vi.advanceTimersByTime(1_100);
  expect(getHeapMegabytes()).toBeGreaterThanOrEqual(before);
});
