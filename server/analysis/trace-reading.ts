import type { PackedTrace, Slab, TraceToRead } from './packed-traces.ts';
import type { WantedTrace } from './trace-store.ts';

/** A part of the runs to read, small enough that several threads finish at about the same time. */
export interface Share {
  number: number;
  runs: TraceToRead[];
}

/** The traces of runs in the order in which they were wanted: each begins at its offset in one of the memories. */
export interface CollectedTraces {
  memories: SharedArrayBuffer[];
  places: Int32Array;
  offsets: Float64Array;
}

/** The traces that were found, and the shares of those that have to be read. */
export class TraceReading {
  readonly #wanted: readonly WantedTrace[];
  readonly #found: (PackedTrace | undefined)[];
  readonly #shares: number[][] = [];
  readonly #toRead: TraceToRead[];
  readonly #open: number[];
  readonly #waiting: (() => void)[] = [];
  #unfinished: number;

  /** `state` holds for each wanted run its trace, or what to read of it. */
  constructor(
    wanted: readonly WantedTrace[],
    state: readonly (PackedTrace | TraceToRead)[],
    rowsPerShare: number,
  ) {
    this.#wanted = wanted;
    this.#found = state.map((one) => ('memory' in one ? one : undefined));
    this.#toRead = state.map((one) => ('memory' in one ? { runId: '' } : one));
    let rows = Infinity;
    for (const [index, trace] of this.#found.entries()) {
      if (trace) continue;
      if (rows >= rowsPerShare) {
        this.#shares.push([]);
        rows = 0;
      }
      this.#shares.at(-1)?.push(index);
      rows += wanted[index]?.rows ?? 0;
    }
    this.#open = [...this.#shares.keys()];
    this.#unfinished = this.#shares.length;
  }

  /** A share that nobody reads yet. */
  take(): Share | undefined {
    const number = this.#open.shift();
    if (number === undefined) return undefined;
    const runs = (this.#shares[number] ?? []).flatMap((index) => this.#toRead[index] ?? []);
    return { number, runs };
  }

  /** A share to read, as soon as there is one; the traces when all shares have been read. */
  async next(): Promise<Share | CollectedTraces> {
    while (this.#unfinished > 0) {
      const share = this.take();
      if (share) return share;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#collect();
  }

  /** Takes in what was read of a share; returns the runs of it. */
  deliver(number: number, slab: Slab): WantedTrace[] {
    const indices = this.#shares[number] ?? [];
    for (const [place, index] of indices.entries()) {
      this.#found[index] = { memory: slab.memory, offset: slab.offsets[place] ?? 0 };
    }
    this.#unfinished -= 1;
    this.#wake();
    return indices.flatMap((index) => this.#wanted[index] ?? []);
  }

  /** A share that could not be read is read by whoever asks next. */
  giveBack(number: number): void {
    this.#open.push(number);
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #collect(): CollectedTraces {
    const placeOf = new Map<SharedArrayBuffer, number>();
    const places = new Int32Array(this.#found.length);
    const offsets = new Float64Array(this.#found.length);
    for (const [index, trace] of this.#found.entries()) {
      if (!trace) continue;
      const place = placeOf.get(trace.memory) ?? placeOf.size;
      placeOf.set(trace.memory, place);
      places[index] = place;
      offsets[index] = trace.offset;
    }
    return { memories: [...placeOf.keys()], places, offsets };
  }
}
