/** Work that runs one after another for each key, at the same time for different keys. */
export class Turns {
  /** The end of the latest work for each key, until it ends. */
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work for the same key has ended, also if that failed. Settles like `work`. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const previousEnd = this.#ends.get(key) ?? Promise.resolve();
    const result = previousEnd.then(work);
    const end = Promise.allSettled([result]);
    this.#ends.set(key, end);
    try {
      return await result;
    } finally {
      if (this.#ends.get(key) === end) this.#ends.delete(key);
    }
  }
}
