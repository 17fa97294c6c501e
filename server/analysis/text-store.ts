const bytesPerCharacter = 2;

/** Fewest texts that are kept, however large: an answer is made of so many at most. */
const fewest = 4;

/** Keeps texts under keys; the least recently used go first when all together are too large. */
export class TextStore {
  readonly #maximumBytes: number;
  readonly #texts = new Map<string, string>();
  #bytes = 0;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  /** How many bytes the kept texts take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The text under a key; null when there is none (any more). */
  find(key: string): string | null {
    const text = this.#texts.get(key);
    if (text === undefined) return null;
    this.#texts.delete(key);
    this.#texts.set(key, text);
    return text;
  }

  /** Keeps a text, in place of the one under the same key. */
  keep(key: string, text: string): void {
    this.#forget(key);
    this.#texts.set(key, text);
    this.#bytes += sizeOf(key, text);
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= this.#maximumBytes || this.#texts.size <= fewest) break;
      this.#forget(oldest);
    }
  }

  /** The text under a key, made of it where there is none. */
  ensure(key: string, make: (key: string) => string): string {
    const known = this.find(key);
    if (known !== null) return known;
    const made = make(key);
    this.keep(key, made);
    return made;
  }

  clear(): void {
    this.#texts.clear();
    this.#bytes = 0;
  }

  #forget(key: string): void {
    const text = this.#texts.get(key);
    if (text === undefined) return;
    this.#texts.delete(key);
    this.#bytes -= sizeOf(key, text);
  }
}

function sizeOf(key: string, text: string): number {
  return bytesPerCharacter * (key.length + text.length);
}
