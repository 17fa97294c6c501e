/** Queues of tasks by key. Tasks of one key run one after another. Tasks of different keys run at the same time. */
export class TaskQueues {
  /** Promise of the end of the last task, by key; keys without a task are missing. */
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Runs `task` after all earlier tasks of the same key have ended, even if they failed. Settles like `task`. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const previousEnd = this.#ends.get(key) ?? Promise.resolve();
    const result = previousEnd.then(task);
    const end = Promise.allSettled([result]);
    this.#ends.set(key, end);
    try {
      return await result;
    } finally {
      if (this.#ends.get(key) === end) this.#ends.delete(key);
    }
  }
}
