import type { Database } from '#server/db/database.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { TraceRequest } from '#server/db/dialect.ts';
import {
  getEnd,
  isAscending,
  orderPairs,
  writeImprovements,
  type RunTrace,
} from '#server/domain/trace.ts';

/** Position of the trace of a run in memory that all threads share. `offset` counts numbers of 8 bytes. */
export interface PackedTrace {
  memory: SharedArrayBuffer;
  offset: number;
}

/** A run whose iterations the service reads: all of them, or only those after an earlier trace. */
export interface TraceToRead extends TraceRequest {
  previousTrace?: PackedTrace | undefined;
  /** Whether the run continued from a checkpoint. Such a run has no previous trace. */
  isResumed?: boolean | undefined;
  /** The version of an ended run, whose trace the service may store on disk; undefined for other runs. */
  storedVersion?: string | undefined;
}

const bytesPerNumber = Float64Array.BYTES_PER_ELEMENT;

/**
 * Length of the head before the points, in numbers: the counts of improvements in each direction, `end`,
 * `usedEvaluations` and `isDecreasing`.
 */
const headLength = 5;

/** Initial size of the memory in numbers, enough for most reads. The memory grows if necessary. */
const initialLength = 65_536;

/**
 * Reads the traces of runs in both directions into one block of memory. Returns the positions of the traces in the
 * order of the runs. Rejects with the errors of the database.
 */
export async function readPackedTraces(
  database: Database,
  runs: readonly TraceToRead[],
): Promise<PackedTrace[]> {
  const offsets: number[] = [];
  let numbers = new Float64Array(initialLength);
  let length = 0;
  await database.dialect.readTraces(runs, (_runId, pairs) => {
    const { previousTrace, isResumed = false } = runs[offsets.length] ?? {};
    const unpackedTrace = previousTrace && unpackTrace(previousTrace, 'min');
    const points = (['min', 'max'] as const).map((direction) =>
      orderPairs(
        previousTrace ? joinPoints(unpackTrace(previousTrace, direction), pairs) : pairs,
        isResumed,
      ),
    ) as [Float64Array, Float64Array];
    const requiredLength = length + headLength + points[0].length + points[1].length;
    if (numbers.length < requiredLength)
      numbers = new Float64Array(numbers.buffer.transfer(2 * requiredLength * bytesPerNumber));
    offsets.push(length);
    const isDecreasing =
      !isAscending(pairs) ||
      (unpackedTrace !== undefined &&
        (unpackedTrace.isDecreasing || (pairs[0] ?? Infinity) < unpackedTrace.usedEvaluations));
    length = pack(points, unpackedTrace, isDecreasing, numbers, length);
  });
  const memory = new SharedArrayBuffer(length * bytesPerNumber);
  new Float64Array(memory).set(numbers.subarray(0, length));
  // Frees the buffer now instead of at the next garbage collection.
  numbers.buffer.transfer(0);
  return offsets.map((offset) => ({ memory, offset }));
}

/**
 * Writes the head of a trace, its minimised improvements and its maximised improvements; returns the position after the
 * trace.
 */
function pack(
  [minimisedPoints, maximisedPoints]: readonly [Float64Array, Float64Array],
  previousTrace: RunTrace | undefined,
  isDecreasing: boolean,
  numbers: Float64Array,
  start: number,
): number {
  const firstOffset = start + headLength;
  const minimisedCount = writeImprovements(minimisedPoints, 'min', numbers, firstOffset);
  const secondOffset = firstOffset + 2 * minimisedCount;
  const maximisedCount = writeImprovements(maximisedPoints, 'max', numbers, secondOffset);
  numbers[start] = minimisedCount;
  numbers[start + 1] = maximisedCount;
  numbers[start + 2] = Math.max(previousTrace?.end ?? 0, getEnd(minimisedPoints));
  numbers[start + 3] = Math.max(previousTrace?.usedEvaluations ?? 0, minimisedPoints.at(-2) ?? 0);
  numbers[start + 4] = Number(isDecreasing);
  return secondOffset + 2 * maximisedCount;
}

/** Returns the improvements of a trace as [evaluations, fitness, …], followed by further iterations. */
function joinPoints({ evaluations, best }: RunTrace, pairs: Float64Array): Float64Array {
  const points = new Float64Array(2 * best.length + pairs.length);
  for (const [index, value] of best.entries()) {
    points[2 * index] = evaluations[index] ?? 0;
    points[2 * index + 1] = value;
  }
  points.set(pairs, 2 * best.length);
  return points;
}

