import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { handlers, type Handler, type HandledName } from '#server/handlers.ts';
import type { WrittenResponse } from './run-handler.ts';
import type { Threads } from './threads.ts';

/** A response that is sent unchanged. */
export interface Sendable {
  body: string | Uint8Array<ArrayBuffer>;
  headers?: Readonly<Record<string, string>>;
  /** The parts after the body, generated no faster than the client reads them. */
  rest?: AsyncIterable<string | Uint8Array>;
}

type AnyHandler = Handler<'exportExperiment'>;

/** A finished response, whether it was computed before, and the state of the database that it is valid for. */
interface CachedResponse {
  snapshot: string;
  body: Uint8Array<ArrayBuffer>;
  isHit: boolean;
}

/** Estimated memory of a cache entry in addition to its text, in bytes. */
const entryBytes = 500;

/**
 * Gets the responses to requests from the threads, or from a cache of their bytes while the database has not changed. A
 * request that is pending for the same state of the database is not computed twice; errors are not cached.
 */
export class Responses {
  readonly #threads: Threads;
  /** Cached responses by request. Evicts the least recently used ones; a response above the limit is not cached. */
  readonly #cache: LRUCache<string, CachedResponse>;
  readonly #pending = new Map<string, Promise<CachedResponse>>();

  /** `maximumBytes` limits the cached responses and must be positive. */
  constructor(threads: Threads, maximumBytes: number) {
    this.#threads = threads;
    this.#cache = new LRUCache({
      maxSize: maximumBytes,
      sizeCalculation: ({ body }, request) => entryBytes + request.length + body.byteLength,
    });
  }

  /** Clears the cache. */
  clear(): void {
    this.#cache.clear();
  }

  /** Returns the response of an endpoint to an input, see {@link runHandler}; throws the errors of its handler. */
  async respond(name: HandledName, input: unknown, identity?: string): Promise<Sendable> {
    const handler = handlers[name] as AnyHandler;
    const run = (part: unknown) => this.#threads.run(name, part, identity);
    if (handler.cached)
      return this.#respondFromCache(
        JSON.stringify([name, input, identity]),
        () => run(input),
        handler.fileName?.(input as never),
      );
    const response = await run(input);
    const brackets = Object(input).csv === undefined ? ofArray : ofLines;
    return response.next === undefined ? response : this.#join(name, response, brackets, run);
  }

  async #respondFromCache(
    request: string,
    compute: () => Promise<WrittenResponse>,
    file: string | undefined,
  ): Promise<Sendable> {
    const { body, isHit } = await this.#find(request, compute);
    return {
      body,
      headers: {
        // RFC 9211.
        'Cache-Status': isHit ? 'Evoscope; hit' : 'Evoscope; fwd=miss',
        ...(file !== undefined && { 'Content-Disposition': `attachment; filename="${file}"` }),
      },
    };
  }

  async #find(request: string, compute: () => Promise<WrittenResponse>): Promise<CachedResponse> {
    // Read before the response is computed, so that no response is older than its snapshot.
    const snapshot = await this.#threads.readState('readSnapshotKey');
    const cached = this.#cache.get(request);
    if (cached?.snapshot === snapshot) return { ...cached, isHit: true };
    const key = `${snapshot}\n${request}`;
    const pending = this.#pending.get(key);
    if (pending) return { ...(await pending), isHit: true };
    const computed = this.#compute(request, snapshot, compute).finally(() =>
      this.#pending.delete(key),
    );
    this.#pending.set(key, computed);
    return computed;
  }

  async #compute(
    request: string,
    snapshot: string,
    compute: () => Promise<WrittenResponse>,
  ): Promise<CachedResponse> {
    const { body, isHit = false } = await compute();
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const cached = { snapshot, body: bytes, isHit };
    this.#cache.set(request, cached);
    return cached;
  }

  /** Returns the response made of slices, in one piece if there is only one slice. */
  #join(
    name: HandledName,
    { body, next }: WrittenResponse,
    brackets: Brackets,
    run: (part: unknown) => Promise<WrittenResponse>,
  ): Sendable {
    const { open, close } = brackets;
    if (next !== null)
      return { body: open, rest: this.#slices(name, { body, next }, brackets, run) };
    if (open === '') return { body };
    return {
      body:
        typeof body === 'string'
          ? `${open}${body}${close}`
          : Buffer.concat([Buffer.from(open), body, Buffer.from(close)]),
    };
  }

  async *#slices(
    name: HandledName,
    first: WrittenResponse,
    { between, close }: Brackets,
    run: (part: unknown) => Promise<WrittenResponse>,
  ): AsyncGenerator<Sendable['body']> {
    let slice = first;
    yield slice.body;
    // From the second slice on, the next one is computed while the client reads this one.
    let following = slice.next === null ? undefined : run(slice.next);
    while (following) {
      const input = slice.next;
      slice = await following;
      // A response must end for any content of the rows.
      if (isDeepStrictEqual(slice.next, input))
        throw new Error(`Two slices of ${name} have the same next input`);
      following = slice.next === null ? undefined : run(slice.next);
      // The client may disconnect before this slice is needed.
      following?.catch(() => {});
      // The rows may have been deleted since the previous slice announced them.
      if (slice.body.length > 0) yield between;
      yield slice.body;
    }
    yield close;
  }
}

/** Texts around and between the slices of a response. */
interface Brackets {
  open: string;
  between: string;
  close: string;
}

const ofArray: Brackets = { open: '[', between: ',', close: ']' };
const ofLines: Brackets = { open: '', between: '', close: '' };
