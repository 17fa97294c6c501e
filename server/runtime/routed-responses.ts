import type { Database } from '#server/db/database.ts';
import type { Replica } from '#server/db/replica.ts';
import { makeDatabaseFailure, ProblemError } from '#server/errors.ts';
import { handlers, type HandledName } from '#server/handlers.ts';
import type { Responses, PreparedResponse } from './responses.ts';
import type { Threads } from './threads.ts';

/** The threads of one server, and the cache of its responses. */
export interface ServerResponses {
  threads: Threads;
  responses: Responses;
}

/** Maximum duration of a failed request on the replica before a retry on the primary, which may take as long. */
const maximumRetriedMillis = 10_000;

/** Minimum lag that the service reports to clients. */
const minimumReportedLagMillis = 2_000;

/**
 * Sends reads to a replica while it can be read, and all other requests to the primary. Each server has its own threads
 * and caches, so a response contains rows of only one of them.
 */
export class RoutedResponses {
  readonly #replica: Replica;
  readonly #primaryServer: ServerResponses;
  readonly #serve: (database: Database) => ServerResponses;
  #replicaServer: ServerResponses | undefined;

  /** `serve` creates the threads and the cache of the replica after it has opened. */
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
   * Responds like {@link Responses.respond}. Retries a read on the primary if it failed within 10 s with an error of
   * the database or an unexpected error. For example, the replica cancels a query to follow the primary. Stops using
   * the replica until its next check, unless the error shows that it still responds.
   */
  async respond(name: HandledName, input: unknown, identity?: string): Promise<PreparedResponse> {
    const { thread } = handlers[name];
    const respondFromPrimary = () => this.#primaryServer.responses.respond(name, input, identity);
    if (thread === 'watcher') return respondFromPrimary();
    if (thread === 'writer') return respondFromPrimary().finally(() => this.noteWrite());
    const replicaServer = await this.#findReadableReplica();
    if (!replicaServer) return respondFromPrimary();
    const startedAt = performance.now();
    try {
      return await readUntilAborted(
        this.#replica.responseSignal,
        replicaServer.responses.respond(name, input, identity),
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
    // From here on, the replica gets no read until it has the change.
    for (const server of [this.#primaryServer, this.#replicaServer]) server?.responses.noteWrite();
  }

  /**
   * Returns the cursor of the server that gets the reads now; also differs after a switch to the other server, or when
   * the lag becomes long enough to report.
   */
  async readCursor(): Promise<string> {
    const replicaServer = await this.#findReadableReplica();
    const { lagMillis } = this.#replica.report();
    const lag = (lagMillis ?? 0) >= minimumReportedLagMillis ? 'late' : 'current';
    const cursor = await replicaServer?.responses.readCursor().catch(() => undefined);
    if (cursor !== undefined) return `replica-${lag}-${cursor}`;
    return `primary-${await this.#primaryServer.responses.readCursor()}`;
  }

  /** Starts the threads that the next reads need. */
  warmUp(): void {
    void this.#findReadableReplica().then((replicaServer) =>
      (replicaServer ?? this.#primaryServer).threads.warmUp(),
    );
  }

  /** Ends the threads of the replica, and closes it. */
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

/** Settles like `reading`, or rejects with DATABASE_UNAVAILABLE as soon as `signal` is aborted. */
async function readUntilAborted<Result>(
  signal: AbortSignal,
  reading: Promise<Result>,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(makeDatabaseFailure('unavailable'));
  signal.addEventListener('abort', stop);
  return Promise.race([reading, promise]).finally(() => signal.removeEventListener('abort', stop));
}
