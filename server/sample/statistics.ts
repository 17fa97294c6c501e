/** Returns the sum of the values; 0 for no values. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns the arithmetic mean; NaN for no values. */
export function computeMean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Returns the population standard deviation, which divides by n; NaN for no values. */
export function computeDeviation(values: readonly number[]): number {
  const mean = computeMean(values);
  return Math.sqrt(computeMean(values.map((value) => (value - mean) ** 2)));
}

/** Returns the Shannon entropy in bits of a distribution. Outcomes of probability 0 add 0; no outcomes give 0. */
export function computeEntropyBits(probabilities: readonly number[]): number {
  return sum(probabilities.map((p) => (p > 0 ? -p * Math.log2(p) : 0)));
}

/** Returns the entropy in bits of a binary variable that is 1 with this probability. */
export function computeBinaryEntropy(probability: number): number {
  return computeEntropyBits([probability, 1 - probability]);
}

/** Returns the Euclidean distance between two vectors of the same length; 0 for empty vectors. */
export function measureEuclideanDistance(a: readonly number[], b: readonly number[]): number {
  let squares = 0;
  a.forEach((value, index) => (squares += (value - (b[index] ?? NaN)) ** 2));
  return Math.sqrt(squares);
}

/** Returns the element at an index. Throws a RangeError if there is none. */
export function getAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`No element ${index} among ${items.length}`);
  return item;
}

/** Returns the integers 0, 1, …, count − 1. */
export function listIndices(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Returns the number of occurrences of each value, in order of first occurrence. */
export function countBy<Item>(items: readonly Item[]): Map<Item, number> {
  const counts = new Map<Item, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/**
 * Returns the distances of the first `limit` pairs of items, in the order (0,1), (0,2), …; empty for at most 1 item.
 */
export function measurePairDistances<Item>(
  items: readonly Item[],
  measureDistance: (a: Item, b: Item) => number,
  limit: number,
): number[] {
  const distances: number[] = [];
  for (let i = 0; i < items.length; i++) {
    for (let j = i + 1; j < items.length; j++) {
      if (distances.length === limit) return distances;
      distances.push(measureDistance(getAt(items, i), getAt(items, j)));
    }
  }
  return distances;
}
