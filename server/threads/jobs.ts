import type { Worker } from 'node:worker_threads';
import { ProblemError } from '#server/errors.ts';
import type { Work, Worked } from './messages.ts';

/** How many threads a pool has and what it takes on. */
export interface PoolOptions {
  size: number;
  /** Jobs that a thread works on at the same time: more than one where it mostly waits. */
  jobsPerThread: number;
  /** Jobs that may wait for a thread; more are refused. */
  maximumWaiting: number;
  /** How long a job may take before it is answered without; undefined: as long as it will. */
  deadlineMillis?: number | undefined;
  /** A thread whose job has gone on for so long is given up. */
  lostAfterMillis?: number;
  /** Whether a job may be done again when the files of the database were replaced while it was done: it changes nothing. */
  repeats?: boolean;
  /** Called when a thread notices that the files of the database are not those that it has open. */
  onLost?: () => void;
}

/** What is to be done, and who waits for it. */
export interface Job {
  work: Work;
  queue: Job[];
  /** Equal for jobs that use the same intermediate results; undefined for none. */
  affinity?: string | undefined;
  resolve: (answer: Worked) => void;
  reject: (error: unknown) => void;
  /** When a thread began with it, or will have if it has to start, in milliseconds of `performance.now()`. */
  startedAt?: number;
  /** Whether it was answered without a result, as its time was over. */
  isLate?: boolean;
  /** How often the files of the database were replaced before it was done. */
  losses?: number;
}

/** A thread and what it works on. */
export interface Thread {
  worker: Worker;
  jobs: Map<number, Job>;
  /** Pending requests of its jobs for traces: until then they do nothing. */
  questions: number;
  /** Shares of traces that it may hold. */
  shares: Set<number>;
  ended: Promise<void>;
  /** Whether it has loaded all it needs: one that is ended while it loads native code takes the process with it. */
  hasStarted: boolean;
  /** Settles when it has closed the database, while it is to. */
  closed?: PromiseWithResolvers<void> | undefined;
}

/** How often a job is begun again because the files of the database were replaced. */
export const mostLosses = 3;

/** How many jobs of a thread go on. */
export function loadOf({ jobs, questions }: Thread): number {
  return jobs.size - questions;
}

/** The error of a job for which there is no room. */
export function tooMany(): ProblemError {
  return new ProblemError('DATABASE_BUSY', 'Too many requests are waiting; try again in a moment', {
    headers: { 'Retry-After': '5' },
  });
}
