/** Sum of the values; 0 for none. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Arithmetic mean; NaN for none. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Population standard deviation (divides by n); NaN for none. */
export function populationDeviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

/** Shannon entropy in bits of a distribution; impossible outcomes add nothing. */
export function entropyBits(probabilities: readonly number[]): number {
  return sum(probabilities.map((p) => (p > 0 ? -p * Math.log2(p) : 0)));
}

/** Entropy in bits of a coin that shows 1 with this probability. */
export function binaryEntropy(probability: number): number {
  return entropyBits([probability, 1 - probability]);
}

/** Euclidean distance of two vectors of the same length. */
export function euclideanDistance(a: readonly number[], b: readonly number[]): number {
  let squares = 0;
  a.forEach((value, index) => (squares += (value - (b[index] ?? NaN)) ** 2));
  return Math.sqrt(squares);
}

/** The element at an index that is known to exist; throws a RangeError if it does not. */
export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`No element ${index} among ${items.length}`);
  return item;
}

/** 0, 1, … count − 1. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** How often each value occurs, in order of first occurrence. */
export function countBy<Item>(items: readonly Item[]): Map<Item, number> {
  const counts = new Map<Item, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** The first pairs (0,1), (0,2), … of the items, at most `limit`, as the distance between their members. */
export function pairDistances<Item>(
  items: readonly Item[],
  distance: (a: Item, b: Item) => number,
  limit: number,
): number[] {
  const distances: number[] = [];
  for (let i = 0; i < items.length; i++) {
    for (let j = i + 1; j < items.length; j++) {
      if (distances.length === limit) return distances;
      distances.push(distance(at(items, i), at(items, j)));
    }
  }
  return distances;
}
