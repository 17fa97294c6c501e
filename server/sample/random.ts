/** Reproducible stream of random numbers. */
export interface Random {
  /** Returns a number that is uniform in [0, 1), with 53 random bits. */
  drawUniform(): number;
  /** Returns an integer that is uniform in [0, bound). */
  drawBelow(bound: number): number;
  /** Returns a normally distributed number with mean 0 and standard deviation 1. */
  drawNormal(): number;
  /** Returns the items in random order, as a new array. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/**
 * Returns a stream that depends only on the seed, a signed integer of 64 bits. The generator is xoshiro128** with a
 * state from SplitMix64. Blackman and Vigna 2018.
 */
export function createRandom(seed: bigint): Random {
  const drawWord = createXoshiro(seed);
  const drawUniform = () => ((drawWord() >>> 5) * 0x4000000 + (drawWord() >>> 6)) / 2 ** 53;
  const drawBelow = (bound: number) => Math.floor(drawUniform() * bound);
  return {
    drawUniform,
    drawBelow,
    drawNormal: () => drawPolarNormal(drawUniform),
    shuffle: (items) => shuffleWith(items, drawBelow),
  };
}

function createXoshiro(seed: bigint): () => number {
  const [firstWord, secondWord] = splitMix(seed);
  let [a, b] = splitWord(firstWord);
  let [c, d] = splitWord(secondWord);
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const shiftedWord = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shiftedWord;
    d = rotate(d, 11);
    return result >>> 0;
  };
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function splitWord(word: bigint): [number, number] {
  return [Number(word & 0xffffffffn) | 0, Number(word >> 32n) | 0];
}

function splitMix(seed: bigint): [bigint, bigint] {
  const step = 0x9e3779b97f4a7c15n;
  return [mixWord(seed + step), mixWord(seed + 2n * step)];
}

function mixWord(value: bigint): bigint {
  let word = BigInt.asUintN(64, value);
  word = BigInt.asUintN(64, (word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n);
  word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn);
  return word ^ (word >> 31n);
}

function drawPolarNormal(drawUniform: () => number): number {
  for (;;) {
    const x = 2 * drawUniform() - 1;
    const y = 2 * drawUniform() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
  }
}

function shuffleWith<Item>(items: readonly Item[], drawBelow: (bound: number) => number): Item[] {
  const remainingItems = [...items];
  const shuffledItems: Item[] = [];
  while (remainingItems.length > 0)
    shuffledItems.push(...remainingItems.splice(drawBelow(remainingItems.length), 1));
  return shuffledItems;
}
