/** Whether an answer was there already. */
export type CacheState = 'hit' | 'miss';

/** An answer, and where it came from. */
export interface CachedAnswer {
  text: string;
  state: CacheState;
}

interface Entry {
  snapshot: string;
  text: string;
}

const bytesPerCharacter = 2;

/**
 * Keeps answers as long as the data are as they were: each is kept under its question with the snapshot of
 * the database that was current before it was computed, so that an answer is never older than its snapshot
 * says. The least recently used go first when all together are too large. A question that is being answered
 * for the same snapshot is not asked twice; errors are not kept.
 */
export class AnswerCache {
  readonly #maximumBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #pending = new Map<string, Promise<string>>();
  #bytes = 0;

  constructor(maximumBytes = 32 * 1_048_576) {
    this.#maximumBytes = maximumBytes;
  }

  /** How many bytes the kept answers take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer to a question about a snapshot, computed when it is not there. */
  async get(
    question: string,
    snapshot: string,
    compute: () => Promise<string>,
  ): Promise<CachedAnswer> {
    const known = this.#entries.get(question);
    if (known?.snapshot === snapshot) {
      this.#keep(question, known);
      return { text: known.text, state: 'hit' };
    }
    const key = `${snapshot}\n${question}`;
    const pending = this.#pending.get(key);
    if (pending) return { text: await pending, state: 'hit' };
    const computed = compute().finally(() => this.#pending.delete(key));
    this.#pending.set(key, computed);
    const text = await computed;
    this.#keep(question, { snapshot, text });
    return { text, state: 'miss' };
  }

  #keep(question: string, entry: Entry): void {
    this.#forget(question);
    this.#entries.set(question, entry);
    this.#bytes += sizeOf(question, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maximumBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(question: string): void {
    const entry = this.#entries.get(question);
    if (!entry) return;
    this.#entries.delete(question);
    this.#bytes -= sizeOf(question, entry);
  }
}

function sizeOf(question: string, { text, snapshot }: Entry): number {
  return bytesPerCharacter * (question.length + snapshot.length + text.length);
}
