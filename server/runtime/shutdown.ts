import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ProblemError, makeStoppingError } from '#server/errors.ts';

/*
 * All timeouts of the shutdown.
 *
 * | After the signal to stop | Closed or ended                                                                        |
 * | ------------------------ | -------------------------------------------------------------------------------------- |
 * | 0 s                      | The listener, event streams, builds of indexes, inspections and openings of            |
 * |                          | databases, creations of sample data. The service cancels imports and watches. A new    |
 * |                          | request on an open connection gets 503. From then on, the service closes idle          |
 * |                          | connections every 0.1 s.                                                               |
 * | 3 s                      | The thread of an import that is still reading                                          |
 * | 3.6 s                    | Pending requests, with 503, and the threads of requests, imports and watches           |
 * | 3.8 s                    | Connections                                                                            |
 * | 4 s                      | The process, by SIGKILL, if a database is still open, for example in a SQLite query    |
 * | 5 s                      | The window, also if its service still runs (`electron/main.ts`)                        |
 *
 * Each step happens earlier if nothing is pending. The same steps close a database that another one replaces, with
 * more time for its requests:
 *
 * | After the other is open  | Closed or ended                                                                        |
 * | ------------------------ | -------------------------------------------------------------------------------------- |
 * | 0 s                      | Event streams, with an event that names the other database; builds of indexes, watches |
 * | 60 s                     | The wait for pending requests: the threads of requests then end after their tasks. The |
 * |                          | threads of watches                                                                     |
 *
 * The thread of an import that a user cancels also ends after 3 s if it is still reading.
 */

/** Time after which the service terminates a cancelled import that is still reading. */
export const importStopMillis = 3_000;
/** Maximum wait for pending requests to a database that another one replaces. */
export const replacementMillis = 60_000;

const abortMillis = 3_600;
const connectionsMillis = 3_800;
const processMillis = 4_000;
const idleCheckMillis = 100;

/** The stop of a service, which begins once. */
export class Shutdown {
  readonly #stopController = new AbortController();
  readonly #abortController = new AbortController();
  readonly #pendingRejections = new Set<(reason: ProblemError) => void>();

  /** Signal to stop the service. */
  get stopSignal(): AbortSignal {
    return this.#stopController.signal;
  }

  /** Signal to reject pending requests and terminate threads. */
  get abortSignal(): AbortSignal {
    return this.#abortController.signal;
  }

  /** Begins the stop. Does nothing if it has begun. */
  begin(): void {
    if (this.stopSignal.aborted) return;
    this.#stopController.abort();
    setTimeout(() => {
      for (const reject of this.#pendingRejections) reject(makeStoppingError());
      this.#abortController.abort();
    }, abortMillis).unref();
  }

  /**
   * Settles like `response`. Rejects with SERVICE_STOPPING if `response` is still pending 3.6 s after the stop has
   * begun.
   */
  limit<Result>(response: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pendingRejections.add(reject);
      void response.then(resolve, reject).finally(() => this.#pendingRejections.delete(reject));
    });
  }
}

/** The parts of a service that {@link stopService} stops. */
export interface StoppableService {
  server: Server;
  databases: { close: (abortSignal: AbortSignal) => Promise<void> };
  shutdown: Shutdown;
  logger: Logger;
}

/**
 * Stops a service by the steps of the first table above. Rejects with the error of closing a database. Kills the
 * process if a database is still open after 4 s.
 */
export async function stopService(service: StoppableService): Promise<void> {
  const { server, databases, shutdown, logger } = service;
  logger.info('Stopping');
  const timeout = delay(processMillis, true);
  const serverEnd = new Promise((resolve) => server.close(resolve));
  shutdown.begin();
  const databasesEnd = databases.close(shutdown.abortSignal);
  // The last `await` below throws a failure. Without this handler, an earlier failure would be an unhandled rejection
  // and end the process.
  databasesEnd.catch(() => {});
  // Otherwise the server would wait for connections that browsers keep open without a request.
  const idleTimer = setInterval(() => server.closeIdleConnections(), idleCheckMillis);
  const timer = setTimeout(() => server.closeAllConnections(), connectionsMillis);
  await serverEnd;
  clearInterval(idleTimer);
  clearTimeout(timer);
  const hasTimedOut = await Promise.race([databasesEnd.then(() => false), timeout]);
  if (!hasTimedOut) return;
  logger.warn('A query has not ended in time, so the service kills its process');
  process.kill(process.pid, 'SIGKILL');
}