/** Returns a view of all numbers of a trace. */
export function getPackedNumbers({ memory, offset }: PackedTrace): Float64Array {
  const [minimisedCount = 0, maximisedCount = 0] = getView(memory, offset, headLength);
  return getView(memory, offset, headLength + 2 * (minimisedCount + maximisedCount));
}

/** Returns a view of a trace in one direction, without a copy of its points. */
function unpackTrace({ memory, offset }: PackedTrace, direction: ObjectiveDirection): RunTrace {
  const head = getView(memory, offset, headLength);
  const [minimisedCount = 0, maximisedCount = 0, end = 0, usedEvaluations = 0] = head;
  const count = direction === 'min' ? minimisedCount : maximisedCount;
  const firstOffset = offset + headLength + (direction === 'min' ? 0 : 2 * minimisedCount);
  return {
    direction,
    evaluations: getView(memory, firstOffset, count),
    best: getView(memory, firstOffset + count, count),
    end,
    usedEvaluations,
    isDecreasing: head[4] === 1,
  };
}

function getView(memory: SharedArrayBuffer, offset: number, length: number): Float64Array {
  return new Float64Array(memory, offset * bytesPerNumber, length);
}

/** A requested trace, with the facts that decide whether a cached trace is still valid. */
export interface RequestedTrace {
  runId: string;
  /** Version that differs if the run has further iterations, or an iteration of an ended run has changed. */
  version: string;
  /** Approximate number of iterations. */
  rows: number;
  /** Whether the run has ended. The service stores only traces of ended runs on disk. */
  isEnded?: boolean;
  isResumed?: boolean;
  /**
   * Lineage and newest iteration of a run that only adds iterations; undefined for other runs. While the lineage is
   * equal, the earlier iterations are unchanged. `newestIteration` is −1 without iterations.
   */
  growth?: { lineage: string; newestIteration: number } | undefined;
}

/** Source of the current traces of runs. */
export interface Traces {
  /**
   * Returns the traces in the order of the runs, in one direction; reads traces that the cache lacks. Rejects with the
   * error of the read.
   */
  load(
    requestedTraces: readonly RequestedTrace[],
    direction: ObjectiveDirection,
  ): Promise<RunTrace[]>;
}

/** A trace in memory that all threads share. */
export interface SharedTrace extends PackedTrace {
  /** Number of the chunk of memory that contains the trace; 0 if the receiver must not cache the trace. */
  chunkNumber: number;
}

/** Function that reads the traces of runs, in their order, into one block of memory. */
export type ReadTraces = (runs: readonly TraceToRead[]) => Promise<PackedTrace[]>;

/** Traces that the store reads and evicts together. */
interface Chunk {
  number: number;
  /** Settles when the read ends. */
  readEnd: Promise<void>;
  /** Traces in the order of the requested runs; empty until the read ends. */
  traces: readonly PackedTrace[];
  bytes: number;
  /** Ids of the runs whose newest trace is in this chunk. */
  runIds: Set<string>;
}

/** Position of the newest trace of a run. */
interface TracePosition extends Pick<RequestedTrace, 'version' | 'growth'> {
  chunk: Chunk;
  index: number;
}

/**
 * Approximate number of rows of a chunk. Reading them takes about 10 ms. The transfer is then negligible, and the
 * threads end at about the same time.
 */
const rowsPerChunk = 50_000;

/**
 * Approximate number of bytes of the position of a trace, with its id and its version, in this thread and in an
 * analysis thread. For short runs it is more than the trace.
 */
export const positionBytes = 1_000;

/**
 * Cache of the traces of runs in memory that all threads share. Evicts the least recently used chunks above a number of
 * bytes. Reads a missing trace once for all threads that request it.
 */
export class TraceStore implements Traces {
  /** Receives the numbers of evicted, replaced, failed or cleared chunks, which other threads must release too. */
  onRelease: (chunks: readonly number[]) => void = () => {};
  readonly #maximumBytes: number;
  readonly #readTraces: ReadTraces;
  readonly #positions = new Map<string, TracePosition>();
  /** Chunks by number, the least recently used first. */
  readonly #chunks = new Map<number, Chunk>();
  #lastChunkNumber = 0;
  #bytes = 0;

  constructor(maximumBytes: number, readTraces: ReadTraces) {
    this.#maximumBytes = maximumBytes;
    this.#readTraces = readTraces;
  }

