import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Database } from '#server/db/database.ts';
import { ProblemError } from '#server/errors.ts';
import { runTask, type AnalysisTask } from './tasks.ts';
import { receiveError, type WorkerReply, type WorkerRequest } from './worker-messages.ts';

/** Runs analysis tasks. */
export interface AnalysisPool {
  /** The JSON text of the answer; rejects with what computing it throws, or DATABASE_BUSY. */
  run(task: AnalysisTask): Promise<string>;
  /** Lets what was asked for be finished, then ends the threads and closes their connections. */
  close(): Promise<void>;
}

/** No page asks for so much at once; more would only wait. */
const maximumWaiting = 64;

const maximumThreads = 4;

/**
 * A pool of threads, each with a read-only connection of its own, started as tasks come: one fewer than the
 * machine has processors, so that requests are answered meanwhile. A database in memory, which no other
 * thread can open, is asked in this thread.
 */
export function createAnalysisPool(
  database: Database,
  threads = Math.max(1, Math.min(maximumThreads, availableParallelism() - 1)),
): AnalysisPool {
  const { source } = database;
  if (source.dialect === 'sqlite' && source.file === ':memory:') {
    return { run: (task) => runTask(database, task), close: async () => {} };
  }
  return new ThreadPool(() => startWorker(database), threads);
}

function startWorker({ source }: Database): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { workerData: source });
}

interface Job {
  task: AnalysisTask;
  resolve: (text: string) => void;
  reject: (error: unknown) => void;
}

/** A thread and what it works on. */
interface Thread {
  worker: Worker;
  job: Job | undefined;
  ended: Promise<void>;
}

class ThreadPool implements AnalysisPool {
  readonly #start: () => Worker;
  readonly #size: number;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #isClosing = false;

  constructor(start: () => Worker, size: number) {
    this.#start = start;
    this.#size = size;
  }

  run(task: AnalysisTask): Promise<string> {
    if (this.#waiting.length >= maximumWaiting) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      this.#assign();
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const threads = [...this.#threads];
    for (const thread of threads) this.#endIfIdle(thread);
    await Promise.all(threads.map(({ ended }) => ended));
  }

  /** Gives the waiting jobs to idle threads, and to new ones as long as there may be more. */
  #assign(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idleThread();
      const job = thread && this.#waiting.shift();
      if (!job) return;
      thread.job = job;
      thread.worker.ref();
      thread.worker.postMessage({ task: job.task } satisfies WorkerRequest);
    }
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.job === undefined) return thread;
    return this.#threads.size < this.#size ? this.#addThread() : undefined;
  }

  #addThread(): Thread {
    const worker = this.#start();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const thread: Thread = { worker, job: undefined, ended };
    this.#threads.add(thread);
    worker.on('message', (reply: WorkerReply) => this.#finish(thread, reply));
    worker.on('error', (error) => this.#lose(thread, error));
    worker.on('exit', () => {
      this.#lose(thread, new Error('The thread of the analysis has ended'));
      resolve();
    });
    return thread;
  }

  #finish(thread: Thread, reply: WorkerReply): void {
    const { job } = thread;
    thread.job = undefined;
    // An idle thread must not keep the process alive.
    thread.worker.unref();
    if ('text' in reply) job?.resolve(reply.text);
    else job?.reject(receiveError(reply));
    this.#assign();
    if (this.#isClosing) this.#endIfIdle(thread);
  }

  /** A thread that broke takes its job with it; the next job gets a new one. */
  #lose(thread: Thread, error: unknown): void {
    const { job } = thread;
    thread.job = undefined;
    this.#threads.delete(thread);
    job?.reject(error);
    this.#assign();
  }

  #endIfIdle(thread: Thread): void {
    if (thread.job !== undefined) return;
    // No further job may go to a thread that ends.
    this.#threads.delete(thread);
    thread.worker.ref();
    thread.worker.postMessage('end' satisfies WorkerRequest);
  }
}

function tooMany(): ProblemError {
  return new ProblemError('DATABASE_BUSY', 'Too many analyses are waiting; try again in a moment', {
    headers: { 'Retry-After': '5' },
  });
}
