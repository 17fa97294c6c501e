import { setMaxListeners } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type {
  PackedTrace,
  TraceToRead,
  SharedTrace,
  TraceStore,
} from '#server/analysis/shared-traces.ts';
import { databaseFailure, ProblemError } from '#server/errors.ts';
import type { HandledName } from '#server/handlers.ts';
import type { Log } from '#server/logger.ts';
import type { WrittenAnswer } from './run-handler.ts';
import { TaskThread } from './tasks.ts';
import type {
  StateName,
  ThreadEvent,
  ThreadResult,
  ThreadTask,
  TraceAnswer,
  TraceQuestion,
  Work,
  WorkResult,
} from './work.ts';

/** How many threads a pool has, and what it accepts. */
export interface PoolOptions {
  size: number;
  /** Jobs that a thread runs at the same time: more than one if they mostly wait. */
  jobsPerThread: number;
  /** Jobs that may wait for a thread; more are refused. */
  maximumWaiting: number;
  /** How long a job may take until it is answered without a result; undefined: no limit. */
  deadlineMillis?: number | undefined;
  /** A thread is given up if one of its jobs takes longer. */
  lostAfterMillis?: number;
  /** Whether a job may be repeated if the files of the database were replaced meanwhile, because it changes nothing. */
  repeats?: boolean;
  /** Called when a thread notices that the files of the database are not those that it has open. */
  onLost?: () => void;
}

/** A thread that waits this long for others is given up, if {@link PoolOptions} give no other time. */
const usuallyLostAfterMillis = 30_000;

/**
 * Most threads that were given up but hold a processor until their query ends, which nothing can interrupt; if there are so
 * many, no further ones are started.
 */
const maximumLost = 4;

/** How much longer a job may take for which a thread is started. */
const startMillis = 10_000;

/** How long a pool has no job until its threads warm up: requests of a page follow each other. */
const quietMillis = 250;

/** How often a job is repeated because the files of the database were replaced. */
const maximumRepeats = 3;

/** Most affinities whose last thread is remembered. */
const maximumAffinities = 1_000;

const replacedMeanwhile =
  'The database file was replaced or removed during the request. See what is there before you repeat it';

/** A job, and who waits for it. */
interface Job extends PromiseWithResolvers<WorkResult> {
  work: Work;
  queue: Job[];
  /** Equal for jobs that use the same intermediate results; undefined for none. */
  affinity: string | undefined;
  /** When a thread began with it, or will have started, in milliseconds of `performance.now()`. */
  startedAt?: number;
  /** Whether its deadline has passed. */
  isLate?: boolean;
  repeats: number;
}

/** A thread of a pool. */
interface Thread {
  tasks: TaskThread<ThreadTask, ThreadResult>;
  jobs: Set<Job>;
  /** Pending questions of its jobs, which do nothing until then. */
  questions: number;
  /** Shares of traces that it may hold. */
  shares: Set<number>;
  /** Aborted when it is given up. */
  givenUp: AbortController;
  /** While it warms up. */
  warming?: AbortController | undefined;
  isWarm: boolean;
  /** Settles when it has closed the database, while it is to. */
  closed?: PromiseWithResolvers<void> | undefined;
}

function loadOf({ jobs, questions }: Thread): number {
  return jobs.size - questions;
}