  /** Number of bytes of the cached traces together with the approximate size of their positions. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns whether the cache contains the chunk with this number, or a read of this chunk is pending. */
  has(chunk: number): boolean {
    return this.#chunks.has(chunk);
  }

  /** Marks these chunks as used now; ignores evicted ones. */
  touch(chunks: Iterable<number>): void {
    for (const number of chunks) {
      const chunk = this.#chunks.get(number);
      if (!chunk) continue;
      this.#chunks.delete(number);
      this.#chunks.set(number, chunk);
    }
  }

  /** Returns the current traces of the runs, in their order. Rejects with the error of the read. */
  async collect(requestedTraces: readonly RequestedTrace[]): Promise<SharedTrace[]> {
    const missingTraces = requestedTraces.filter(
      ({ runId, version }) => this.#positions.get(runId)?.version !== version,
    );
    for (const runs of splitIntoChunks(missingTraces)) this.#add(runs);
    const tracePositions = requestedTraces.flatMap(({ runId }) => this.#positions.get(runId) ?? []);
    const chunks = new Set(tracePositions.map(({ chunk }) => chunk));
    this.touch(Array.from(chunks, ({ number }) => number));
    await Promise.all(Array.from(chunks, ({ readEnd }) => readEnd));
    return tracePositions.flatMap(({ chunk, index }) => {
      const trace = chunk.traces[index];
      return trace ? { ...trace, chunkNumber: chunk.number } : [];
    });
  }

  async load(
    requestedTraces: readonly RequestedTrace[],
    direction: ObjectiveDirection,
  ): Promise<RunTrace[]> {
    return (await this.collect(requestedTraces)).map((trace) => unpackTrace(trace, direction));
  }

  /** Evicts all chunks. A pending read still resolves, but the cache does not store its traces. */
  clear(): void {
    this.#releaseAll([...this.#chunks.values()]);
  }

  #add(runs: readonly RequestedTrace[]): void {
    const runIds = new Set(runs.map(({ runId }) => runId));
    const readEnd = this.#readTraces(runs.map((run) => this.#getTraceToRead(run))).then(
      (traces) => this.#store(chunk, traces),
      (error: unknown) => {
        this.#releaseAll([chunk]);
        throw error;
      },
    );
    const chunk: Chunk = { number: ++this.#lastChunkNumber, readEnd, traces: [], bytes: 0, runIds };
    this.#chunks.set(chunk.number, chunk);
    const replacedChunks = new Set<Chunk>();
    for (const [index, { runId, version, growth }] of runs.entries()) {
      const previousChunk = this.#positions.get(runId)?.chunk;
      this.#positions.set(runId, { chunk, index, version, growth });
      previousChunk?.runIds.delete(runId);
      if (previousChunk?.runIds.size === 0) replacedChunks.add(previousChunk);
    }
    if (replacedChunks.size > 0) this.#releaseAll([...replacedChunks]);
  }

  /**
   * Returns the request to read a run: only the iterations after its cached trace if this trace is still valid, else
   * all iterations.
   */
  #getTraceToRead({
    runId,
    version,
    rows,
    growth,
    isEnded,
    isResumed,
  }: RequestedTrace): TraceToRead {
    const lastIteration = growth?.newestIteration;
    const { growth: cachedGrowth, chunk, index = 0 } = this.#positions.get(runId) ?? {};
    const previousTrace = chunk?.traces[index];
    const isContinued = cachedGrowth !== undefined && cachedGrowth.lineage === growth?.lineage;
    if (!previousTrace || !isContinued || cachedGrowth.newestIteration > growth.newestIteration)
      return {
        runId,
        rows,
        lastIteration,
        isResumed,
        storedVersion: isEnded ? version : undefined,
      };
    const previousIteration = cachedGrowth.newestIteration;
    return { runId, previousIteration, lastIteration, previousTrace };
  }

  #store(chunk: Chunk, traces: readonly PackedTrace[]): void {
    chunk.traces = traces;
    // In the meantime, another request may have read all runs of the chunk again, or `clear` may have evicted the
    // chunk.
    if (!this.#chunks.has(chunk.number)) return;
    chunk.bytes = (traces[0]?.memory.byteLength ?? 0) + positionBytes * traces.length;
    this.#bytes += chunk.bytes;
    let excessBytes = this.#bytes - this.#maximumBytes;
    const evictedChunks: Chunk[] = [];
    for (const oldestChunk of this.#chunks.values()) {
      if (excessBytes <= 0) break;
      excessBytes -= oldestChunk.bytes;
      evictedChunks.push(oldestChunk);
    }
    if (evictedChunks.length > 0) this.#releaseAll(evictedChunks);
  }

  #releaseAll(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) {
      this.#chunks.delete(chunk.number);
      this.#bytes -= chunk.bytes;
      for (const runId of chunk.runIds) this.#positions.delete(runId);
    }
    this.onRelease(chunks.map(({ number }) => number));
  }
}

