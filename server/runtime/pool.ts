import { setMaxListeners } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type {
  PackedTrace,
  TraceToRead,
  SharedTrace,
  TraceStore,
} from '#server/analysis/shared-traces.ts';
import { makeDatabaseFailure, ProblemError } from '#server/errors.ts';
import type { HandledName } from '#server/handlers.ts';
import type { MlflowCall } from '#server/mlflow/operations.ts';
import type { Log } from '#server/logger.ts';
import type { StateName, WrittenResponse } from './run-handler.ts';
import { TaskThread } from './tasks.ts';
import type {
  ThreadEvent,
  ThreadResult,
  ThreadTask,
  SharedTraceResponse,
  SharedTraceRequest,
  Work,
  WorkResult,
} from './work.ts';

/** Options of a pool. */
export interface PoolOptions {
  size: number;
  /** Maximum number of jobs of a thread, above 1 if jobs mostly wait. One job that waits for traces does not count. */
  jobsPerThread: number;
  /** Maximum number of handlers and operations of MLflow that wait for a thread; the pool refuses further ones. */
  maximumWaitingJobs: number;
  /** Time after which the pool rejects a job, see also {@link startMillis}; undefined for no limit. */
  deadlineMillis?: number | undefined;
  /**
   * Duration of a job after which the pool replaces the thread of the job, and terminates the replaced thread as soon
   * as possible. Has no effect without a deadline.
   */
  abandonmentMillis?: number;
  /**
   * Whether the jobs change nothing. The pool may then also retry a job that had started before another program
   * replaced the files of the database.
   */
  isRetryable?: boolean;
  /** Handles the event that a thread has other files open than those at the paths of the database. */
  onLoss?: () => void;
}

/** Default of {@link PoolOptions.abandonmentMillis}. If the deadline is longer, the default is the deadline. */
const defaultAbandonmentMillis = 30_000;

/**
 * Maximum number of abandoned threads that the pool replaces. Each of these threads may use a processor until its query
 * ends, because nothing can interrupt a query of SQLite.
 */
const maximumAbandonedThreads = 4;

/** Additional time until the deadline of a job while no thread has started, and expected time for the start of one. */
const startMillis = 10_000;

/** Time without a job after which a thread warms up. Requests of a page follow each other faster. */
const warmUpDelayMillis = 250;

/** Maximum number of retries of a job after another program has replaced the files of the database. */
const maximumRetries = 3;

/** Maximum number of affinities whose last thread the pool stores. */
const maximumAffinities = 1_000;

const replacedMessage =
  'Another program replaced or deleted the database file during the request. Check the stored data before you repeat it';

/** A job with its promise. */
interface Job extends PromiseWithResolvers<WorkResult> {
  /** Position in the order of arrival. */
  number: number;
  work: Work;
  queue: Job[];
  /** Text that is equal for jobs that often use the same intermediate results; undefined if no thread is preferable. */
  affinity: string | undefined;
  /** Start of the job in its thread, or expected start of the thread, in milliseconds of `performance.now()`. */
  startedAt?: number;
  /** Whether the deadline of the job has passed. */
  isLate?: boolean;
  retryCount: number;
}

/** Options of a job. */
interface JobOptions {
  affinity?: string | undefined;
  /** Signal that aborts when no one waits for the job. */
  signal?: AbortSignal | undefined;
}

/** A thread of a pool. */
interface Thread {
  taskThread: TaskThread<ThreadTask, ThreadResult>;
  jobs: Set<Job>;
  /** Number of pending requests of the jobs for traces. A job that waits may have sent several. */
  requestCount: number;
  /** Numbers of the chunks of traces that the thread may have cached. */
  chunks: Set<number>;
  /** Aborts the jobs of the thread when the pool abandons it. */
  abandonment: AbortController;
  /** Cancels the warm-up of the thread; undefined while the thread does not warm up. */
  warmUpController?: AbortController | undefined;
  isWarm: boolean;
  /** Settles when the thread has closed the database or ended; undefined unless the thread must close the database. */
  closure?: PromiseWithResolvers<void> | undefined;
}

