import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { TraceStore } from '#server/analysis/shared-traces.ts';
import { ThreadPool } from '#server/runtime/pool.ts';

/** A program that starts slowly, like one that loads native code, and exits with code 7 at the message to end. */
const slowStarter = `
  const { parentPort } = require('node:worker_threads');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  parentPort.on('message', (message) => message === 'end' && process.exit(7));
  parentPort.postMessage('started');`;

function getPool(
  worker: Worker,
  options: { deadlineMillis?: number; lostAfterMillis?: number } = {},
  warn: (...values: unknown[]) => void = () => {},
) {
  const traces = new TraceStore(1, () => Promise.resolve([]));
  const logger = { warn, error() {} };
  const size = { size: 1, jobsPerThread: 1, maximumWaitingJobs: 9 };
  return new ThreadPool(() => worker, { logger, traces }, { ...size, ...options });
}

test('a thread that is still starting when the service ends is not terminated, and ends after its start', async () => {
  const worker = new Worker(slowStarter, { eval: true });
  const pool = getPool(worker);
  pool.warmUp();
  const exitEvent = once(worker, 'exit');
  await pool.close(AbortSignal.timeout(10));
  expect(await exitEvent).toEqual([7]);
});

test('a thread that has started and no longer responds is terminated', async () => {
  const worker = new Worker(`${slowStarter} for (;;);`, { eval: true });
  const pool = getPool(worker);
  pool.warmUp();
  await once(worker, 'message');
  const exitEvent = once(worker, 'exit');
  await pool.close(AbortSignal.timeout(10));
  expect(await exitEvent).toEqual([1]);
});

/** A program whose warm-up lasts until it is cancelled. The result of a job is the number of cancelled warm-ups. */
const warmingThread = `
  const { parentPort } = require('node:worker_threads');
  let cancelled = 0;
  parentPort.on('message', (message) => {
    if (message === 'end') process.exit();
    if (message.cancelledTaskId) parentPort.postMessage({ taskId: message.cancelledTaskId, result: (cancelled++, undefined) });
    else if (message.input !== 'warm up')
      parentPort.postMessage({ taskId: message.taskId, result: { result: String(cancelled) } });
  });
  parentPort.postMessage('started');`;

function startWarmingThread() {
  const worker = new Worker(warmingThread, { eval: true });
  const postMessage = vi.spyOn(worker, 'postMessage');
  const warmUps = () =>
    postMessage.mock.calls.filter(
      ([message]) => (message as { input?: unknown }).input === 'warm up',
    );
  return { worker, warmUps };
}

test('a thread that has started earlier also warms up', async () => {
  const { worker, warmUps } = startWarmingThread();
  const pool = getPool(worker);
  pool.startThreads();
  expect(await pool.readState('readIdentity')).toBe('0');
  pool.warmUp();
  await vi.waitFor(() => expect(warmUps()).toHaveLength(1), { timeout: 10_000 });
  await pool.close();
});

test('a warm-up that fails is logged, and the thread takes jobs', async () => {
  const error = `{ message: 'no script' }`;
  const program = warmingThread.replace(
    'else if',
    `else if (message.input === 'warm up') parentPort.postMessage({ taskId: message.taskId, error: ${error} });
    else if`,
  );
  const warn = vi.fn();
  const pool = getPool(new Worker(program, { eval: true }), {}, warn);
  pool.warmUp();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce(), { timeout: 10_000 });
  expect(warn.mock.calls[0]?.[1]).toBe(
    'Cannot warm up a thread, so its first analysis takes longer',
  );
  expect(await pool.readState('readIdentity')).toBe('0');
  await pool.close();
});

test('a thread warms up while it is idle, and a job cancels the warm-up', async () => {
  const { worker, warmUps } = startWarmingThread();
  const pool = getPool(worker);
  pool.warmUp();
  await vi.waitFor(() => expect(warmUps()).toHaveLength(1), { timeout: 10_000 });
  expect(await pool.readState('readIdentity')).toBe('1');
  // A state of the database compiles nothing of an analysis, so the thread warms up again.
  await vi.waitFor(() => expect(warmUps()).toHaveLength(2), { timeout: 10_000 });
  await pool.close();
});

