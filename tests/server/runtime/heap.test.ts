import { execFileSync } from 'node:child_process';
import { getHeapStatistics } from 'node:v8';
import { beforeEach, expect, test } from 'vitest';
import { collectGarbage, trimHeap } from '#server/runtime/heap.ts';

const megabyte = 1_048_576;

function getHeapMegabytes(): number {
  return getHeapStatistics().total_heap_size / megabyte;
}

/** Returns this number of megabytes of objects. */
function makeObjects(megabytes: number): object[] {
  return Array.from({ length: megabytes * 128 }, (_, index) => Array<number>(1_024).fill(index));
}

beforeEach(collectGarbage);

test('a collection returns the memory of objects that are not used', () => {
  const megabytesBefore = getHeapMegabytes();
  expect(makeObjects(200).length).toBeGreaterThan(0);
  expect(getHeapMegabytes()).toBeGreaterThan(megabytesBefore + 100);
  collectGarbage();
  expect(getHeapMegabytes()).toBeLessThan(megabytesBefore + 40);
});

test('a heap is trimmed again when it has grown by more than 64 MB', () => {
  trimHeap();
  const megabytesBefore = getHeapMegabytes();
  for (let round = 0; round < 2; round += 1) {
    expect(makeObjects(200).length).toBeGreaterThan(0);
    trimHeap();
    expect(getHeapMegabytes()).toBeLessThan(megabytesBefore + 40);
  }
  expect(makeObjects(20).length).toBeGreaterThan(0);
  const grownMegabytes = getHeapMegabytes();
  trimHeap();
  expect(getHeapMegabytes()).toBe(grownMegabytes);
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
