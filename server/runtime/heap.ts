import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Initial size of each of the two semi-spaces for new objects, in megabytes. V8 uses one of them at a time. */
const initialSemiSpaceMegabytes = 8;

/**
 * Limits the memory for new objects of each thread to the initial size. Otherwise the main thread would use more than
 * 100 MB, and would not respond faster. Call this function before loading other modules.
 */
export function limitNewObjects(): void {
  setFlagsFromString(`--min-semi-space-size=${initialSemiSpaceMegabytes}`);
  setFlagsFromString('--semi-space-growth-factor=1');
}

let collect: ((options: object) => void) | undefined;

/**
 * Collects all garbage of this thread and returns the memory to the system. V8 lets the heap grow to several times the
 * size of its content, and does not shrink the heap. Blocks the thread for about 1 ms per megabyte of content.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as (options: object) => void;
  }
  collect({ type: 'major', flavor: 'last-resort' });
}

/** Minimum growth of a heap before {@link trimHeap} collects its garbage. */
const minimumGrowthBytes = 16_777_216;

let previousBytes = 0;

/**
 * Collects the garbage of this thread if its heap has grown by at least 16 MiB since the last collection by this
 * function. Before the first collection, the heap must have at least 16 MiB.
 */
export function trimHeap(): void {
  if (getHeapStatistics().total_heap_size < previousBytes + minimumGrowthBytes) return;
  collectGarbage();
  previousBytes = getHeapStatistics().total_heap_size;
}