/** A program whose results are its thread id. A job with the input "slow" ends only after the message "go on". */
const numberedThread = `
  const { parentPort, threadId } = require('node:worker_threads');
  const slow = [];
  const respond = ({ taskId }) =>
    parentPort.postMessage({ taskId, result: { result: { body: String(threadId) } } });
  parentPort.on('message', (message) => {
    if (message === 'end') process.exit(0);
    if (message.cancelledTaskId) parentPort.postMessage({ taskId: message.cancelledTaskId, result: undefined });
    else if (message.input?.input === 'slow') slow.push(message);
    else if (message === 'go on') slow.splice(0).forEach(respond);
    else if (message.input?.name) respond(message);
  });
  parentPort.postMessage('started');`;

test('jobs of one affinity go to the thread of the previous job, but do not wait while it is busy', async () => {
  const workers: Worker[] = [];
  const traces = new TraceStore(1, () => Promise.resolve([]));
  const logger = { warn() {}, error() {} };
  const start = () => {
    const worker = new Worker(numberedThread, { eval: true });
    workers.push(worker);
    return worker;
  };
  const size = { size: 2, jobsPerThread: 1, maximumWaitingJobs: 9 };
  const pool = new ThreadPool(start, { logger, traces }, size);
  const run = async (affinity: string, input = 'quick') =>
    (await pool.run('listProblems', input, undefined, { affinity })).body;

  const slowJob = run('first', 'slow');
  const secondThread = await run('second');
  for (let time = 0; time < 3; time++) expect(await run('second')).toBe(secondThread);
  // The thread of the first affinity is busy, so another one takes over.
  expect(await run('first')).toBe(secondThread);
  for (const worker of workers) worker.postMessage('go on');
  expect(await slowJob).not.toBe(secondThread);
  for (let time = 0; time < 3; time++) expect(await run('first')).toBe(secondThread);
  expect(await run('third')).not.toBe(secondThread);
  expect(await run('third')).not.toBe(secondThread);
  await pool.close();
});

test('a job whose client disconnects while it waits does not run, and a job that runs ends', async () => {
  const worker = new Worker(numberedThread, { eval: true });
  const traces = new TraceStore(1, () => Promise.resolve([]));
  const size = { size: 1, jobsPerThread: 1, maximumWaitingJobs: 2 };
  const pool = new ThreadPool(() => worker, { logger: { warn() {}, error() {} }, traces }, size);
  const disconnection = new AbortController();
  const options = { signal: disconnection.signal };
  const run = (input: string) => pool.run('listProblems', input, undefined, options);
  const runningJob = run('slow');
  const waitingJobs = [run('slow'), run('slow')].map((job) => job.catch((error: unknown) => error));
  disconnection.abort();
  for (const job of waitingJobs) expect(await job).toMatchObject({ code: 'REQUEST_TIMEOUT' });
  await expect(run('quick')).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  // The places of the removed jobs are free.
  const nextJob = pool.run('listProblems', 'quick');
  worker.postMessage('go on');
  await Promise.all([runningJob, nextJob]);
  await pool.close();
});

test('a thread without a job ends when memory must be freed, and the next job starts a new one', async () => {
  const workers: Worker[] = [];
  const traces = new TraceStore(1, () => Promise.resolve([]));
  const options = { size: 1, jobsPerThread: 1, maximumWaitingJobs: 9 };
  const start = () => workers[workers.push(new Worker(warmingThread, { eval: true })) - 1]!;
  const pool = new ThreadPool(start, { logger: { warn() {}, error() {} }, traces }, options);
  expect(await pool.readState('readIdentity')).toBe('0');
  const exitEvent = once(workers[0]!, 'exit');
  pool.endIdleThreads();
  // A database is not opened again while a thread that ends still has it open.
  const closeResult = pool.closeDatabase().then(() => 'closed');
  expect(await Promise.race([closeResult, exitEvent])).toEqual(await exitEvent);
  await closeResult;
  expect(await pool.readState('readIdentity')).toBe('0');
  expect(workers).toHaveLength(2);
  await pool.close();
});

/** A program whose job of a handler requests the traces of four runs at the same time, and that reads traces. */
const analysingThread = `
  const { parentPort } = require('node:worker_threads');
  let waitingTaskId, remainingRequests = 4;
  const memory = new SharedArrayBuffer(64);
  parentPort.on('message', (message) => {
    if (message === 'end') process.exit();
    if (message.requestId && --remainingRequests === 0) parentPort.postMessage({ taskId: waitingTaskId, result: { result: { body: 'done' } } });
    if (message.input?.traces)
      parentPort.postMessage({ taskId: message.taskId, result: { result: message.input.traces.map(() => ({ memory, offset: 0 })) } });
    if (message.input?.name) {
      waitingTaskId = message.taskId;
      for (const runId of ['a', 'b', 'c', 'd'])
        parentPort.postMessage({ requestId: runId.charCodeAt(0), input: [{ runId, version: '1', rows: 9 }] });
    }
  });
  parentPort.postMessage('started');`;

