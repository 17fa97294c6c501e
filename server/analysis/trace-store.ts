import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { RunTrace } from '#server/domain/trace.ts';
import { unpackTrace, type PackedTrace, type TraceToRead } from './packed-traces.ts';

/** A run whose trace is requested, with what decides whether a trace that was read before is still valid. */
export interface WantedTrace {
  runId: string;
  /** Equal only where the iterations are. */
  version: string;
  /** About how many iterations it has. */
  rows: number;
  /** Of a run that only adds iterations: equal lineage means that the earlier ones are as they were. */
  growth?: { lineage: string; newestIteration: number } | undefined;
}

/** Source of the traces of runs as they are now. */
export interface Traces {
  /** Returns the traces in the order of the runs, in one direction; reads those that no thread has read yet. */
  load(wanted: readonly WantedTrace[], direction: ObjectiveDirection): Promise<RunTrace[]>;
}

/** A trace in the memory that all threads share. */
export interface SharedTrace extends PackedTrace {
  /** Number of the share of memory that holds it. */
  share: number;
}

/** Reads the traces of runs, in their order, into one piece of memory. */
export type ReadTraces = (runs: readonly TraceToRead[]) => Promise<PackedTrace[]>;

/** Traces that are read together, and evicted together. */
interface Share {
  number: number;
  reading: Promise<void>;
  /** Empty while they are read. */
  traces: readonly PackedTrace[];
  bytes: number;
  /** The runs whose newest trace is here. */
  runIds: Set<string>;
}

/** Where the newest trace of a run is. */
interface Place extends Pick<WantedTrace, 'version' | 'growth'> {
  share: Share;
  index: number;
}

/** Enough rows that handing a share over does not count, few enough for an even end: about 10 ms. */
const rowsPerShare = 50_000;

/**
 * Cache of the traces of runs in memory that all threads share. Evicts the least recently used above a number of bytes.
 * A missing trace is read once, however many threads request it.
 */
export class TraceStore implements Traces {
  /** Called with the numbers of shares that were evicted or replaced, so that other threads release them too. */
  onDrop: (shares: readonly number[]) => void = () => {};
  readonly #maximumBytes: number;
  readonly #read: ReadTraces;
  readonly #places = new Map<string, Place>();
  /** By number, the least recently used first. */
  readonly #shares = new Map<number, Share>();
  #lastShare = 0;
  #bytes = 0;

  constructor(maximumBytes: number, read: ReadTraces) {
    this.#maximumBytes = maximumBytes;
    this.#read = read;
  }

  /** How many bytes the cached traces take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the share with this number is cached. */
  has(share: number): boolean {
    return this.#shares.has(share);
  }

  /** Counts these shares as used now; numbers of evicted ones are ignored. */
  touch(shares: Iterable<number>): void {
    for (const number of shares) {
      const share = this.#shares.get(number);
      if (!share) continue;
      this.#shares.delete(number);
      this.#shares.set(number, share);
    }
  }

  /** Returns the traces of the runs as they are now, in their order. Rejects with the error of reading them. */
  async collect(wanted: readonly WantedTrace[]): Promise<SharedTrace[]> {
    const missing = wanted.filter(
      ({ runId, version }) => this.#places.get(runId)?.version !== version,
    );
    for (const runs of inShares(missing)) this.#add(runs);
    const places = wanted.flatMap(({ runId }) => this.#places.get(runId) ?? []);
    const shares = new Set(places.map(({ share }) => share));
    this.touch(Array.from(shares, ({ number }) => number));
    await Promise.all(Array.from(shares, ({ reading }) => reading));
    return places.flatMap(({ share, index }) => {
      const trace = share.traces[index];
      return trace ? { ...trace, share: share.number } : [];
    });
  }

  async load(wanted: readonly WantedTrace[], direction: ObjectiveDirection): Promise<RunTrace[]> {
    return (await this.collect(wanted)).map((trace) => unpackTrace(trace, direction));
  }

  clear(): void {
    this.#dropAll([...this.#shares.values()]);
  }

  #add(runs: readonly WantedTrace[]): void {
    const runIds = new Set(runs.map(({ runId }) => runId));
    const reading = this.#read(runs.map((run) => this.#missingOf(run))).then(
      (traces) => this.#keep(share, traces),
      (error: unknown) => {
        this.#dropAll([share]);
        throw error;
      },
    );
    const share: Share = { number: ++this.#lastShare, reading, traces: [], bytes: 0, runIds };
    this.#shares.set(share.number, share);
    const replaced = new Set<Share>();
    for (const [index, { runId, version, growth }] of runs.entries()) {
      const before = this.#places.get(runId)?.share;
      this.#places.set(runId, { share, index, version, growth });
      before?.runIds.delete(runId);
      if (before?.runIds.size === 0) replaced.add(before);
    }
    if (replaced.size > 0) this.#dropAll([...replaced]);
  }

  /** What of a run has to be read: what follows an earlier trace where that still holds, else all of it. */
  #missingOf({ runId, rows, growth }: WantedTrace): TraceToRead {
    const until = growth?.newestIteration;
    const { growth: grown, share, index = 0 } = this.#places.get(runId) ?? {};
    const earlier = share?.traces[index];
    const holds = grown !== undefined && grown.lineage === growth?.lineage;
    if (!earlier || !holds || grown.newestIteration > growth.newestIteration)
      return { runId, rows, until };
    return { runId, until, after: grown.newestIteration, earlier };
  }

  #keep(share: Share, traces: readonly PackedTrace[]): void {
    share.traces = traces;
    // All its runs may have been read again in the meantime.
    if (!this.#shares.has(share.number)) return;
    share.bytes = traces[0]?.memory.byteLength ?? 0;
    this.#bytes += share.bytes;
    let excess = this.#bytes - this.#maximumBytes;
    const evicted: Share[] = [];
    for (const oldest of this.#shares.values()) {
      if (excess <= 0) break;
      excess -= oldest.bytes;
      evicted.push(oldest);
    }
    if (evicted.length > 0) this.#dropAll(evicted);
  }

  #dropAll(shares: readonly Share[]): void {
    for (const share of shares) {
      this.#shares.delete(share.number);
      this.#bytes -= share.bytes;
      for (const runId of share.runIds) this.#places.delete(runId);
    }
    this.onDrop(shares.map(({ number }) => number));
  }
}

/** The runs in parts of about so many rows that several threads finish at about the same time. */
function inShares(runs: readonly WantedTrace[]): WantedTrace[][] {
  let rows = 0;
  const shares = Map.groupBy(runs, (run) => {
    rows += run.rows;
    return Math.floor((rows - run.rows) / rowsPerShare);
  });
  return [...shares.values()];
}