/** Divides the runs into chunks with similar numbers of rows. The threads then end at about the same time. */
function splitIntoChunks(runs: readonly RequestedTrace[]): RequestedTrace[][] {
  let rows = 0;
  const chunks = Map.groupBy(runs, (run) => {
    rows += run.rows;
    return Math.floor((rows - run.rows) / rowsPerChunk);
  });
  return [...chunks.values()];
}

/** Maximum number of runs whose traces one message requests. Such a message takes about 1 ms. */
const runsPerBatch = 500;

/** Number of batches that a thread requests at the same time: enough for all reading threads. */
const concurrentBatches = 4;

function splitIntoBatches(runs: readonly RequestedTrace[]): RequestedTrace[][] {
  const batches: RequestedTrace[][] = [];
  for (let start = 0; start < runs.length; start += runsPerBatch)
    batches.push(runs.slice(start, start + runsPerBatch));
  return batches;
}

/**
 * The traces of a {@link TraceStore} in another thread. Caches the positions of traces until the store releases their
 * chunks. Requests only traces whose current version has no cached position.
 */
export class ThreadTraces implements Traces {
  readonly #collect: (requestedTraces: readonly RequestedTrace[]) => Promise<SharedTrace[]>;
  readonly #reportUse: (chunks: readonly number[]) => void;
  readonly #positions = new Map<string, { version: string; trace: SharedTrace }>();

  /**
   * Creates an empty cache of positions. `collect` requests traces from the store; a trace without a cached chunk has
   * the chunk number 0. `reportUse` reports the chunks whose traces the thread used without a request; see {@link
   * TraceStore.touch}.
   */
  constructor(
    collect: (requestedTraces: readonly RequestedTrace[]) => Promise<SharedTrace[]>,
    reportUse: (chunks: readonly number[]) => void,
  ) {
    this.#collect = collect;
    this.#reportUse = reportUse;
  }

  async load(
    requestedTraces: readonly RequestedTrace[],
    direction: ObjectiveDirection,
  ): Promise<RunTrace[]> {
    const traces = requestedTraces.map(({ runId, version }) => {
      const position = this.#positions.get(runId);
      return position?.version === version ? position.trace : undefined;
    });
    const missingTraces = requestedTraces.filter((_run, index) => traces[index] === undefined);
    const usedChunks = new Set(traces.flatMap((trace) => trace?.chunkNumber ?? []));
    if (usedChunks.size > 0) this.#reportUse([...usedChunks]);
    const collectedTraces = await this.#collectInBatches(missingTraces);
    for (const [index, trace] of collectedTraces.entries()) {
      const { runId = '', version = '' } = missingTraces[index] ?? {};
      if (trace.chunkNumber > 0) this.#positions.set(runId, { version, trace });
    }
    let nextIndex = 0;
    return traces.map((sharedTrace) => {
      const trace = sharedTrace ?? collectedTraces[nextIndex++];
      if (!trace) throw new RangeError('The store has returned too few traces');
      return unpackTrace(trace, direction);
    });
  }

  /** Requests few runs at a time, because the thread of the store must respond to other requests in between. */
  async #collectInBatches(requestedTraces: readonly RequestedTrace[]): Promise<SharedTrace[]> {
    const tracesByBatch: SharedTrace[][] = [];
    const batches = splitIntoBatches(requestedTraces).entries();
    const collectBatches = async () => {
      for (const [index, batch] of batches) tracesByBatch[index] = await this.#collect(batch);
    };
    await Promise.all(Array.from({ length: concurrentBatches }, collectBatches));
    return tracesByBatch.flat();
  }

  /** Evicts the traces in these chunks, to release their memory. */
  release(chunks: readonly number[]): void {
    const releasedChunks = new Set(chunks);
    for (const [runId, { trace }] of this.#positions) {
      if (releasedChunks.has(trace.chunkNumber)) this.#positions.delete(runId);
    }
  }
}
