import { execFileSync } from 'node:child_process';
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

/** A program that creates many objects and uses the newest 300,000; prints the megabytes for new objects at its end. */
const programWithManyObjects = `
  const objects = new Array(300_000);
  for (let index = 0; index < 2e6; index += 1)
    objects[index % objects.length] = { index, text: 'x' + index, list: [index] };
  const { getHeapSpaceStatistics } = await import('node:v8');
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  console.log(space_size / 1_048_576);`;

test.each([
  { title: 'grows', head: '', isLarge: true },
  {
    title: 'does not grow once it is limited',
    head: `import { limitNewObjects } from '#server/runtime/heap.ts'; limitNewObjects();`,
    isLarge: false,
  },
])('the memory for new objects of a process $title', ({ head, isLarge }) => {
  const program = `${head}${programWithManyObjects}`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program]);
  expect(Number(output) > 32).toBe(isLarge);
});
