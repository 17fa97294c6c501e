import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RunRecord } from '#server/repositories/analysis.ts';

/** Intermediate values that several responses use. */
export interface Memo {
  /**
   * Returns the value for these facts from the cache, or computes and caches it. The caller must not change the value.
   * Rejects with the error of `compute`, and does not cache the error.
   */
  ensure<Value>(facts: readonly unknown[], compute: () => Promise<Value> | Value): Promise<Value>;
  /** Makes the response expire, because it can change without a change of the database. */
  markTimeDependent(): void;
}

/** The {@link Memo} of one request, which records whether the request computed a value or depends on the time. */
export interface RequestMemo extends Memo {
  /** Whether the request used values and computed none: each was in the cache, or another request computed it. */
  readonly isHit: boolean;
  readonly isTimeDependent: boolean;
}

/**
 * Cache of intermediate results of a thread. Evicts the least recently used results if the estimated size of all
 * results exceeds a maximum.
 */
export class MemoStore {
  readonly #values: LRUCache<string, { value: unknown }>;
  readonly #computations = new Map<string, Promise<unknown>>();

  /**
   * Creates an empty cache. `maximumBytes` must be a positive integer. The cache never contains a value whose estimated
   * size, together with its key, exceeds `maximumBytes`.
   */
  constructor(maximumBytes: number) {
    this.#values = new LRUCache({
      maxSize: maximumBytes,
      sizeCalculation: ({ value }, key) => estimateBytes(key) + estimateBytes(value),
    });
  }

  /** Estimated number of bytes of the cached values and their keys. */
  get bytes(): number {
    return this.#values.calculatedSize;
  }

  /** Deletes the cached values. Does not cache the values of computations that are pending now. */
  clear(): void {
    this.#values.clear();
    this.#computations.clear();
  }

  /** Returns the memo of a request. */
  createRequestMemo(): RequestMemo {
    let [usedCount, computedCount] = [0, 0];
    let isTimeDependent = false;
    return {
      ensure: (facts, compute) => {
        usedCount += 1;
        return this.#ensure(getKey(facts), () => {
          computedCount += 1;
          return compute();
        });
      },
      markTimeDependent: () => {
        isTimeDependent = true;
      },
      get isHit() {
        return usedCount > 0 && computedCount === 0;
      },
      get isTimeDependent() {
        return isTimeDependent;
      },
    };
  }

  #ensure<Value>(key: string, compute: () => Promise<Value> | Value): Promise<Value> {
    const cachedValue = this.#values.get(key);
    if (cachedValue) return Promise.resolve(cachedValue.value as Value);
    const computation = this.#computations.get(key) ?? this.#start(key, compute);
    return computation as Promise<Value>;
  }

  #start<Value>(key: string, compute: () => Promise<Value> | Value): Promise<Value> {
    const computation: Promise<Value> = Promise.resolve()
      .then(compute)
      .then((value) => {
        if (isCurrent()) this.#values.set(key, { value });
        return value;
      })
      .finally(() => isCurrent() && this.#computations.delete(key));
    // After `clear`, the key has no entry, or the entry of a later computation.
    const isCurrent = () => this.#computations.get(key) === computation;
    this.#computations.set(key, computation);
    return computation;
  }
}

/** Returns a short text that is equal only for equal facts, which must be JSON values. */
function getKey(facts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(facts), 'base64');
}

const headBytes = 40;
const memberBytes = 8;

/**
 * Returns the estimated number of bytes that a value of plain objects, arrays, strings and numbers needs in the heap.
 */
function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return headBytes + value.length;
  if (typeof value === 'number') return Number.isInteger(value) ? 0 : 2 * memberBytes;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = headBytes;
  for (const member of Object.values(value)) bytes += memberBytes + estimateBytes(member);
  return bytes;
}

/** Returns a key that is equal only for the same runs in the same state and order. */
export function getKeyOfRuns(runs: readonly RunRecord[]): string {
  const facts = runs.map(
    ({ runId, seed, runtimeMillis, version }) => `${runId},${seed},${runtimeMillis},${version}`,
  );
  return hash('sha256', facts.join('\n'), 'base64');
}
