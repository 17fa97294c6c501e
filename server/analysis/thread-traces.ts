import type { RunTrace } from '#server/domain/trace.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { unpackTrace } from './packed-traces.ts';
import type { SharedTrace, Traces, WantedTrace } from './trace-store.ts';

/**
 * The traces of a {@link TraceStore} as another thread sees them. Remembers where they are until the store drops them, so
 * that only traces that are new to the thread are requested from the store.
 */
export class ThreadTraces implements Traces {
  readonly #collect: (wanted: readonly WantedTrace[]) => Promise<SharedTrace[]>;
  readonly #places = new Map<string, { version: string; trace: SharedTrace }>();
  #used = new Set<number>();

  /** `collect` requests traces from the store; a trace without a cached share has the number 0. */
  constructor(collect: (wanted: readonly WantedTrace[]) => Promise<SharedTrace[]>) {
    this.#collect = collect;
  }

  async load(wanted: readonly WantedTrace[], direction: ObjectiveDirection): Promise<RunTrace[]> {
    const traces = wanted.map(({ runId, version }) => {
      const place = this.#places.get(runId);
      return place?.version === version ? place.trace : undefined;
    });
    const missing = wanted.filter((_run, index) => traces[index] === undefined);
    const collected = missing.length > 0 ? await this.#collect(missing) : [];
    for (const [index, trace] of collected.entries()) {
      const { runId = '', version = '' } = missing[index] ?? {};
      if (trace.share > 0) this.#places.set(runId, { version, trace });
    }
    let next = 0;
    return traces.map((known) => {
      const trace = known ?? collected[next++];
      if (!trace) throw new RangeError('The store has returned too few traces');
      this.#used.add(trace.share);
      return unpackTrace(trace, direction);
    });
  }

  /** Releases the memory of these shares. */
  release(shares: readonly number[]): void {
    const released = new Set(shares);
    for (const [runId, { trace }] of this.#places) {
      if (released.has(trace.share)) this.#places.delete(runId);
    }
  }

  /** Returns the shares that were used since the last call. */
  takeUsed(): number[] {
    const used = [...this.#used];
    this.#used = new Set();
    return used;
  }
}