/** Threads that run handlers, all started for the first job. */
export class ThreadPool {
  readonly #start: () => Worker;
  readonly #logger: Log;
  readonly #traces: TraceStore;
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  /** Threads that were given up and have not ended yet. */
  readonly #lost = new Set<Thread>();
  /** Threads that were told to end and may still have the database open. */
  readonly #ending = new Set<Thread>();
  readonly #waiting: Job[] = [];
  readonly #reading: Job[] = [];
  /** By affinity, the thread that had such a job last and may have cached what the next one needs. */
  readonly #preferred = new LRUCache<string, Thread>({ max: maximumAffinities });
  #isClosing = false;
  #isHeld = false;
  #refuses = false;
  #warms = false;
  /** Runs until the pool counts as idle. */
  #quiet: NodeJS.Timeout | undefined;

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
  startThreads(): void {
    const room = this.#options.size + maximumLost - this.#lost.size;
    const size = this.#isClosing ? 1 : Math.min(this.#options.size, room);
    while (this.#threads.size < size) this.#addThread();
  }

  /**
   * Starts the threads and has them run small analyses while there are no jobs, one thread after another, so that their code
   * is compiled. A job cancels this; it continues when the pool is idle again.
   */
  warmUp(): void {
    this.#warms = true;
    this.startThreads();
    // Threads that have started already report nothing more.
    this.#assign();
  }

  /**
   * Runs the handler of an endpoint in a thread, see {@link runHandler}; rejects with its error, or with DATABASE_BUSY. Jobs
   * of one affinity go to the same thread while that is free.
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

  /** Reads traces before any handler is run: a running one waits for them. */
  readTraces(traces: readonly TraceToRead[]): Promise<PackedTrace[]> {
    return this.#do({ traces }, this.#reading) as Promise<PackedTrace[]>;
  }

  /** Reads the state of the database. */
  readState(state: StateName): Promise<string> {
    return this.#do({ state }, this.#reading) as Promise<string>;
  }

  /** Has the threads release shares of traces that the store has dropped. */
  releaseTraces(shares: readonly number[]): void {
    for (const thread of this.#threads) {
      const releasedShares = shares.filter((share) => thread.shares.delete(share));
      if (releasedShares.length > 0) void this.#runAside(thread, { releasedShares });
    }
  }

  #do(work: Work, queue: Job[], affinity?: string): Promise<WorkResult> {
    // The job that waits for traces would keep its thread from closing the database.
    if (this.#refuses || (this.#isHeld && 'traces' in work))
      return Promise.reject(databaseFailure('unavailable'));
    const job: Job = {
      ...Promise.withResolvers<WorkResult>(),
      work,
      queue,
      affinity,
      repeats: 0,
    };
    for (const thread of this.#threads) thread.warming?.abort();
    queue.push(job);
    this.#assign();
    if (this.#options.deadlineMillis === undefined) return job.promise;
    const hasStarted = this.#threads.values().some(({ tasks }) => tasks.hasStarted);
    const deadlineMillis = this.#options.deadlineMillis + (hasStarted ? 0 : startMillis);
    const timer = setTimeout(() => this.#abandon(job, deadlineMillis), deadlineMillis).unref();
    return job.promise.finally(() => clearTimeout(timer));
  }

  /** Answers a late job without a result, and gives up threads that do not come back. */
  #abandon(job: Job, deadlineMillis: number): void {
    job.isLate = true;
    job.reject(overrun(deadlineMillis));
    const place = job.queue.indexOf(job);
    if (place >= 0) job.queue.splice(place, 1);
    const { lostAfterMillis = Math.max(deadlineMillis, usuallyLostAfterMillis) } = this.#options;
    const lostSince = performance.now() - lostAfterMillis;
    for (const thread of this.#threads) {
      const jobs = [...thread.jobs];
      if (jobs.some(({ startedAt = Infinity }) => startedAt <= lostSince)) this.#giveUp(thread);
    }
    this.#assign();
  }

  /** Starts another thread in place of one that does not come back; its other jobs are repeated. */
  #giveUp(thread: Thread): void {
    this.#threads.delete(thread);
    this.#lost.add(thread);
    for (const job of thread.jobs) if (!job.isLate) job.queue.unshift(job);
    thread.jobs.clear();
    void thread.tasks.ended.then(() => (this.#lost.delete(thread), this.#assign()));
    thread.givenUp.abort();
    if (thread.tasks.hasStarted) thread.tasks.terminate();
    else thread.tasks.end();
    this.#logger.warn({}, 'A thread was given up: a query in it has taken too long');
  }

  /**
   * Finishes pending jobs, then ends the threads and closes their connections; threads are terminated when `giveUp` is
   * aborted. Settles when they have ended, which takes as long as a thread starts or SQLite runs a query.
   */
  async close(giveUp?: AbortSignal): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#quiet);
    const threads = [...this.#threads, ...this.#lost, ...this.#ending];
    for (const thread of this.#threads) this.#endIfIdle(thread);
    // Threads that have not started got the message to end, and end after their start.
    const terminate = () => threads.forEach(({ tasks }) => tasks.terminate());
    giveUp?.addEventListener('abort', terminate, { once: true });
    if (giveUp?.aborted) terminate();
    await Promise.all(threads.map(({ tasks }) => tasks.ended));
    giveUp?.removeEventListener('abort', terminate);
  }

  /** Gives no more jobs to the threads until {@link resume}; jobs that wait for traces fail. */
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
    const others = [...this.#lost, ...this.#ending];
    await Promise.all([...closed, ...others.map(({ tasks }) => tasks.ended)]);
  }

  /** Answers jobs with DATABASE_UNAVAILABLE until {@link resume}. */
  refuse(): void {
    this.#refuses = true;
    this.#refuseWaiting(() => true);
  }

  /** Has all threads open the database, and continues with the waiting jobs. */
  resume(): void {
    this.#isHeld = false;
    this.#refuses = false;
    for (const thread of this.#threads) {
      thread.closed = undefined;
      void this.#runAside(thread, 'open database');
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
    const { closed } = thread;
    if (!closed || thread.jobs.size > 0) return;
    void this.#runAside(thread, 'close database').then(closed.resolve);
  }

  /** Runs a task that is no job; its failure does not matter, as the next job meets it too. */
  async #runAside({ tasks }: Thread, task: ThreadTask, signal?: AbortSignal): Promise<void> {
    await tasks.runTask(task, { signal }).catch(() => {});
  }

  /** Gives jobs to the threads with the fewest jobs, traces to read first; without a job, has a thread warm up. */
  #assign(): void {
    if (this.#isHeld) return;
    for (;;) {
      const queue = this.#reading.length > 0 ? this.#reading : this.#waiting;
      const thread = queue[0] && this.#freeThread(queue[0]);
      const job = thread && queue.shift();
      if (!job) break;
      if (job.affinity !== undefined) this.#preferred.set(job.affinity, thread);
      job.startedAt = performance.now() + (thread.tasks.hasStarted ? 0 : startMillis);
      thread.jobs.add(job);
      void this.#runJob(thread, job);
    }
    clearTimeout(this.#quiet);
    if (this.#warms && !this.#isClosing)
      this.#quiet = setTimeout(() => this.#warmNext(), quietMillis).unref();
  }

  /** The thread that had a job of the same affinity last, unless it is busy; else the one with the fewest jobs. */
  #freeThread({ affinity }: Job): Thread | undefined {
    this.startThreads();
    const preferred = affinity === undefined ? undefined : this.#preferred.get(affinity);
    if (preferred && this.#threads.has(preferred) && loadOf(preferred) === 0) return preferred;
    const isWarming = (thread: Thread) => (thread.warming ? 1 : 0);
    const [leastBusy] = [...this.#threads].sort(
      (one, other) => loadOf(one) - loadOf(other) || isWarming(one) - isWarming(other),
    );
    return leastBusy && loadOf(leastBusy) < this.#options.jobsPerThread ? leastBusy : undefined;
  }

  #warmNext(): void {
    const threads = [...this.#threads];
    const isIdle = threads.every(({ jobs, warming }) => jobs.size === 0 && !warming);
    if (!this.#warms || !isIdle || this.#isClosing || this.#isHeld) return;
    const next = threads.find(({ isWarm, tasks }) => tasks.hasStarted && !isWarm);
    if (!next) return;
    void this.#warm(next);
  }

  async #warm(thread: Thread): Promise<void> {
    const warming = new AbortController();
    thread.warming = warming;
    await this.#runAside(thread, 'warm up', warming.signal);
    thread.warming = undefined;
    thread.isWarm = !warming.signal.aborted;
    this.#assign();
  }

  #addThread(): void {
    const tasks = new TaskThread<ThreadTask, ThreadResult>(this.#start(), {
      logger: this.#logger,
      onEvent: (event) => this.#receive(event as ThreadEvent),
      onQuestion: (wanted) => this.#collect(thread, wanted as TraceQuestion),
    });
    const thread: Thread = {
      tasks,
      jobs: new Set(),
      questions: 0,
      shares: new Set(),
      givenUp: new AbortController(),
      isWarm: false,
    };
    setMaxListeners(0, thread.givenUp.signal);
    this.#threads.add(thread);
    void tasks.started.then(() => this.#assign());
    void tasks.ended.then(() => this.#lose(thread));
  }

  #receive(event: ThreadEvent): void {
    if (event === 'lost') this.#options.onLost?.();
    else this.#traces.touch(event.usedShares);
  }

  async #runJob(thread: Thread, job: Job): Promise<void> {
    try {
      const { signal } = thread.givenUp;
      const end = await thread.tasks.runTask(job.work, { signal });
      // A thread that was given up has no jobs any more.
      if (!thread.jobs.delete(job) || end === undefined) return;
      if ('lost' in end) {
        this.#options.onLost?.();
        this.#repeat(job, end.lost);
      } else {
        if ('name' in job.work) thread.isWarm = true;
        job.resolve(end.result);
      }
    } catch (error) {
      if (!thread.tasks.isRunning) this.#lose(thread);
      if (!thread.jobs.delete(job)) return;
      job.reject(error);
    }
    this.#assign();
    this.#closeIfIdle(thread);
    if (this.#isClosing) this.#endIfIdle(thread);
  }

  /** Repeats a job whose thread had other files open, unless it may have changed something. */
  #repeat(job: Job, noticed: 'before' | 'after'): void {
    job.repeats += 1;
    const may = noticed === 'before' || this.#options.repeats === true;
    if (may && job.repeats <= maximumRepeats && !this.#refuses && !('traces' in job.work)) {
      if (!job.isLate) job.queue.unshift(job);
    } else job.reject(databaseFailure('unavailable', { explanation: replacedMeanwhile }));
  }

  async #collect(thread: Thread, wanted: TraceQuestion): Promise<TraceAnswer> {
    thread.questions += 1;
    try {
      const collected = await this.#traces.collect(wanted);
      // The thread may remember only traces whose release the store will report.
      const traces = collected.map((trace): SharedTrace =>
        this.#traces.has(trace.share) ? trace : { ...trace, share: 0 },
      );
      for (const { share } of traces) if (share > 0) thread.shares.add(share);
      return traces;
    } finally {
      thread.questions -= 1;
    }
  }

  /** Removes a thread that has ended or broken; the next job gets a new one. */
  #lose(thread: Thread): void {
    this.#threads.delete(thread);
    thread.closed?.resolve();
    this.#assign();
  }

  /** Ends the threads that have no job, which frees their memory; the next job starts others. */
  endIdleThreads(): void {
    if (this.#isHeld) return;
    for (const thread of this.#threads) this.#endIfIdle(thread);
  }

  #endIfIdle(thread: Thread): void {
    if (thread.jobs.size > 0) return;
    // A thread that ends gets no further jobs.
    this.#threads.delete(thread);
    this.#ending.add(thread);
    void thread.tasks.ended.then(() => this.#ending.delete(thread));
    thread.warming?.abort();
    thread.tasks.end();
  }
}

/** The error of a job that is refused because too many wait. */
function tooMany(): ProblemError {
  return new ProblemError('DATABASE_BUSY', 'Too many requests are waiting; try again in a moment', {
    headers: { 'Retry-After': '5' },
  });
}

/** The error of a job whose deadline has passed. */
function overrun(millis: number): ProblemError {
  return new ProblemError(
    'DATABASE_UNAVAILABLE',
    `The database has not answered for ${millis / 1_000} s`,
    { headers: { 'Retry-After': '5' } },
  );
}
