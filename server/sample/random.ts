/** A reproducible stream of random numbers. */
export interface Random {
  /** Uniform in [0, 1), with 53 random bits. */
  uniform(): number;
  /** A whole number, uniform in [0, bound). */
  below(bound: number): number;
  /** Normal with mean 0 and standard deviation 1. */
  normal(): number;
  /** The items in random order, as a new array. */
  shuffled<Item>(items: readonly Item[]): Item[];
}

/**
 * A stream that depends on nothing but the seed, of which all 64 bits count (negative ones too).
 * Generator: xoshiro128** (Blackman and Vigna 2018), its state filled by SplitMix64.
 */
export function createRandom(seed: bigint): Random {
  const nextWord = createXoshiro(seed);
  const uniform = () => ((nextWord() >>> 5) * 0x4000000 + (nextWord() >>> 6)) / 2 ** 53;
  const below = (bound: number) => Math.floor(uniform() * bound);
  return {
    uniform,
    below,
    normal: () => polarNormal(uniform),
    shuffled: (items) => shuffle(items, below),
  };
}

function createXoshiro(seed: bigint): () => number {
  const [first, second] = splitMix(seed);
  let [a, b] = halves(first);
  let [c, d] = halves(second);
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result >>> 0;
  };
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function halves(word: bigint): [number, number] {
  return [Number(word & 0xffffffffn) | 0, Number(word >> 32n) | 0];
}

function splitMix(seed: bigint): [bigint, bigint] {
  const step = 0x9e3779b97f4a7c15n;
  return [mix(seed + step), mix(seed + 2n * step)];
}

function mix(value: bigint): bigint {
  let word = BigInt.asUintN(64, value);
  word = BigInt.asUintN(64, (word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n);
  word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn);
  return word ^ (word >> 31n);
}

function polarNormal(uniform: () => number): number {
  for (;;) {
    const x = 2 * uniform() - 1;
    const y = 2 * uniform() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
  }
}

function shuffle<Item>(items: readonly Item[], below: (bound: number) => number): Item[] {
  const rest = [...items];
  const drawn: Item[] = [];
  while (rest.length > 0) drawn.push(...rest.splice(below(rest.length), 1));
  return drawn;
}
