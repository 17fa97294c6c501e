import type { Worker } from 'node:worker_threads';
import { answerQuestion, type AnalysisMemory } from '#server/analysis/memory.ts';
import type { PackedTrace, TraceToRead } from '#server/analysis/packed-traces.ts';
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

/** Threads that run handlers, all started for the first job. */
export class ThreadPool {
  readonly #start: () => Worker;
  readonly #logger: Log;
  readonly #memory: AnalysisMemory;
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  /** Threads that were given up and have not ended yet. */
  readonly #lost = new Set<Thread>();
  readonly #waiting: Job[] = [];
  readonly #reading: Job[] = [];
  #lastJob = 0;
  #isClosing = false;
  #isHeld = false;
  #refuses = false;

  constructor(
    start: () => Worker,
    shared: { logger: Log; memory: AnalysisMemory },
    options: PoolOptions,
  ) {
    this.#start = start;
    this.#logger = shared.logger;
    this.#memory = shared.memory;
    this.#options = options;
  }

  /** Starts the threads, so that the first job does not wait for them. */
  warmUp(): void {
    const room = this.#options.size + mostLost - this.#lost.size;
    const size = this.#isClosing ? 1 : Math.min(this.#options.size, room);
    while (this.#threads.size < size) this.#addThread();
  }

  /** What the handler answers in a thread, see {@link runHandler}; rejects with what it throws, or with DATABASE_BUSY. */
  run(name: HandledName, input: unknown, identity?: string): Promise<WrittenAnswer> {
    if (this.#waiting.length >= this.#options.maximumWaiting) return Promise.reject(tooMany());
    return this.#do({ name, input, identity }, this.#waiting) as Promise<WrittenAnswer>;
  }

  /** Has traces read before any handler is run: one that runs already waits for them. */
  readTraces(traces: readonly TraceToRead[]): Promise<PackedTrace[]> {
    return this.#do({ traces }, this.#reading) as Promise<PackedTrace[]>;
  }

  /** How the database stands. */
  askState(state: StateQuestion): Promise<string> {
    return this.#do({ state }, this.#reading) as Promise<string>;
  }

  #do(work: Work, queue: Job[]): Promise<Worked> {
    // The job that waits for traces would keep its thread from closing the database.
    if (this.#refuses || (this.#isHeld && 'traces' in work))
      return Promise.reject(databaseFailure('unavailable'));
    const { promise, resolve, reject } = Promise.withResolvers<Worked>();
    const job: Job = { work, queue, resolve, reject };
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
      const thread = queue.length > 0 ? this.#freeThread() : undefined;
      const job = thread && queue.shift();
      if (!job) return;
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

  #freeThread(): Thread | undefined {
    this.warmUp();
    const [leastBusy] = [...this.#threads].sort((one, other) => loadOf(one) - loadOf(other));
    return leastBusy && loadOf(leastBusy) < this.#options.jobsPerThread ? leastBusy : undefined;
  }

  #addThread(): Thread {
    const worker = this.#start();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const thread: Thread = { worker, jobs: new Map(), questions: 0, ended, hasStarted: false };
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
    if ('key' in reply) {
      this.#memory.keepText(reply.key, reply.text);
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
    } else if ('answer' in reply) job?.resolve(reply.answer);
    else job?.reject(receiveError(reply.error));
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
    { question, ...asked }: Extract<ThreadReply, { question: number }>,
  ): Promise<void> {
    thread.questions += 1;
    try {
      this.#tell(thread, { question, answer: await answerQuestion(this.#memory, asked) });
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
