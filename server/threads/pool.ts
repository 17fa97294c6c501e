import type { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { PackedTrace, TraceToRead } from '#server/analysis/packed-traces.ts';
import type { TraceStore } from '#server/analysis/trace-store.ts';
import type { HandledName } from '#server/handlers.ts';
import { databaseFailure } from '#server/errors.ts';
import type { Log } from '#server/logger.ts';
import { loadOf, mostLosses, tooMany, type Job, type PoolOptions, type Thread } from './jobs.ts';
import { mostLost, overrun, startMillis, usuallyLostAfterMillis } from './deadlines.ts';
import { receiveError, sendError } from '#server/runtime/tasks.ts';
import type { StateQuestion, ThreadReply, ThreadRequest, Work, Worked } from './messages.ts';
import type { WrittenAnswer } from './run-handler.ts';

const replacedMeanwhile =
  'The database file was replaced or removed during the request. See what is there before you repeat it';

/** Most affinities whose last thread is remembered. */
const mostAffinities = 1_000;

/** Threads that run handlers, all started for the first job. */
export class ThreadPool {
  readonly #start: () => Worker;
  readonly #logger: Log;
  readonly #traces: TraceStore;
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  /** Threads that were given up and have not ended yet. */
  readonly #lost = new Set<Thread>();
  readonly #waiting: Job[] = [];
  readonly #reading: Job[] = [];
  /** By affinity, the thread that had such a job last and may have cached what the next one needs. */
  readonly #preferred = new LRUCache<string, Thread>({ max: mostAffinities });
  #lastJob = 0;
  #isClosing = false;
  #isHeld = false;
  #refuses = false;

  constructor(
    start: () => Worker,
    shared: { logger: Log; traces: TraceStore },
    options: PoolOptions,
  ) {
    this.#start = start;
    this.#logger = shared.logger;
    this.#traces = shared.traces;
    this.#options = options;
  }

  /** Starts the threads, so that the first job does not wait for them. */
  warmUp(): void {
    const room = this.#options.size + mostLost - this.#lost.size;
    const size = this.#isClosing ? 1 : Math.min(this.#options.size, room);
    while (this.#threads.size < size) this.#addThread();
  }

  /**
   * What the handler answers in a thread, see {@link runHandler}; rejects with what it throws, or with DATABASE_BUSY. Jobs of
   * one affinity go to the same thread while that is free.
   */
  run(
    name: HandledName,
    input: unknown,
    identity?: string,
    affinity?: string,
  ): Promise<WrittenAnswer> {
    if (this.#waiting.length >= this.#options.maximumWaiting) return Promise.reject(tooMany());
    const work = { name, input, identity };
    return this.#do(work, this.#waiting, affinity) as Promise<WrittenAnswer>;
  }

  /** Has traces read before any handler is run: one that runs already waits for them. */
  readTraces(traces: readonly TraceToRead[]): Promise<PackedTrace[]> {
    return this.#do({ traces }, this.#reading) as Promise<PackedTrace[]>;
  }

  /** How the database stands. */
  askState(state: StateQuestion): Promise<string> {
    return this.#do({ state }, this.#reading) as Promise<string>;
  }

  /** Has the threads release shares of traces that the store has dropped. */
  releaseTraces(shares: readonly number[]): void {
    for (const thread of this.#threads) {
      const release = shares.filter((share) => thread.shares.delete(share));
      if (release.length > 0) this.#tell(thread, { release });
    }
  }

  #do(work: Work, queue: Job[], affinity?: string): Promise<Worked> {
    // The job that waits for traces would keep its thread from closing the database.
    if (this.#refuses || (this.#isHeld && 'traces' in work))
      return Promise.reject(databaseFailure('unavailable'));
    const { promise, resolve, reject } = Promise.withResolvers<Worked>();
    const job: Job = { work, queue, affinity, resolve, reject };
    queue.push(job);
    this.#assign();
    if (this.#options.deadlineMillis === undefined) return promise;
    const hasStarted = this.#threads.values().some((thread) => thread.hasStarted);
    const deadlineMillis = this.#options.deadlineMillis + (hasStarted ? 0 : startMillis);
    const timer = setTimeout(() => this.#abandon(job, deadlineMillis), deadlineMillis).unref();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Answers a job that is late without a result, and gives up threads that have been held for long. */
  #abandon(job: Job, deadlineMillis: number): void {
    job.isLate = true;
    job.reject(overrun(deadlineMillis));
    const place = job.queue.indexOf(job);
    if (place >= 0) job.queue.splice(place, 1);
    const { lostAfterMillis = Math.max(deadlineMillis, usuallyLostAfterMillis) } = this.#options;
    const lostSince = performance.now() - lostAfterMillis;
    for (const thread of this.#threads) {
      const jobs = [...thread.jobs.values()];
      if (jobs.some(({ startedAt = Infinity }) => startedAt <= lostSince)) this.#giveUp(thread);
    }
    this.#assign();
  }

  /** Starts another thread in place of one that does not come back; its other jobs are done anew. */
  #giveUp(thread: Thread): void {
    this.#threads.delete(thread);
    this.#lost.add(thread);
    for (const job of thread.jobs.values()) if (!job.isLate) job.queue.unshift(job);
    thread.jobs.clear();
    void thread.ended.then(() => (this.#lost.delete(thread), this.#assign()));
    if (thread.hasStarted) void thread.worker.terminate();
    else this.#tell(thread, 'end');
    this.#logger.warn({}, 'A thread was given up: a query in it has taken too long');
  }

  /**
   * Finishes pending jobs, then ends the threads and closes their connections; threads are terminated when `giveUp` is
   * aborted. Settles when they have ended, which takes as long as a thread starts or SQLite runs a query.
   */
  async close(giveUp?: AbortSignal): Promise<void> {
    this.#isClosing = true;
    const threads = [...this.#threads, ...this.#lost];
    for (const thread of this.#threads) this.#endIfIdle(thread);
    // The others have been told to end, and do so once they have started.
    const end = () =>
      threads.forEach(({ worker, hasStarted }) => void (hasStarted && worker.terminate()));
    giveUp?.addEventListener('abort', end, { once: true });
    if (giveUp?.aborted) end();
    await Promise.all(threads.map(({ ended }) => ended));
    giveUp?.removeEventListener('abort', end);
  }

  /** Gives no more jobs to the threads until {@link resume}; those that wait for traces fail. */
  hold(): void {
    this.#isHeld = true;
    this.#refuseWaiting((job) => 'traces' in job.work);
  }

  /** Settles when no thread has the database open, those included that were given up. */
  async closeDatabase(): Promise<void> {
    const closed = Array.from(this.#threads, (thread) => {
      thread.closed ??= Promise.withResolvers();
      this.#closeIfIdle(thread);
      return thread.closed.promise;
    });
    await Promise.all([...closed, ...Array.from(this.#lost, ({ ended }) => ended)]);
  }

  /** Answers jobs with DATABASE_UNAVAILABLE until {@link resume}. */
  refuse(): void {
    this.#refuses = true;
    this.#refuseWaiting(() => true);
  }

  /** Has all threads open the database, and goes on with what waits. */
  resume(): void {
    this.#isHeld = false;
    this.#refuses = false;
    for (const thread of this.#threads) {
      thread.closed = undefined;
      this.#tell(thread, 'open');
    }
    this.#assign();
  }

  #refuseWaiting(isRefused: (job: Job) => boolean): void {
    for (const queue of [this.#reading, this.#waiting]) {
      const jobs = queue.splice(0);
      for (const job of jobs) {
        if (isRefused(job)) job.reject(databaseFailure('unavailable'));
        else queue.push(job);
      }
    }
  }

  #closeIfIdle(thread: Thread): void {
    if (thread.closed && thread.jobs.size === 0) this.#tell(thread, 'close');
  }

  /** Gives jobs to the threads that do least, traces to read first. */
  #assign(): void {
    if (this.#isHeld) return;
    for (;;) {
      const queue = this.#reading.length > 0 ? this.#reading : this.#waiting;
      const thread = queue[0] && this.#freeThread(queue[0]);
      const job = thread && queue.shift();
      if (!job) return;
      if (job.affinity !== undefined) this.#preferred.set(job.affinity, thread);
      const number = ++this.#lastJob;
      job.startedAt = performance.now() + (thread.hasStarted ? 0 : startMillis);
      thread.jobs.set(number, job);
      thread.worker.ref();
      this.#tell(thread, { job: number, ...job.work });
    }
  }

  #tell({ worker }: Thread, request: ThreadRequest): void {
    worker.postMessage(request);
  }

  /** The thread that had a job of the same affinity last, unless it is busy; else the one that does least. */
  #freeThread({ affinity }: Job): Thread | undefined {
    this.warmUp();
    const preferred = affinity === undefined ? undefined : this.#preferred.get(affinity);
    if (preferred && this.#threads.has(preferred) && loadOf(preferred) === 0) return preferred;
    const [leastBusy] = [...this.#threads].sort((one, other) => loadOf(one) - loadOf(other));
    return leastBusy && loadOf(leastBusy) < this.#options.jobsPerThread ? leastBusy : undefined;
  }

  #addThread(): Thread {
    const worker = this.#start();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const thread: Thread = {
      worker,
      jobs: new Map(),
      questions: 0,
      shares: new Set(),
      ended,
      hasStarted: false,
    };
    this.#threads.add(thread);
    worker.unref();
    worker.on('message', (reply: ThreadReply) => this.#receive(thread, reply));
    worker.on('error', (error) => this.#lose(thread, error));
    worker.on('exit', () => {
      this.#lose(thread, new Error('The thread has ended'));
      resolve();
    });
    return thread;
  }

  #receive(thread: Thread, reply: ThreadReply): void {
    if (reply === 'started') {
      thread.hasStarted = true;
      return;
    }
    if (reply === 'lost') {
      this.#options.onLost?.();
      return;
    }
    if (reply === 'closed') {
      thread.closed?.resolve();
      return;
    }
    if ('log' in reply) {
      this.#logger[reply.log](reply.details, reply.message);
      return;
    }
    if ('question' in reply) {
      void this.#answer(thread, reply);
      return;
    }
    const job = thread.jobs.get(reply.job);
    thread.jobs.delete(reply.job);
    // An idle thread must not keep the process alive.
    if (thread.jobs.size === 0) thread.worker.unref();
    if ('lost' in reply) {
      this.#options.onLost?.();
      if (job) this.#doAgain(job, reply.lost);
    } else if ('answer' in reply) {
      this.#traces.touch(reply.usedShares);
      job?.resolve(reply.answer);
    } else job?.reject(receiveError(reply.error));
    this.#assign();
    this.#closeIfIdle(thread);
    if (this.#isClosing) this.#endIfIdle(thread);
  }

  /** Puts a job back that met other files than those that its thread had open, unless what it did may not be done twice. */
  #doAgain(job: Job, noticed: 'before' | 'after'): void {
    job.losses = (job.losses ?? 0) + 1;
    const may = noticed === 'before' || this.#options.repeats === true;
    if (may && job.losses <= mostLosses && !this.#refuses && !('traces' in job.work)) {
      if (!job.isLate) job.queue.unshift(job);
    } else job.reject(databaseFailure('unavailable', { explanation: replacedMeanwhile }));
  }

  async #answer(
    thread: Thread,
    { question, wanted }: Extract<ThreadReply, { question: number }>,
  ): Promise<void> {
    thread.questions += 1;
    try {
      const collected = await this.#traces.collect(wanted);
      // The thread may remember only where the store will tell it when to release the memory.
      const traces = collected.map((trace) =>
        this.#traces.has(trace.share) ? trace : { ...trace, share: 0 },
      );
      for (const { share } of traces) if (share > 0) thread.shares.add(share);
      this.#tell(thread, { question, traces });
    } catch (error) {
      this.#tell(thread, { question, error: sendError(error, () => 'other') });
    } finally {
      thread.questions -= 1;
    }
  }

  /** A thread that broke takes its jobs with it; the next one gets a new thread. */
  #lose(thread: Thread, error: unknown): void {
    this.#threads.delete(thread);
    for (const job of thread.jobs.values()) job.reject(error);
    thread.jobs.clear();
    thread.closed?.resolve();
    this.#assign();
  }

  #endIfIdle(thread: Thread): void {
    if (thread.jobs.size > 0) return;
    // No further job may go to a thread that ends.
    this.#threads.delete(thread);
    thread.worker.ref();
    this.#tell(thread, 'end');
  }
}
