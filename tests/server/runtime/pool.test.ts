import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { TraceStore } from '#server/analysis/trace-store.ts';
import { ThreadPool } from '#server/runtime/pool.ts';

/** Takes a while to start, as one that loads native code, and ends with this code when it is told to. */
const slowStarter = `
  const { parentPort } = require('node:worker_threads');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  parentPort.on('message', (message) => message === 'end' && process.exit(7));
  parentPort.postMessage('started');`;

function poolOf(
  worker: Worker,
  options: { deadlineMillis?: number; lostAfterMillis?: number } = {},
) {
  const traces = new TraceStore(1, () => Promise.resolve([]));
  const logger = { warn() {}, error() {} };
  const size = { size: 1, jobsPerThread: 1, maximumWaiting: 9 };
  return new ThreadPool(() => worker, { logger, traces }, { ...size, ...options });
}

test('a thread that is still starting is not cut off when the service ends, but ends by itself', async () => {
  const worker = new Worker(slowStarter, { eval: true });
  const pool = poolOf(worker);
  pool.warmUp();
  const exited = once(worker, 'exit');
  await pool.close(AbortSignal.timeout(10));
  expect(await exited).toEqual([7]);
});

test('one that has started and does not come back is cut off', async () => {
  const worker = new Worker(`${slowStarter} for (;;);`, { eval: true });
  const pool = poolOf(worker);
  pool.warmUp();
  await once(worker, 'message');
  const exited = once(worker, 'exit');
  await pool.close(AbortSignal.timeout(10));
  expect(await exited).toEqual([1]);
});
