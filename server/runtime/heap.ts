import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Initial memory for new objects of a thread that analyses, half of it in use, in megabytes. */
const initialSemiSpace = 8;

/**
 * Keeps the memory for new objects of each thread at its initial size: V8 would let that of the thread of requests grow
 * to more than 100 MB, without faster responses. Call it before anything else is loaded.
 */
export function limitNewObjects(): void {
  setFlagsFromString(`--min-semi-space-size=${initialSemiSpace}`);
  setFlagsFromString('--semi-space-growth-factor=1');
}

let collect: ((options: object) => void) | undefined;

/**
 * Collects all garbage of this thread and returns the memory to the system. V8 itself lets the heap grow to several times
 * the size of its content, and keeps what it has grown to. Blocks the thread for about 1 ms per megabyte of content.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as (options: object) => void;
  }
  collect({ type: 'major', flavor: 'last-resort' });
}

/** Growth of a heap that is worth a collection, in bytes. */
const largeGrowth = 67_108_864;

/** Time without a job after which garbage is collected. Requests of a page follow each other faster. */
const quietMillis = 1_000;

/** Collects the garbage of jobs once no job has run for a second, if the heap has grown by more than 64 MB. */
export class HeapTrimmer {
  #jobs = 0;
  #previousBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Runs a job. */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    clearTimeout(this.#timer);
    this.#jobs += 1;
    try {
      return await job();
    } finally {
      this.#jobs -= 1;
      if (this.#jobs === 0) this.#timer = setTimeout(() => this.#trim(), quietMillis).unref();
    }
  }

  #trim(): void {
    if (getHeapStatistics().total_heap_size < this.#previousBytes + largeGrowth) return;
    collectGarbage();
    this.#previousBytes = getHeapStatistics().total_heap_size;
  }
}
