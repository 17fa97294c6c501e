import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { handlers, type Handler, type HandledName } from '#server/handlers.ts';
import type { WrittenResponse } from './run-handler.ts';
import type { Threads } from './threads.ts';

/** A response to send: its text or bytes, and its headers. */
export interface PreparedResponse {
  body: string | Uint8Array<ArrayBuffer>;
  headers?: Readonly<Record<string, string>>;
  /** The slices after the body. While the client reads one, threads compute at most {@link maximumPendingSlices}. */
  nextSlices?: AsyncIterable<string | Uint8Array>;
}

type AnyHandler = Handler<'exportExperiment'>;

/** The state of the database that a response describes. */
interface DescribedState {
  /** Key of the state; see {@link DatabaseDialect.readSnapshotKey}. */
  snapshot: string;
  /** Time before a check that found the database in this state, in milliseconds of `performance.now()`. */
  currentAt: number;
  /** Number of calls of {@link Responses.noteWrite} before this service read this state. */
  writeCount: number;
}

/** A finished response. For `isHit`, see {@link WrittenResponse.isHit}. */
interface CachedResponse extends DescribedState {
  body: Uint8Array<ArrayBuffer>;
  isHit: boolean;
  /** Whether the response expires after {@link expiryMillis}. */
  isTimeDependent: boolean;
  /** Time before the service read the state and computed the response, in milliseconds of `performance.now()`. */
  readonly computedAt: number;
}

/** The computation of a current response, during which requests may get a stale one. */
interface Revalidation extends DescribedState {
  response: Promise<CachedResponse>;
  /** Whether a request may have got an older response, before or during the computation. */
  hasSentStale: boolean;
  /** Whether a request found another database state meanwhile. If so, the threads compute the response again. */
  isOutdated: boolean;
}

/** A response. `staleMillis` is the time since the last check that found it current; undefined unless it is stale. */
type FoundResponse = Pick<CachedResponse, 'body' | 'isHit'> & { staleMillis?: number };

/** Estimated memory of a cache entry in addition to its request and body, in bytes. */
const entryBytes = 500;

/** Age at which a cached response that depends on the time is no longer current. */
const expiryMillis = 10_000;

/** Maximum age of a stale response, which contains all changes stored at least this long before its request. */
const maximumStaleMillis = 2_000;

/** Time after which a request gets the stale response instead of the current one. */
const maximumWaitMillis = 100;

/**
 * Gets the responses to requests from the threads. Responses of handlers with a `cacheMode` may also come from a cache.
 * A cached response is valid until the database changes, and for at most 10 s if it depends on the time. Equal requests
 * to such handlers in the same state of the database share one computation. The cache contains no errors.
 *
 * With `stale-while-revalidate` (RFC 5861), a request gets a stale response from the cache if the current response
 * takes longer than 100 ms. A stale response is never older than 2 s. The threads then compute the current response in
 * the background, also for other requests within 2 s. If the stale and the current response differ, or if the
 * computation fails, the change cursor changes. Clients of the event stream then request the response again. After a
 * call of {@link Responses.noteWrite}, no response lacks an earlier change.
 */
export class Responses {
  readonly #threads: Threads;
  /** Cached responses by request. Evicts the least recently used ones, and stores no response above the limit. */
  readonly #cache: LRUCache<string, CachedResponse>;
  readonly #pendingResponses = new Map<string, Promise<CachedResponse>>();
  /** The newest pending revalidation of each request. */
  readonly #revalidations = new Map<string, Revalidation>();
  /** Number of calls of {@link noteWrite}. */
  #writeCount = 0;
  /** Number of computations after which clients must request a response again, because they may have an older one. */
  #correctionCount = 0;

