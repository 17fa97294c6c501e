/** Returns the next uniform number in [0, 1), with 32 random bits. */
export type UniformRandom = () => number;

/**
 * Returns a generator of uniform numbers that depend only on the text, which may be empty. The generator is Mulberry32
 * (Ettinger 2017). Its seed is the 32-bit FNV-1a hash of the UTF-16 code units of the text. Resampling uses this
 * generator, because the same data must give the same interval and p-value.
 */
export function createSeededRandom(text: string): UniformRandom {
  let state = hashFnv1a(text);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

function hashFnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
