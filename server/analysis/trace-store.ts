import type { PackedTrace, TraceToRead } from './packed-traces.ts';

/** A run whose trace is wanted, with what tells whether a trace that was read before still holds. */
export interface WantedTrace {
  runId: string;
  /** Equal only where the iterations are. */
  version: string;
  /** About how many iterations it has. */
  rows: number;
  /** Of a run that only adds iterations: equal lineage means that the earlier ones are as they were. */
  growth?: { lineage: string; newestIteration: number } | undefined;
}

/** Reads the traces of runs, in their order, into one piece of memory. */
export type ReadTraces = (runs: readonly TraceToRead[]) => Promise<PackedTrace[]>;

/** Traces that are read together, and go together. */
interface Share {
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
 * Keeps the traces of runs, which all threads see, until all together are too large: then those go that were
 * not asked for for the longest time. Missing ones are read once, however many ask for them.
 */
export class TraceStore {
  readonly #maximumBytes: number;
  readonly #read: ReadTraces;
  readonly #places = new Map<string, Place>();
  /** The one that was not asked for for the longest time first. */
  readonly #shares = new Set<Share>();
  #bytes = 0;

  constructor(maximumBytes: number, read: ReadTraces) {
    this.#maximumBytes = maximumBytes;
    this.#read = read;
  }

  /** How many bytes the kept traces take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The traces of the runs as they are now, in their order. Rejects with what reading them throws. */
  async collect(wanted: readonly WantedTrace[]): Promise<PackedTrace[]> {
    const missing = wanted.filter(
      ({ runId, version }) => this.#places.get(runId)?.version !== version,
    );
    for (const runs of inShares(missing)) this.#add(runs);
    const places = wanted.flatMap(({ runId }) => this.#places.get(runId) ?? []);
    const shares = new Set(places.map(({ share }) => share));
    for (const share of shares) if (this.#shares.delete(share)) this.#shares.add(share);
    await Promise.all(Array.from(shares, ({ reading }) => reading));
    return places.flatMap(({ share, index }) => share.traces[index] ?? []);
  }

  clear(): void {
    for (const share of this.#shares) this.#drop(share);
  }

  #add(runs: readonly WantedTrace[]): void {
    const runIds = new Set(runs.map(({ runId }) => runId));
    const reading = this.#read(runs.map((run) => this.#missingOf(run))).then(
      (traces) => this.#keep(share, traces),
      (error: unknown) => {
        this.#drop(share);
        throw error;
      },
    );
    const share: Share = { reading, traces: [], bytes: 0, runIds };
    this.#shares.add(share);
    for (const [index, { runId, version, growth }] of runs.entries()) {
      const before = this.#places.get(runId)?.share;
      this.#places.set(runId, { share, index, version, growth });
      before?.runIds.delete(runId);
      if (before?.runIds.size === 0) this.#drop(before);
    }
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
    // All its runs may have been read anew meanwhile.
    if (!this.#shares.has(share)) return;
    share.bytes = traces[0]?.memory.byteLength ?? 0;
    this.#bytes += share.bytes;
    for (const oldest of this.#shares) {
      if (this.#bytes <= this.#maximumBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(share: Share): void {
    this.#shares.delete(share);
    this.#bytes -= share.bytes;
    for (const runId of share.runIds) this.#places.delete(runId);
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