  /** `maximumBytes` limits the cached responses and must be a positive integer. */
  constructor(threads: Threads, maximumBytes: number) {
    this.#threads = threads;
    this.#cache = new LRUCache({
      maxSize: maximumBytes,
      sizeCalculation: ({ body }, request) => entryBytes + request.length + body.byteLength,
    });
  }

  /** Clears the cache, and makes all later responses contain the changes until now. */
  clear(): void {
    this.noteWrite();
    this.#cache.clear();
  }

  /** Makes all later responses contain the changes until now. Call it after each change that a client requested. */
  noteWrite(): void {
    this.#writeCount += 1;
  }

  /**
   * Returns the change cursor of the database. After a request got a stale response, the cursor also changes if the
   * current response differs or its computation fails. Rejects with the errors of {@link Threads.readState}.
   */
  async readCursor(): Promise<string> {
    return `${await this.#threads.readState('readChangeCursor')}-${this.#correctionCount}`;
  }

  /**
   * Returns the response of an endpoint to an input, see {@link runHandler}. Throws the errors of {@link Threads.run}
   * and {@link Threads.readState}. Calls {@link noteWrite} after a handler of the `writer`, also after a failed one. If
   * `signal` aborts, because the client has disconnected, does not start further reads that no other request can share.
   */
  async respond(
    name: HandledName,
    input: unknown,
    identity?: string,
    signal?: AbortSignal,
  ): Promise<PreparedResponse> {
    const handler = handlers[name] as AnyHandler;
    const canEnd = handler.cacheMode === undefined && handler.thread !== 'writer';
    const readSignal = canEnd ? signal : undefined;
    const run = (sliceInput: unknown) => this.#threads.run(name, sliceInput, identity, readSignal);
    if (handler.cacheMode !== undefined)
      return this.#respondFromCache(
        JSON.stringify([name, input, identity]),
        () => run(input),
        handler,
        handler.getFileName?.(input as never),
      );
    const response = await run(input).finally(() => {
      if (handler.thread === 'writer') this.noteWrite();
    });
    const hasLineBrackets = 'makeBinarySlice' in handler || Object(input).csv !== undefined;
    const brackets = hasLineBrackets ? lineBrackets : arrayBrackets;
    const sentResponse =
      response.nextInput === undefined ? response : this.#join(name, response, brackets, run);
    return { ...getFileHeaders(handler.getFileName?.(input as never)), ...sentResponse };
  }

  async #respondFromCache(
    request: string,
    compute: () => Promise<WrittenResponse>,
    handler: AnyHandler,
    fileName: string | undefined,
  ): Promise<PreparedResponse> {
    const { body, isHit, staleMillis } = await this.#find(request, compute, handler);
    // RFC 9211: the age of a stale response is a negative time to live.
    const age = staleMillis === undefined ? '' : `; ttl=-${Math.ceil(staleMillis / 1_000)}`;
    return {
      body,
      headers: {
        'Cache-Status': isHit ? `Evoscope; hit${age}` : 'Evoscope; fwd=miss',
        ...getFileHeaders(fileName).headers,
      },
    };
  }

  async #find(
    request: string,
    compute: () => Promise<WrittenResponse>,
    { cacheMode: mode }: AnyHandler,
  ): Promise<FoundResponse> {
    const requestState = { currentAt: performance.now(), writeCount: this.#writeCount };
    // Reads the snapshot before the computation of the response, because no response may be older than its snapshot.
    const state = { ...requestState, snapshot: await this.#threads.readState('readSnapshotKey') };
    const cachedResponse = this.#cache.get(request);
    if (cachedResponse?.snapshot === state.snapshot) {
      const ageMillis = requestState.currentAt - cachedResponse.computedAt;
      if (!cachedResponse.isTimeDependent || ageMillis < expiryMillis) {
        cachedResponse.currentAt = requestState.currentAt;
        return { ...cachedResponse, isHit: true };
      }
    }
    if (mode === 'stale-while-revalidate')
      return this.#findStaleOrCurrent(request, compute, state, cachedResponse);
    const key = `${state.snapshot}\n${request}`;
    const pendingResponse = this.#pendingResponses.get(key);
    if (pendingResponse) return { ...(await pendingResponse), isHit: true };
    const response = this.#compute(request, compute, state).finally(() =>
      this.#pendingResponses.delete(key),
    );
    this.#pendingResponses.set(key, response);
    return response;
  }

  /** Returns the current response, or a recent stale one if the wait exceeds {@link maximumWaitMillis}. */
  async #findStaleOrCurrent(
    request: string,
    compute: () => Promise<WrittenResponse>,
    state: DescribedState,
    cachedResponse: CachedResponse | undefined,
  ): Promise<FoundResponse> {
    const isRecent = ({ currentAt, writeCount }: DescribedState) =>
      writeCount === this.#writeCount && currentAt >= state.currentAt - maximumStaleMillis;
    const pendingRevalidation = this.#revalidations.get(request);
    const isShared = pendingRevalidation !== undefined && isRecent(pendingRevalidation);
    // The new computation replaces the pending one, so the receivers of older responses need its result.
    const hasOlderReceivers = pendingRevalidation?.hasSentStale || pendingRevalidation?.isOutdated;
    const revalidation = isShared
      ? pendingRevalidation
      : this.#revalidate(request, compute, state, hasOlderReceivers);
    if (revalidation.snapshot !== state.snapshot) revalidation.isOutdated = true;
    const currentResponse = isShared
      ? revalidation.response.then((response) => ({ ...response, isHit: true }))
      : revalidation.response;
    if (cachedResponse === undefined || !isRecent(cachedResponse)) return currentResponse;
    const isReady = await Promise.race([currentResponse.then(() => true), waitUntilTimeout()]);
    if (isReady || !isRecent(cachedResponse)) return currentResponse;
    revalidation.hasSentStale = true;
    return {
      ...cachedResponse,
      isHit: true,
      staleMillis: state.currentAt - cachedResponse.currentAt,
    };
  }

  /** Starts the computation of the current response. */
  #revalidate(
    request: string,
    compute: () => Promise<WrittenResponse>,
    state: DescribedState,
    hasSentStale = false,
  ): Revalidation {
    const previousBody = this.#cache.get(request)?.body;
    const response = this.#compute(request, compute, state);
    const revalidation: Revalidation = { ...state, response, hasSentStale, isOutdated: false };
    this.#revalidations.set(request, revalidation);
    const endRevalidation = (isEqual: boolean) => {
      if (this.#revalidations.get(request) !== revalidation) return;
      this.#revalidations.delete(request);
      if (revalidation.hasSentStale && !isEqual) this.#correctionCount += 1;
      if (revalidation.isOutdated) void this.#revalidateAgain(request, compute);
    };
    response.then(
      ({ body }) =>
        endRevalidation(previousBody !== undefined && Buffer.compare(previousBody, body) === 0),
      () => endRevalidation(false),
    );
    return revalidation;
  }

  /**
   * Computes a response again. Does nothing if a computation is pending, if the cached response describes the current
   * state of the database, or if reading this state fails.
   */
  async #revalidateAgain(request: string, compute: () => Promise<WrittenResponse>): Promise<void> {
    const requestState = { currentAt: performance.now(), writeCount: this.#writeCount };
    const snapshot = await this.#threads.readState('readSnapshotKey').catch(() => undefined);
    if (snapshot === undefined || this.#revalidations.has(request)) return;
    if (this.#cache.get(request)?.snapshot === snapshot) return;
    this.#revalidate(request, compute, { ...requestState, snapshot }, true);
  }

  async #compute(
    request: string,
    compute: () => Promise<WrittenResponse>,
    state: DescribedState,
  ): Promise<CachedResponse> {
    const { body, isHit = false, isTimeDependent = false } = await compute();
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const response: CachedResponse = {
      ...state,
      body: bytes,
      isHit,
      isTimeDependent,
      computedAt: state.currentAt,
    };
    const newestResponse = this.#cache.get(request);
    // A computation that started later may have ended earlier.
    if (newestResponse === undefined || newestResponse.computedAt <= response.computedAt)
      this.#cache.set(request, response);
    return response;
  }

  /** Returns the response that consists of slices. If there is only one slice, the body contains it. */
  #join(
    name: HandledName,
    firstSlice: WrittenResponse,
    brackets: Brackets,
    run: (sliceInput: unknown) => Promise<WrittenResponse>,
  ): PreparedResponse {
    const { start, end } = brackets;
    const { body, nextInput } = firstSlice;
    if (nextInput !== null)
      return { body: start, nextSlices: this.#yieldSlices(name, firstSlice, brackets, run) };
    if (start === '') return { body };
    return {
      body:
        typeof body === 'string'
          ? `${start}${body}${end}`
          : Buffer.concat([Buffer.from(start), body, Buffer.from(end)]),
    };
  }

  async *#yieldSlices(
    name: HandledName,
    firstSlice: WrittenResponse,
    { separator, end }: Brackets,
    run: (sliceInput: unknown) => Promise<WrittenResponse>,
  ): AsyncGenerator<PreparedResponse['body']> {
    let hasRows = firstSlice.body.length > 0;
    yield firstSlice.body;
    const { nextInput, laterInputs } = firstSlice;
    const inputs = laterInputs ? [...laterInputs] : [nextInput];
    const pendingSlices: { input: unknown; promise: Promise<WrittenResponse> }[] = [];
    // From the second slice on, threads compute the next slices while the client reads a slice.
    const startSlices = () => {
      for (const input of inputs.splice(0, maximumPendingSlices - pendingSlices.length)) {
        const promise = run(input);
        // The client may disconnect before it needs this slice.
        promise.catch(() => {});
        pendingSlices.push({ input, promise });
      }
    };
    startSlices();
    for (;;) {
      const pendingSlice = pendingSlices.shift();
      if (!pendingSlice) break;
      const slice = await pendingSlice.promise;
      // If the next input were the same again, the response would never end.
      if (isDeepStrictEqual(slice.nextInput, pendingSlice.input))
        throw new Error(`Two slices of ${name} have the same next input`);
      if (laterInputs === undefined && slice.nextInput !== null) inputs.push(slice.nextInput);
      startSlices();
      // A slice is empty if another program has deleted its rows, or if its runs have no iterations.
      if (slice.body.length === 0) continue;
      if (hasRows) yield separator;
      hasRows = true;
      yield slice.body;
    }
    yield end;
  }
}

/** Returns the headers of a download with this file name; none for undefined. */
function getFileHeaders(fileName: string | undefined): Pick<PreparedResponse, 'headers'> {
  if (fileName === undefined) return {};
  return { headers: { 'Content-Disposition': `attachment; filename="${fileName}"` } };
}

/**
 * Maximum number of slices of a response that threads compute at the same time. With a lower maximum, a thread would
 * wait while another one computes the previous slice, or while PostgreSQL responds.
 */
const maximumPendingSlices = 4;

/** Texts around and between the slices of a response. */
interface Brackets {
  start: string;
  separator: string;
  end: string;
}

const arrayBrackets: Brackets = { start: '[', separator: ',', end: ']' };
const lineBrackets: Brackets = { start: '', separator: '', end: '' };

/** Resolves with false after {@link maximumWaitMillis}. */
function waitUntilTimeout(): Promise<false> {
  const { promise, resolve } = Promise.withResolvers<false>();
  setTimeout(() => resolve(false), maximumWaitMillis).unref();
  return promise;
}
