import type { ThreadName } from '#server/handlers.ts';
import { ProblemError } from '#server/errors.ts';

/** How long a job may take, from the moment it was asked for, until it is answered with 503. */
export const deadlineMillis: Readonly<Record<ThreadName, number | undefined>> = {
  // Health has to be told within 2 s.
  watcher: 1_500,
  reader: 30_000,
  analysis: 120_000,
  // A change waits 10 s for others at most, and what becomes of it must not stay unknown.
  writer: undefined,
};

/** A thread whose job has gone on for so long does not come back to the others that wait for it. */
export const usuallyLostAfterMillis = 30_000;

/**
 * Most threads that were given up, but hold a processor until the query in them ends, which nothing can
 * interrupt; where there are so many, no further ones are started.
 */
export const mostLost = 4;

/** How much longer the first job may take, for which a thread is started. */
export const startMillis = 10_000;

/** The error of a job that was not answered in time. */
export function overrun(millis: number): ProblemError {
  return new ProblemError(
    'DATABASE_UNAVAILABLE',
    `The database has not answered for ${millis / 1_000} s`,
    { headers: { 'Retry-After': '5' } },
  );
}
