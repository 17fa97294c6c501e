/** Whether an answer was there already. */
export type CacheState = 'hit' | 'miss';

/** What is sent: text, or bytes of UTF-8. */
type Body = string | Uint8Array<ArrayBuffer>;

/** An answer, and where it came from. */
export interface CachedAnswer {
  body: Body;
  state: CacheState;
}

interface Entry {
  snapshot: string;
  body: Body;
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
  readonly #pending = new Map<string, Promise<Body>>();
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
    compute: () => Promise<Body>,
  ): Promise<CachedAnswer> {
    const known = this.#entries.get(question);
    if (known?.snapshot === snapshot) {
      this.#keep(question, known);
      return { body: known.body, state: 'hit' };
    }
    const key = `${snapshot}\n${question}`;
    const pending = this.#pending.get(key);
    if (pending) return { body: await pending, state: 'hit' };
    const computed = compute().finally(() => this.#pending.delete(key));
    this.#pending.set(key, computed);
    const body = await computed;
    this.#keep(question, { snapshot, body });
    return { body, state: 'miss' };
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

function sizeOf(question: string, { body, snapshot }: Entry): number {
  const bytes = typeof body === 'string' ? bytesPerCharacter * body.length : body.byteLength;
  return bytes + bytesPerCharacter * (question.length + snapshot.length);
}
