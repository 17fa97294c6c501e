import type { PackedTrace, Slab, TraceToRead } from './packed-traces.ts';

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

type Kept = PackedTrace & Pick<WantedTrace, 'version' | 'growth'>;

/**
 * Keeps the traces of runs, which all threads see, until all together are too large: then those go that were
 * not asked for for the longest time. Traces that were read together go together.
 */
export class TraceStore {
  readonly #maximumBytes: number;
  readonly #traces = new Map<string, Kept>();
  /** The runs in each piece of memory, the one that was not asked for for the longest time first. */
  readonly #slabs = new Map<SharedArrayBuffer, string[]>();
  #bytes = 0;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  /** How many bytes the kept traces take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The trace of the run as it is now; else what to read of it. */
  find({ runId, version, growth }: WantedTrace): PackedTrace | TraceToRead {
    const kept = this.#traces.get(runId);
    if (kept?.version === version) {
      this.#touch(kept.memory);
      return { memory: kept.memory, offset: kept.offset };
    }
    const until = growth?.newestIteration;
    const hasGrown =
      growth !== undefined &&
      kept?.growth?.lineage === growth.lineage &&
      kept.growth.newestIteration <= growth.newestIteration;
    if (!hasGrown) return { runId, until };
    const earlier = { memory: kept.memory, offset: kept.offset };
    return { runId, until, after: kept.growth?.newestIteration, earlier };
  }

  /** Keeps what was read of these runs. */
  keep(runs: readonly WantedTrace[], { memory, offsets }: Slab): void {
    this.#slabs.set(
      memory,
      runs.map(({ runId }) => runId),
    );
    this.#bytes += memory.byteLength;
    for (const [index, { runId, version, growth }] of runs.entries()) {
      const replaced = this.#traces.get(runId)?.memory;
      this.#traces.set(runId, { memory, offset: offsets[index] ?? 0, version, growth });
      if (replaced) this.#dropIfUnused(replaced);
    }
    for (const oldest of this.#slabs.keys()) {
      if (this.#bytes <= this.#maximumBytes) break;
      this.#drop(oldest);
    }
  }

  #touch(memory: SharedArrayBuffer): void {
    const runIds = this.#slabs.get(memory);
    if (!runIds) return;
    this.#slabs.delete(memory);
    this.#slabs.set(memory, runIds);
  }

  #dropIfUnused(memory: SharedArrayBuffer): void {
    const runIds = this.#slabs.get(memory) ?? [];
    const isUsed = runIds.some((runId) => this.#traces.get(runId)?.memory === memory);
    if (!isUsed) this.#drop(memory);
  }

  #drop(memory: SharedArrayBuffer): void {
    for (const runId of this.#slabs.get(memory) ?? []) {
      if (this.#traces.get(runId)?.memory === memory) this.#traces.delete(runId);
    }
    if (this.#slabs.delete(memory)) this.#bytes -= memory.byteLength;
  }
}
