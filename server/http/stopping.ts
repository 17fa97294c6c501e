import { setTimeout as delay } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import { type ProblemError, stoppingProblem } from '#server/errors.ts';

/** How long requests that are under way when the service is asked to stop may still take. */
const graceMillis = 4_000;

/** Refuses what is asked of a service that was asked to stop, on a connection that was open before, with 503. */
export function refuseWhenStopping(stopping: AbortSignal | undefined): RequestHandler {
  return (_request, _response, next) => {
    if (stopping?.aborted) throw stoppingProblem();
    next();
  };
}

/**
 * Makes a function that settles like the answer it is given, or rejects with SERVICE_STOPPING when that takes
 * longer than {@link graceMillis} after the service was asked to stop.
 */
export function createStopLimit(stopping: AbortSignal | undefined) {
  const waiting = new Set<(reason: ProblemError) => void>();
  stopping?.addEventListener('abort', () => {
    setTimeout(() => waiting.forEach((reject) => reject(stoppingProblem())), graceMillis).unref();
  });
  return <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.add(reject);
      void answer.then(resolve, reject).finally(() => waiting.delete(reject));
    });
}

/** Counts the requests that are under way: `idle` settles when there is none, after `patienceMillis` at the latest. */
export function createRequestCount(): {
  count: RequestHandler;
  idle: (patienceMillis: number) => Promise<void>;
} {
  const underWay = new Set<Response>();
  let tellIdle: (() => void) | undefined;
  return {
    count: (_request, response, next) => {
      underWay.add(response);
      response.once('close', () => {
        underWay.delete(response);
        if (underWay.size === 0) tellIdle?.();
      });
      next();
    },
    idle: async (patienceMillis) => {
      if (underWay.size === 0) return;
      const idle = new Promise<void>((resolve) => (tellIdle = resolve));
      await Promise.race([idle, delay(patienceMillis, undefined, { ref: false })]);
    },
  };
}