test('all threads read the traces that one job requests at the same time', async () => {
  const postMessage: { mock: { calls: unknown[][] } }[] = [];
  const traces = new TraceStore(1_000_000, (runs) => pool.readTraces(runs));
  const start = () => {
    const worker = new Worker(analysingThread, { eval: true });
    postMessage.push(vi.spyOn(worker, 'postMessage'));
    return worker;
  };
  const options = { size: 2, jobsPerThread: 1, maximumWaitingJobs: 9 };
  const pool = new ThreadPool(start, { logger: { warn() {}, error() {} }, traces }, options);
  expect((await pool.run('listProblems', {})).body).toBe('done');
  const reads = postMessage.map(
    ({ mock }) =>
      mock.calls.filter(([message]) => 'traces' in Object((message as { input?: unknown }).input))
        .length,
  );
  expect(reads).toHaveLength(2);
  expect(Math.min(...reads)).toBeGreaterThan(0);
  expect(reads[0]! + reads[1]!).toBe(4);
  await pool.close();
});

describe('a thread whose job takes too long', () => {
  const options = { size: 1, jobsPerThread: 3, maximumWaitingJobs: 9 };
  const limits = { deadlineMillis: 20, abandonmentMillis: 60 };

  /** Starts a pool whose thread runs a job with the input "slow", and lists the inputs that each thread received. */
  async function startSlowJob() {
    const workers: Worker[] = [];
    const inputs: unknown[][] = [];
    const start = () => {
      const worker = new Worker(numberedThread, { eval: true });
      const inputsOfWorker: unknown[] = [];
      const postMessage = worker.postMessage.bind(worker);
      vi.spyOn(worker, 'postMessage').mockImplementation((message: { input?: unknown }) => {
        if (message.input) inputsOfWorker.push((message.input as { input?: unknown }).input);
        postMessage(message);
      });
      inputs.push(inputsOfWorker);
      return workers[workers.push(worker) - 1]!;
    };
    const traces = new TraceStore(1, () => Promise.resolve([]));
    const dependencies = { logger: { warn() {}, error() {} }, traces };
    const pool = new ThreadPool(start, dependencies, { ...options, ...limits });
    await pool.run('listProblems', 'quick');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const slowJob = pool.run('listProblems', 'slow').catch((error: unknown) => error);
    return { pool, workers, inputs, slowJob };
  }

  afterEach(() => vi.useRealTimers());

  test('ends although no other job is late', async () => {
    const { pool, workers, slowJob } = await startSlowJob();
    const exitEvent = once(workers[0]!, 'exit');
    vi.advanceTimersByTime(limits.deadlineMillis);
    expect(await slowJob).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: 'The database has not responded for 0.02 s; try again in a moment',
    });
    vi.advanceTimersByTime(limits.abandonmentMillis);
    await exitEvent;
    await pool.close();
  });

  test('leaves its other jobs to the next thread in their order', async () => {
    const { pool, workers, inputs, slowJob } = await startSlowJob();
    vi.advanceTimersByTime(limits.abandonmentMillis - 1);
    const otherJobs = ['slow', 'slow too', 'last'].map((input) => pool.run('listProblems', input));
    vi.advanceTimersByTime(1);
    expect(inputs[1]).toEqual(['slow', 'slow too', 'last']);
    workers[1]!.postMessage('go on');
    await Promise.all([slowJob, ...otherJobs]);
    await pool.close();
  });

  test('does not queue its other jobs while the pool refuses jobs', async () => {
    const { pool, slowJob } = await startSlowJob();
    vi.advanceTimersByTime(limits.abandonmentMillis - 1);
    const otherJob = pool.run('listProblems', 'slow').catch((error: unknown) => error);
    pool.pause();
    pool.refuse();
    vi.advanceTimersByTime(1);
    expect(await otherJob).toMatchObject({
      message: 'The database does not respond; try again in a moment',
    });
    await slowJob;
    await pool.close();
  });
});
