import type { Database } from '#server/db/database.ts';
import type { Replica } from '#server/db/replica.ts';
import { databaseFailure, ProblemError } from '#server/errors.ts';
import { handlers, type HandledName } from '#server/handlers.ts';
import type { Answers, Sendable } from './answers.ts';
import type { Threads } from './threads.ts';

/** What answers requests from one server: its threads, and what they have cached of it. */
export interface ServerAnswers {
  threads: Threads;
  answers: Answers;
}

/** A request that took so long on the replica is not repeated on the primary, which would take as long. */
const mostRepeatedMillis = 10_000;

/** Smallest lag that is reported to clients. */
const shownLagMillis = 2_000;

/**
 * Answers reads from a replica while it can be read, and everything else from the primary. Each server has its own threads
 * and caches, so that all of an answer comes from one of them.
 */
export class RoutedAnswers {
  readonly #replica: Replica;
  readonly #primary: ServerAnswers;
  readonly #serve: (database: Database) => ServerAnswers;
  #secondary: ServerAnswers | undefined;

  /** `serve` creates what answers from the replica, once that is open. */
  constructor(
    replica: Replica,
    primary: ServerAnswers,
    serve: (database: Database) => ServerAnswers,
  ) {
    this.#replica = replica;
    this.#primary = primary;
    this.#serve = serve;
  }

  /**
   * Like {@link Answers.answer}. A read that fails on the replica for the replica's own reasons (it is lost, or cancelled the query to
   * follow the primary) is repeated on the primary.
   */
  async answer(name: HandledName, input: unknown, identity?: string): Promise<Sendable> {
    const { thread } = handlers[name];
    const onPrimary = () => this.#primary.answers.answer(name, input, identity);
    if (thread === 'watcher') return onPrimary();
    if (thread === 'writer') return onPrimary().finally(() => this.#replica.noteWrite());
    const secondary = await this.#readable();
    if (!secondary) return onPrimary();
    const began = performance.now();
    try {
      return await untilAborted(
        this.#replica.answering,
        secondary.answers.answer(name, input, identity),
      );
    } catch (error) {
      const code = error instanceof ProblemError ? error.code : 'DATABASE_UNAVAILABLE';
      const isLate = performance.now() - began > mostRepeatedMillis;
      if (!code.startsWith('DATABASE_') || isLate) throw error;
      if (code === 'DATABASE_UNAVAILABLE') this.#replica.suspend();
      return onPrimary();
    }
  }

  /** The state of the server that is read now; differs also when another one is read, or when the lag begins to matter. */
  async cursor(): Promise<string> {
    const secondary = await this.#readable();
    const { lagMillis } = this.#replica.report();
    const lag = (lagMillis ?? 0) >= shownLagMillis ? 'late' : 'current';
    const at = await secondary?.threads.readState('changeCursor').catch(() => undefined);
    if (at !== undefined) return `replica-${lag}-${at}`;
    return `primary-${await this.#primary.threads.readState('changeCursor')}`;
  }

  /** Starts the threads that the next reads need. */
  warmUp(): void {
    void this.#readable().then((secondary) => (secondary ?? this.#primary).threads.warmUp());
  }

  async close(giveUp?: AbortSignal): Promise<void> {
    await this.#secondary?.threads.close(giveUp);
    await this.#replica.close();
  }

  async #readable(): Promise<ServerAnswers | undefined> {
    const { database } = this.#replica;
    if (!database || !(await this.#replica.isReadable())) return undefined;
    return (this.#secondary ??= this.#serve(database));
  }
}

/** Settles like `reading`, or rejects with DATABASE_UNAVAILABLE as soon as `signal` is aborted. */
async function untilAborted<Result>(
  signal: AbortSignal,
  reading: Promise<Result>,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(databaseFailure('unavailable'));
  signal.addEventListener('abort', stop);
  return Promise.race([reading, promise]).finally(() => signal.removeEventListener('abort', stop));
}
