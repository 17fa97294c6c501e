import type { Database } from '#server/db/database.ts';
import type { Replica } from '#server/db/replica.ts';
import { makeDatabaseFailure, ProblemError } from '#server/errors.ts';
import { handlers, type HandledName } from '#server/handlers.ts';
import type { Responses, Sendable } from './responses.ts';
import type { Threads } from './threads.ts';

/** The threads of one server, and the cache of its responses. */
export interface ServerResponses {
  threads: Threads;
  responses: Responses;
}

/** A request that took longer on the replica is not repeated on the primary, where it would take as long. */
const maximumRepeatedMillis = 10_000;

/** Smallest lag that is reported to clients. */
const minimumReportedLagMillis = 2_000;

/**
 * Sends reads to a replica while it can be read, and all other requests to the primary. Each server has its own threads
 * and caches, so a response contains rows of only one of them.
 */
export class RoutedResponses {
  readonly #replica: Replica;
  readonly #primaryServer: ServerResponses;
  readonly #serve: (database: Database) => ServerResponses;
  #secondary: ServerResponses | undefined;

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
   * Responds like {@link Responses.respond}. A read that fails because the replica is lost, or because it cancelled the
   * query to follow the primary, is repeated on the primary.
   */
  async respond(name: HandledName, input: unknown, identity?: string): Promise<Sendable> {
    const { thread } = handlers[name];
    const respondFromPrimary = () => this.#primaryServer.responses.respond(name, input, identity);
    if (thread === 'watcher') return respondFromPrimary();
    if (thread === 'writer') return respondFromPrimary().finally(() => this.noteWrite());
    const secondary = await this.#findReadable();
    if (!secondary) return respondFromPrimary();
    const startedAt = performance.now();
    try {
      return await waitUntilAborted(
        this.#replica.responding,
        secondary.responses.respond(name, input, identity),
      );
    } catch (error) {
      const code = error instanceof ProblemError ? error.code : 'DATABASE_UNAVAILABLE';
      const isTooLate = performance.now() - startedAt > maximumRepeatedMillis;
      if (!code.startsWith('DATABASE_') || isTooLate) throw error;
      if (code === 'DATABASE_UNAVAILABLE') this.#replica.suspend();
      return respondFromPrimary();
    }
  }

  /** Makes all later responses contain the changes until now. */
  async noteWrite(): Promise<void> {
    await this.#replica.noteWrite();
    // Only now does the replica wait for the change before it is read.
    for (const server of [this.#primaryServer, this.#secondary]) server?.responses.noteWrite();
  }

  /**
   * Returns the cursor of the server that is read now; also differs after a switch to the other server, or when the lag
   * becomes long enough to report.
   */
  async readCursor(): Promise<string> {
    const secondary = await this.#findReadable();
    const { lagMillis } = this.#replica.report();
    const lag = (lagMillis ?? 0) >= minimumReportedLagMillis ? 'late' : 'current';
    const cursor = await secondary?.responses.readCursor().catch(() => undefined);
    if (cursor !== undefined) return `replica-${lag}-${cursor}`;
    return `primary-${await this.#primaryServer.responses.readCursor()}`;
  }

  /** Starts the threads that the next reads need. */
  warmUp(): void {
    void this.#findReadable().then((secondary) =>
      (secondary ?? this.#primaryServer).threads.warmUp(),
    );
  }

  async close(abortSignal?: AbortSignal): Promise<void> {
    await this.#secondary?.threads.close(abortSignal);
    await this.#replica.close();
  }

  async #findReadable(): Promise<ServerResponses | undefined> {
    const { database } = this.#replica;
    if (!database || !(await this.#replica.isReadable())) return undefined;
    return (this.#secondary ??= this.#serve(database));
  }
}

/** Settles like `reading`, or rejects with DATABASE_UNAVAILABLE as soon as `signal` is aborted. */
async function waitUntilAborted<Result>(
  signal: AbortSignal,
  reading: Promise<Result>,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(makeDatabaseFailure('unavailable'));
  signal.addEventListener('abort', stop);
  return Promise.race([reading, promise]).finally(() => signal.removeEventListener('abort', stop));
}
