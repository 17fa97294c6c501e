import type { EndpointName } from '#shared/addresses.ts';
import { AnswerCache } from '#server/analysis/cache.ts';
import type { Database } from '#server/db/database.ts';
import { handlers, type Handler } from '#server/handlers.ts';
import type { WrittenAnswer } from '#server/threads/run-handler.ts';
import type { Threads } from '#server/threads/threads.ts';
import type { Sendable } from './bind-endpoint.ts';

type AnyHandler = Handler<'exportExperiment'>;

/** Gets the answers to requests from the threads, or from memory as long as the database has not changed. */
export class Answers {
  readonly #database: Database;
  readonly #threads: Threads;
  readonly #cache: AnswerCache;

  constructor(database: Database, threads: Threads, cache = new AnswerCache()) {
    this.#database = database;
    this.#threads = threads;
    this.#cache = cache;
  }

  /** What an endpoint answers to an input of its own; throws what its handler throws. */
  async answer(name: EndpointName, input: unknown): Promise<Sendable> {
    const handler = handlers[name] as AnyHandler;
    if (handler.cached) return this.#cached(name, input, handler);
    const answer = await this.#threads.run(name, input);
    return answer.next === undefined ? answer : this.#array(name, answer);
  }

  async #cached(name: EndpointName, input: unknown, { fileName }: AnyHandler): Promise<Sendable> {
    const snapshot = await this.#database.dialect.snapshotKey();
    const question = JSON.stringify([name, input]);
    const { body, state } = await this.#cache.get(question, snapshot, async () => {
      return (await this.#threads.run(name, input)).body;
    });
    const file = fileName?.(input as never);
    return {
      body,
      headers: {
        // RFC 9211.
        'Cache-Status': state === 'hit' ? 'Evoscope; hit' : 'Evoscope; fwd=miss',
        ...(file !== undefined && { 'Content-Disposition': `attachment; filename="${file}"` }),
      },
    };
  }

  /** The array that slices make: in one piece when there is but one. */
  #array(name: EndpointName, { body, next }: WrittenAnswer): Sendable {
    if (next !== null) return { body: '[', rest: this.#slices(name, { body, next }) };
    return { body: typeof body === 'string' ? `[${body}]` : Buffer.concat([open, body, close]) };
  }

  async *#slices(name: EndpointName, first: WrittenAnswer): AsyncGenerator<Sendable['body']> {
    let slice = first;
    yield slice.body;
    while (slice.next !== null) {
      slice = await this.#threads.run(name, slice.next);
      // The rows may have gone since the slice before said that there are more.
      if (slice.body.length > 0) yield ',';
      yield slice.body;
    }
    yield ']';
  }
}

const open = Buffer.from('[');
const close = Buffer.from(']');