/** Returns the number of jobs of a thread. If jobs wait for traces, one of them does not count. */
function getLoad({ jobs, requestCount }: Thread): number {
  return jobs.size - Math.min(1, requestCount);
}

/** Pool of threads that run jobs. Starts all missing threads when a job arrives. */
export class ThreadPool {
  readonly #start: () => Worker;
  readonly #logger: Log;
  readonly #traces: TraceStore;
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  /** Abandoned threads that have not ended yet. */
  readonly #abandonedThreads = new Set<Thread>();
  /** Threads that are ending and may still have the database open. */
  readonly #endingThreads = new Set<Thread>();
  readonly #waitingJobs: Job[] = [];
  readonly #waitingReads: Job[] = [];
  /** The thread of the last job of each affinity. It may have cached results that the next job needs. */
  readonly #preferredThreads = new LRUCache<string, Thread>({ max: maximumAffinities });
  #lastJobNumber = 0;
  #isClosing = false;
  #isPaused = false;
  #isRefusing = false;
  #isWarmingUp = false;
  /** Starts the warm-up of a thread if the pool is idle. */
  #warmUpTimer: NodeJS.Timeout | undefined;

  /** `start` starts the worker of a new thread. */
  constructor(
    start: () => Worker,
    dependencies: { logger: Log; traces: TraceStore },
    options: PoolOptions,
  ) {
    this.#start = start;
    this.#logger = dependencies.logger;
    this.#traces = dependencies.traces;
    this.#options = options;
  }

