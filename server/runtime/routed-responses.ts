import type { Database } from '#server/db/database.ts';
import type { Replica } from '#server/db/replica.ts';
import { makeDatabaseFailure, ProblemError } from '#server/errors.ts';
import { handlers } from '#server/handlers.ts';
import type { Responses, PreparedResponse } from './responses.ts';
import type { Threads } from './threads.ts';

/** The threads of one server, and the cache of its responses. */
export interface ServerResponses {
  threads: Threads;
  responses: Responses;
}

/** Maximum duration of a failed request on the replica that the service retries on the primary. */
const maximumRetriedMillis = 10_000;

/** Minimum lag of the replica that changes the cursor, to notify clients of the lag. */
const minimumReportedLagMillis = 2_000;

/**
 * Sends the requests of the `reader` and `analysis` threads to a replica while it is readable, and all others to the
 * primary. Each server has its own threads and caches, so a response contains rows of only one server.
 */
export class RoutedResponses {
  readonly #replica: Replica;
  readonly #primaryServer: ServerResponses;
  readonly #serve: (database: Database) => ServerResponses;
  #replicaServer: ServerResponses | undefined;

  /** `serve` creates the threads and the cache of the replica after the service has opened the replica. */
  constructor(
    replica: Replica,
    primaryServer: ServerResponses,
    serve: (database: Database) => ServerResponses,
  ) {
    this.#replica = replica;
    this.#primaryServer = primaryServer;
    this.#serve = serve;
  }

  /**
   * Responds like {@link Responses.respond}. Retries a request on the primary if the replica failed within 10 s with a
   * code `DATABASE_…` or an unexpected error. For example, a replica cancels a query that prevents it from replaying
   * the log of the primary. Before a retry after DATABASE_UNAVAILABLE or an unexpected error, stops using the replica
   * until its next successful check.
   */
  async respond(...request: Parameters<Responses['respond']>): Promise<PreparedResponse> {
    const { thread } = handlers[request[0]];
    const respondFromPrimary = () => this.#primaryServer.responses.respond(...request);
    if (thread === 'watcher') return respondFromPrimary();
    if (thread === 'writer') return respondFromPrimary().finally(() => this.noteWrite());
    const replicaServer = await this.#findReadableReplica();
    if (!replicaServer) return respondFromPrimary();
    const startedAt = performance.now();
    try {
      return await readUntilAborted(
        this.#replica.responseSignal,
        replicaServer.responses.respond(...request),
      );
    } catch (error) {
      const code = error instanceof ProblemError ? error.code : 'DATABASE_UNAVAILABLE';
      const isTooLate = performance.now() - startedAt > maximumRetriedMillis;
      if (!code.startsWith('DATABASE_') || isTooLate) throw error;
      if (code === 'DATABASE_UNAVAILABLE') this.#replica.suspend();
      return respondFromPrimary();
    }
  }

  /** Makes all later responses contain the changes until now. */
  async noteWrite(): Promise<void> {
    await this.#replica.noteWrite();
    // From here on, the replica gets no requests until it has replayed the change.
    for (const server of [this.#primaryServer, this.#replicaServer]) server?.responses.noteWrite();
  }

  /**
   * Returns the cursor of the server that gets the reads now, or of the primary if the replica fails. The cursor also
   * changes after a switch to the other server, and when the lag crosses {@link minimumReportedLagMillis}.
   */
  async readCursor(): Promise<string> {
    const replicaServer = await this.#findReadableReplica();
    const { lagMillis } = this.#replica.report();
    const lag = (lagMillis ?? 0) >= minimumReportedLagMillis ? 'late' : 'current';
    const cursor = await replicaServer?.responses.readCursor().catch(() => undefined);
    if (cursor !== undefined) return `replica-${lag}-${cursor}`;
    return `primary-${await this.#primaryServer.responses.readCursor()}`;
  }

  /** Starts and warms up the analysis threads of the server that gets the reads now; see {@link Threads.warmUp}. */
  warmUp(): void {
    void this.#findReadableReplica().then((replicaServer) =>
      (replicaServer ?? this.#primaryServer).threads.warmUp(),
    );
  }

  /** Ends the threads of the replica like {@link Threads.close}, then closes the replica. */
  async close(abortSignal?: AbortSignal): Promise<void> {
    await this.#replicaServer?.threads.close(abortSignal);
    await this.#replica.close();
  }

  async #findReadableReplica(): Promise<ServerResponses | undefined> {
    const { database } = this.#replica;
    if (!database || !(await this.#replica.isReadable())) return undefined;
    return (this.#replicaServer ??= this.#serve(database));
  }
}

/** Settles like `response`, or rejects with DATABASE_UNAVAILABLE as soon as `signal` is aborted. */
async function readUntilAborted<Result>(
  signal: AbortSignal,
  response: Promise<Result>,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(makeDatabaseFailure('unavailable'));
  signal.addEventListener('abort', stop);
  return Promise.race([response, promise]).finally(() => signal.removeEventListener('abort', stop));
}
