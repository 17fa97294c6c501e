import type { Worker } from 'node:worker_threads';
import type { EndpointName } from '#shared/addresses.ts';
import { answerQuestion, type AnalysisMemory } from '#server/analysis/memory.ts';
import type { Slab, TraceToRead } from '#server/analysis/packed-traces.ts';
import { ProblemError } from '#server/errors.ts';
import type { Log } from '#server/logger.ts';
import {
  receiveError,
  sendError,
  type ThreadReply,
  type ThreadRequest,
  type Work,
} from './messages.ts';
import type { WrittenAnswer } from './run-handler.ts';

/** How many threads a pool has and what it takes on. */
export interface PoolOptions {
  size: number;
  /** Jobs that a thread works on at the same time: more than one where it mostly waits. */
  jobsPerThread: number;
  /** Jobs that may wait for a thread; more are refused. */
  maximumWaiting: number;
}

interface Job {
  work: Work;
  resolve: (answer: WrittenAnswer | Slab) => void;
  reject: (error: unknown) => void;
}

/** A thread and what it works on. */
interface Thread {
  worker: Worker;
  jobs: Map<number, Job>;
  ended: Promise<void>;
}

/** Threads that run handlers, started as jobs come. */
export class ThreadPool {
  readonly #start: () => Worker;
  readonly #logger: Log;
  readonly #memory: AnalysisMemory;
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #lastJob = 0;
  #isClosing = false;

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

  /** Starts a first thread, so that the first job does not wait for it. */
  warmUp(): void {
    if (this.#threads.size === 0) this.#addThread();
  }

  /** What the handler answers in a thread; rejects with what it throws, or with DATABASE_BUSY. */
  run(name: EndpointName, input: unknown): Promise<WrittenAnswer> {
    if (this.#waiting.length >= this.#options.maximumWaiting) return Promise.reject(tooMany());
    return this.#do({ name, input }) as Promise<WrittenAnswer>;
  }

  /** Has a thread that has nothing else to do read traces; undefined when there is none. */
  lend(traces: readonly TraceToRead[]): Promise<Slab> | undefined {
    const busy = [...this.#threads].filter(({ jobs }) => jobs.size > 0).length;
    if (this.#isClosing || this.#waiting.length > 0 || busy >= this.#options.size) return undefined;
    return this.#do({ traces }) as Promise<Slab>;
  }

  #do(work: Work): Promise<WrittenAnswer | Slab> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#assign();
    });
  }

  /** Lets what was asked for be finished, then ends the threads and closes their connections. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const threads = [...this.#threads];
    for (const thread of threads) this.#endIfIdle(thread);
    await Promise.all(threads.map(({ ended }) => ended));
  }

  /** Gives waiting jobs to idle threads, to new ones as long as there may be more, then to busy ones. */
  #assign(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#freeThread();
      const job = thread && this.#waiting.shift();
      if (!job) return;
      const number = ++this.#lastJob;
      thread.jobs.set(number, job);
      thread.worker.ref();
      this.#tell(thread, { job: number, ...job.work });
    }
  }

  #tell({ worker }: Thread, request: ThreadRequest): void {
    worker.postMessage(request);
  }

  #freeThread(): Thread | undefined {
    const [leastBusy] = [...this.#threads].sort((one, other) => one.jobs.size - other.jobs.size);
    if (leastBusy?.jobs.size === 0) return leastBusy;
    if (this.#threads.size < this.#options.size) return this.#addThread();
    return leastBusy && leastBusy.jobs.size < this.#options.jobsPerThread ? leastBusy : undefined;
  }

  #addThread(): Thread {
    const worker = this.#start();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const thread: Thread = { worker, jobs: new Map(), ended };
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
    if ('log' in reply) {
      this.#logger[reply.log](reply.details, reply.message);
      return;
    }
    if ('question' in reply) {
      this.#answer(thread, reply);
      return;
    }
    const job = thread.jobs.get(reply.job);
    thread.jobs.delete(reply.job);
    // An idle thread must not keep the process alive.
    if (thread.jobs.size === 0) thread.worker.unref();
    if ('answer' in reply) job?.resolve(reply.answer);
    else job?.reject(receiveError(reply.error));
    this.#assign();
    if (this.#isClosing) this.#endIfIdle(thread);
  }

  #answer(
    thread: Thread,
    { question, ...asked }: Extract<ThreadReply, { question: number }>,
  ): void {
    answerQuestion(this.#memory, asked).then(
      (answer) => this.#tell(thread, { question, answer }),
      (error: unknown) => this.#tell(thread, { question, error: sendError(error, () => 'other') }),
    );
  }

  /** A thread that broke takes its jobs with it; the next one gets a new thread. */
  #lose(thread: Thread, error: unknown): void {
    this.#threads.delete(thread);
    for (const job of thread.jobs.values()) job.reject(error);
    thread.jobs.clear();
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

function tooMany(): ProblemError {
  return new ProblemError('DATABASE_BUSY', 'Too many requests are waiting; try again in a moment', {
    headers: { 'Retry-After': '5' },
  });
}