  /**
   * Starts the missing threads, so the next job does not wait for them. Starts fewer threads if the pool has abandoned
   * more than {@link maximumAbandonedThreads}. While the pool closes, one thread is enough.
   */
  startThreads(): void {
    const maximumSize = this.#options.size + maximumAbandonedThreads - this.#abandonedThreads.size;
    const size = this.#isClosing ? 1 : Math.min(this.#options.size, maximumSize);
    while (this.#threads.size < size) this.#addThread();
  }

  /**
   * Starts the threads. While there are no jobs, makes one thread after another run small analyses, so V8 compiles
   * their code. A job cancels these analyses. They start again when the pool is idle.
   */
  warmUp(): void {
    this.#isWarmingUp = true;
    this.startThreads();
    // Threads that have already started do not report their start again.
    this.#assign();
  }

  /**
   * Runs the handler of an endpoint in a thread, see {@link runHandler}. Rejects with the error of the handler or of a
   * failed thread, and with DATABASE_BUSY if too many jobs wait. Rejects with DATABASE_UNAVAILABLE after the deadline,
   * when the pool refuses jobs, and if another program has replaced the files of the database and the pool does not
   * retry the job. Jobs of one affinity go to the same thread unless this thread is busy. If `signal` aborts before the
   * job starts, the pool removes the job, and rejects with REQUEST_TIMEOUT.
   */
  run(
    name: HandledName,
    input: unknown,
    identity?: string,
    { affinity, signal }: JobOptions = {},
  ): Promise<WrittenResponse> {
    if (signal?.aborted) return Promise.reject(makeDisconnectionError());
    if (this.#waitingJobs.length >= this.#options.maximumWaitingJobs)
      return Promise.reject(makeTooManyError());
    const work = { name, input, identity };
    return this.#enqueue(work, this.#waitingJobs, { affinity, signal }) as Promise<WrittenResponse>;
  }

  /** Runs an operation of MLflow in a thread. Rejects with the error of the operation, and like {@link run}. */
  callMlflow(mlflow: MlflowCall): Promise<string> {
    if (this.#waitingJobs.length >= this.#options.maximumWaitingJobs)
      return Promise.reject(makeTooManyError());
    return this.#enqueue({ mlflow }, this.#waitingJobs) as Promise<string>;
  }

  /**
   * Reads traces. These reads have priority over handlers, because a running handler waits for them. Rejects like
   * {@link run}, but any number of reads may wait. Also rejects with DATABASE_UNAVAILABLE while the pool is paused, and
   * without a retry if another program has replaced the files of the database.
   */
  readTraces(traces: readonly TraceToRead[]): Promise<PackedTrace[]> {
    return this.#enqueue({ traces }, this.#waitingReads) as Promise<PackedTrace[]>;
  }

  /** Reads a property of the state of the database. Rejects like {@link run}, but any number of reads may wait. */
  readState(state: StateName): Promise<string> {
    return this.#enqueue({ state }, this.#waitingReads) as Promise<string>;
  }

  /** Makes the threads release chunks of traces that the store has released. */
  releaseTraces(chunks: readonly number[]): void {
    for (const thread of this.#threads) {
      const releasedChunks = chunks.filter((chunk) => thread.chunks.delete(chunk));
      if (releasedChunks.length > 0) void this.#runOtherTask(thread, { releasedChunks });
    }
  }

  #enqueue(work: Work, queue: Job[], { affinity, signal }: JobOptions = {}): Promise<WorkResult> {
    if (this.#isRefused(work)) return Promise.reject(makeDatabaseFailure('unavailable'));
    const job: Job = {
      ...Promise.withResolvers<WorkResult>(),
      number: ++this.#lastJobNumber,
      work,
      queue,
      affinity,
      retryCount: 0,
    };
    for (const thread of this.#threads) thread.warmUpController?.abort();
    queue.push(job);
    if (signal) removeWhenAborted(job, signal);
    this.#assign();
    if (this.#options.deadlineMillis === undefined) return job.promise;
    const hasStarted = this.#threads.values().some(({ taskThread }) => taskThread.hasStarted);
    const deadlineMillis = this.#options.deadlineMillis + (hasStarted ? 0 : startMillis);
    const timer = setTimeout(() => this.#abandonJob(job, deadlineMillis), deadlineMillis).unref();
    return job.promise.finally(() => clearTimeout(timer));
  }

  #isRefused(work: Work): boolean {
    // While the pool is paused, no thread reads traces. A job that waits for them would prevent its thread from closing
    // the database.
    return this.#isRefusing || (this.#isPaused && 'traces' in work);
  }

  /** Queues a job again, before later jobs, unless the job is late. Rejects the job if the pool refuses it now. */
  #requeue(job: Job): void {
    if (job.isLate) return;
    if (this.#isRefused(job.work)) return job.reject(makeDatabaseFailure('unavailable'));
    const index = job.queue.findIndex(({ number }) => number > job.number);
    job.queue.splice(index < 0 ? job.queue.length : index, 0, job);
  }

  /**
   * Rejects a late job and abandons threads that no longer respond. If the thread of the job may still respond, checks
   * the threads again after the remaining time of this thread.
   */
  #abandonJob(job: Job, deadlineMillis: number): void {
    job.isLate = true;
    job.reject(makeDeadlineError(deadlineMillis));
    const index = job.queue.indexOf(job);
    if (index >= 0) job.queue.splice(index, 1);
    const { abandonmentMillis = Math.max(deadlineMillis, defaultAbandonmentMillis) } =
      this.#options;
    for (const thread of this.#threads) {
      const startTimes = Array.from(thread.jobs, ({ startedAt = Infinity }) => startedAt);
      const remainingMillis = Math.min(...startTimes) + abandonmentMillis - performance.now();
      if (remainingMillis <= 0) this.#abandonThread(thread);
      // Another late job would check this thread too, but there may be none until then.
      else if (thread.jobs.has(job))
        setTimeout(() => this.#abandonJob(job, deadlineMillis), remainingMillis).unref();
    }
    this.#assign();
  }

  /** Removes a thread that no longer responds, ends it as soon as possible, and requeues its jobs that are not late. */
  #abandonThread(thread: Thread): void {
    this.#threads.delete(thread);
    this.#abandonedThreads.add(thread);
    for (const job of thread.jobs) this.#requeue(job);
    thread.jobs.clear();
    void thread.taskThread.exit.then(() => (this.#abandonedThreads.delete(thread), this.#assign()));
    thread.abandonment.abort();
    if (thread.taskThread.hasStarted) thread.taskThread.terminate();
    else thread.taskThread.end();
    this.#logger.warn(
      {},
      'The pool abandons a thread, because its query takes too long: reduce the load of the computer if this repeats',
    );
  }

  /**
   * Finishes pending jobs, then ends the threads and closes their connections. Terminates the started threads when
   * `abortSignal` is aborted; a thread that has not started ends after its start and its jobs. Settles when all threads
   * have ended. A thread does not end during a query of SQLite.
   */
  async close(abortSignal?: AbortSignal): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#warmUpTimer);
    const threads = [...this.#threads, ...this.#abandonedThreads, ...this.#endingThreads];
    for (const thread of this.#threads) this.#endIfIdle(thread);
    // This has no effect on threads that have not started. They end after their start and their jobs.
    const terminate = () => threads.forEach(({ taskThread }) => taskThread.terminate());
    abortSignal?.addEventListener('abort', terminate, { once: true });
    if (abortSignal?.aborted) terminate();
    await Promise.all(threads.map(({ taskThread }) => taskThread.exit));
    abortSignal?.removeEventListener('abort', terminate);
  }

  /**
   * Stops assigning jobs to the threads until {@link resume}. Rejects waiting and new reads of traces with
   * DATABASE_UNAVAILABLE.
   */
  pause(): void {
    this.#isPaused = true;
    this.#refuseWaiting((job) => 'traces' in job.work);
  }

  /**
   * Makes the threads close the database after their jobs. Settles when no thread, not even an abandoned one, has it
   * open.
   */
  async closeDatabase(): Promise<void> {
    const closures = Array.from(this.#threads, (thread) => {
      thread.closure ??= Promise.withResolvers();
      this.#closeIfIdle(thread);
      return thread.closure.promise;
    });
    const otherThreads = [...this.#abandonedThreads, ...this.#endingThreads];
    await Promise.all([...closures, ...otherThreads.map(({ taskThread }) => taskThread.exit)]);
  }

  /** Rejects waiting and new jobs with DATABASE_UNAVAILABLE until {@link resume}. */
  refuse(): void {
    this.#isRefusing = true;
    this.#refuseWaiting(() => true);
  }

  /** Makes all threads open the database, and continues with the waiting jobs. */
  resume(): void {
    this.#isPaused = false;
    this.#isRefusing = false;
    for (const thread of this.#threads) {
      thread.closure = undefined;
      void this.#runOtherTask(thread, 'open database');
    }
    this.#assign();
  }

  #refuseWaiting(isRefused: (job: Job) => boolean): void {
    for (const queue of [this.#waitingReads, this.#waitingJobs]) {
      const jobs = queue.splice(0);
      for (const job of jobs) {
        if (isRefused(job)) job.reject(makeDatabaseFailure('unavailable'));
        else queue.push(job);
      }
    }
  }

  #closeIfIdle(thread: Thread): void {
    const { closure } = thread;
    if (!closure || thread.jobs.size > 0) return;
    void this.#runOtherTask(thread, 'close database').then(closure.resolve);
  }

  /** Runs a task that is not a job. Ignores a failure of the task, because jobs report their own failures. */
  async #runOtherTask({ taskThread }: Thread, task: ThreadTask): Promise<void> {
    await taskThread.runTask(task).catch(() => {});
  }

  /**
   * Assigns waiting jobs to the threads that `#findFreeThread` returns, reads of traces and of the state first. If the
   * pool stays idle after a call of {@link warmUp}, a thread warms up later. Does nothing while the pool is paused.
   */
  #assign(): void {
    if (this.#isPaused) return;
    for (;;) {
      const queue = this.#waitingReads.length > 0 ? this.#waitingReads : this.#waitingJobs;
      const thread = queue[0] && this.#findFreeThread(queue[0]);
      const job = thread && queue.shift();
      if (!job) break;
      if (job.affinity !== undefined) this.#preferredThreads.set(job.affinity, thread);
      job.startedAt = performance.now() + (thread.taskThread.hasStarted ? 0 : startMillis);
      thread.jobs.add(job);
      void this.#runJob(thread, job);
    }
    clearTimeout(this.#warmUpTimer);
    if (this.#isWarmingUp && !this.#isClosing)
      this.#warmUpTimer = setTimeout(() => this.#warmNextThread(), warmUpDelayMillis).unref();
  }

  /**
   * Starts missing threads. Returns the thread of the last job of the same affinity if its {@link getLoad} is 0.
   * Otherwise returns the thread with the lowest load, preferably one that is not warming up; undefined if the load of
   * each thread is at least `jobsPerThread`.
   */
  #findFreeThread({ affinity }: Job): Thread | undefined {
    this.startThreads();
    const preferredThread =
      affinity === undefined ? undefined : this.#preferredThreads.get(affinity);
    if (preferredThread && this.#threads.has(preferredThread) && getLoad(preferredThread) === 0)
      return preferredThread;
    const countWarmUps = (thread: Thread) => (thread.warmUpController ? 1 : 0);
    const [leastBusyThread] = [...this.#threads].sort(
      (threadA, threadB) =>
        getLoad(threadA) - getLoad(threadB) || countWarmUps(threadA) - countWarmUps(threadB),
    );
    return leastBusyThread && getLoad(leastBusyThread) < this.#options.jobsPerThread
      ? leastBusyThread
      : undefined;
  }

  #warmNextThread(): void {
    const threads = [...this.#threads];
    const isIdle = threads.every(
      ({ jobs, warmUpController }) => jobs.size === 0 && !warmUpController,
    );
    if (!this.#isWarmingUp || !isIdle || this.#isClosing || this.#isPaused) return;
    const nextThread = threads.find(({ isWarm, taskThread }) => taskThread.hasStarted && !isWarm);
    if (!nextThread) return;
    void this.#warmUpThread(nextThread);
  }

  async #warmUpThread(thread: Thread): Promise<void> {
    const controller = new AbortController();
    thread.warmUpController = controller;
    const { signal } = controller;
    await thread.taskThread.runTask('warm up', { signal }).catch((error: unknown) => {
      if (!signal.aborted && !this.#isClosing)
        this.#logger.warn(
          { err: error },
          'Cannot warm up a thread, so its first analysis takes longer',
        );
    });
    thread.warmUpController = undefined;
    thread.isWarm = !controller.signal.aborted;
    this.#assign();
  }

  #addThread(): void {
    const taskThread = new TaskThread<ThreadTask, ThreadResult>(this.#start(), {
      logger: this.#logger,
      onEvent: (event) => this.#receive(event as ThreadEvent),
      onRequest: (request) => this.#collectTraces(thread, request as SharedTraceRequest),
    });
    const thread: Thread = {
      taskThread,
      jobs: new Set(),
      requestCount: 0,
      chunks: new Set(),
      abandonment: new AbortController(),
      isWarm: false,
    };
    setMaxListeners(0, thread.abandonment.signal);
    this.#threads.add(thread);
    void taskThread.startup.then(() => this.#assign());
    void taskThread.exit.then(() => this.#removeThread(thread));
  }

  #receive(event: ThreadEvent): void {
    if (event === 'lost') this.#options.onLoss?.();
    else this.#traces.touch(event.usedChunks);
  }

  async #runJob(thread: Thread, job: Job): Promise<void> {
    try {
      const { signal } = thread.abandonment;
      const outcome = await thread.taskThread.runTask(job.work, { signal });
      // The pool has removed the jobs of an abandoned thread.
      if (!thread.jobs.delete(job) || outcome === undefined) return;
      if ('loss' in outcome) {
        this.#options.onLoss?.();
        this.#retry(job, outcome.loss);
      } else {
        if ('name' in job.work) thread.isWarm = true;
        job.resolve(outcome.result);
      }
    } catch (error) {
      if (!thread.taskThread.isRunning) this.#removeThread(thread);
      if (!thread.jobs.delete(job)) return;
      job.reject(error);
    }
    this.#assign();
    this.#closeIfIdle(thread);
    if (this.#isClosing) this.#endIfIdle(thread);
  }

  /**
   * Retries a job whose thread had other files open than those at the paths of the database. Rejects the job with
   * DATABASE_UNAVAILABLE if it may have changed something or reads traces, after {@link maximumRetries} retries, and
   * while the pool refuses jobs.
   */
  #retry(job: Job, loss: 'before' | 'after'): void {
    job.retryCount += 1;
    const isRetryable = loss === 'before' || this.#options.isRetryable === true;
    if (
      isRetryable &&
      job.retryCount <= maximumRetries &&
      !this.#isRefusing &&
      !('traces' in job.work)
    ) {
      this.#requeue(job);
    } else job.reject(makeDatabaseFailure('unavailable', { explanation: replacedMessage }));
  }

  async #collectTraces(thread: Thread, request: SharedTraceRequest): Promise<SharedTraceResponse> {
    thread.requestCount += 1;
    try {
      const collectedTraces = await this.#traces.collect(request);
      // The thread may cache only traces whose release the store reports later.
      const traces = collectedTraces.map((trace): SharedTrace =>
        this.#traces.has(trace.chunkNumber) ? trace : { ...trace, chunkNumber: 0 },
      );
      for (const { chunkNumber } of traces) if (chunkNumber > 0) thread.chunks.add(chunkNumber);
      return traces;
    } finally {
      thread.requestCount -= 1;
    }
  }

  /** Removes a thread that has ended or failed; the next job starts a new one. */
  #removeThread(thread: Thread): void {
    this.#threads.delete(thread);
    thread.closure?.resolve();
    this.#assign();
  }

  /**
   * Ends the threads without a job to free their memory; the next job starts new ones. Does nothing while the pool is
   * paused.
   */
  endIdleThreads(): void {
    if (this.#isPaused) return;
    for (const thread of this.#threads) this.#endIfIdle(thread);
  }

  #endIfIdle(thread: Thread): void {
    if (thread.jobs.size > 0) return;
    // A thread that ends gets no further jobs.
    this.#threads.delete(thread);
    this.#endingThreads.add(thread);
    void thread.taskThread.exit.then(() => this.#endingThreads.delete(thread));
    thread.warmUpController?.abort();
    thread.taskThread.end();
  }
}

/** Returns the error for a job that the pool refuses because too many jobs wait. */
function makeTooManyError(): ProblemError {
  return new ProblemError('DATABASE_BUSY', 'Too many requests are waiting; try again in a moment', {
    headers: { 'Retry-After': '5' },
  });
}

/** Returns the error for a job whose deadline has passed. */
function makeDeadlineError(millis: number): ProblemError {
  return new ProblemError(
    'DATABASE_UNAVAILABLE',
    `The database has not responded for ${millis / 1_000} s; try again in a moment`,
    { headers: { 'Retry-After': '5' } },
  );
}

/** Removes a job from its queue and rejects it if the signal aborts before the job starts. */
function removeWhenAborted(job: Job, signal: AbortSignal): void {
  const remove = () => {
    const index = job.queue.indexOf(job);
    if (index < 0) return;
    job.queue.splice(index, 1);
    job.reject(makeDisconnectionError());
  };
  signal.addEventListener('abort', remove, { once: true });
  // The slices of a download share one signal.
  const stopListening = () => signal.removeEventListener('abort', remove);
  job.promise.then(stopListening, stopListening);
}

/** Returns the error of a job for which no one waits. No client receives it. */
function makeDisconnectionError(): ProblemError {
  return new ProblemError(
    'REQUEST_TIMEOUT',
    'The client disconnected before the service responded',
  );
}
