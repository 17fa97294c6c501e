/** Numbers of subsets by their sum, as doubles. All sums and limits are relative to the smallest possible sum. */
export interface SubsetSums {
  /** Returns the number of subsets with a sum of at most `limit`. */
  countUpTo: (limit: number) => number;
  /** Returns the number of subsets with a sum of at least `limit`. */
  countFrom: (limit: number) => number;
  /** Maximum number of doubles in memory, reached after the first `countFrom`. */
  size: number;
}

/**
 * Prepares the counts of subsets of `subsetSize` scores by their sum. The scores are ascending integers. Counts the
 * subsets of the lower and of the upper half of the scores for each size and sum (Streitberg & Röhmel 1986). Each call
 * of the returned functions combines both halves. Uses only additions and products, so nothing cancels and small counts
 * stay accurate.
 */
export function prepareSubsetSums(integerScores: Int32Array, subsetSize: number): SubsetSums {
  const halfLength = Math.floor(integerScores.length / 2);
  const [lowerScores, upperScores] = [
    integerScores.subarray(0, halfLength),
    integerScores.subarray(halfLength),
  ];
  const lowerHalf = countSubsets(lowerScores, subsetSize);
  const upperHalf = countSubsets(upperScores, subsetSize);
  const parts: Part[] = [];
  let offset = 0;
  for (
    let a = Math.max(0, subsetSize - upperScores.length);
    a <= Math.min(halfLength, subsetSize);
    a += 1
  ) {
    parts.push({ a, b: subsetSize - a, offset });
    // One more score of the lower half replaces the last one of the upper half.
    offset += (lowerScores[a] ?? 0) - (upperScores[subsetSize - a - 1] ?? 0);
  }
  const minimumOffset = parts.at(-1)?.offset ?? 0;
  for (const part of parts) part.offset -= minimumOffset;
  const countsUpTo = { lowerHalf: cumulate(lowerHalf), upperHalf: cumulate(upperHalf) };
  let countsFrom: typeof countsUpTo | null = null;
  return {
    countUpTo: (limit) =>
      parts.reduce((count, part) => {
        const remainingSum = Math.floor(limit - part.offset);
        return (
          count +
          combineUpTo({ lowerHalf, upperHalf, cumulatedCounts: countsUpTo, ...part, remainingSum })
        );
      }, 0),
    countFrom: (limit) => {
      // Only groups of unequal sizes need these counts.
      const cumulatedCounts = (countsFrom ??= {
        lowerHalf: cumulateFrom(lowerHalf),
        upperHalf: cumulateFrom(upperHalf),
      });
      return parts.reduce((count, part) => {
        const remainingSum = Math.ceil(limit - part.offset);
        return (
          count + combineFrom({ lowerHalf, upperHalf, cumulatedCounts, ...part, remainingSum })
        );
      }, 0);
    },
    size: 3 * (lowerHalf.ways.length + upperHalf.ways.length),
  };
}

/**
 * Subsets of `a` scores of the lower half and `b` of the upper half. The smallest sum of the part is `offset` above the
 * smallest sum of all subsets.
 */
interface Part {
  a: number;
  b: number;
  offset: number;
}

/** Numbers of subsets, for each size and each sum. A sum is relative to the smallest sum of its size. */
interface SubsetCounts {
  /** Index of the first count of each size in `ways`, and the end of the last size. */
  starts: number[];
  /** Numbers of subsets by size, then by sum. */
  ways: Float64Array;
}

/** Returns the numbers of subsets of the ascending scores, for sizes up to `maximum`. */
function countSubsets(integerScores: Int32Array, maximum: number): SubsetCounts {
  const starts = [0, 1];
  let width = 1;
  for (let a = 1; a <= Math.min(integerScores.length, maximum); a += 1) {
    width += (integerScores[integerScores.length - a] ?? 0) - (integerScores[a - 1] ?? 0);
    starts.push((starts[a] ?? 0) + width);
  }
  const ways = new Float64Array(starts.at(-1) ?? 0);
  for (const start of starts.slice(0, -1)) ways[start] = 1;
  // A subset of a of the first a + b scores either omits the last score, or contains it as the largest one.
  for (let b = 1; b < integerScores.length; b += 1) {
    let top = 0;
    for (let a = 1; a < starts.length - 1 && a + b <= integerScores.length; a += 1) {
      const shift = (integerScores[a + b - 1] ?? 0) - (integerScores[a - 1] ?? 0);
      const start = starts[a] ?? 0;
      const distance = start - (starts[a - 1] ?? 0) + shift;
      top += shift;
      for (let index = start + shift; index <= start + top; index += 1) {
        ways[index] = (ways[index] ?? 0) + (ways[index - distance] ?? 0);
      }
    }
  }
  return { starts, ways };
}

/** Returns the numbers of subsets with a sum of at most each value, for each size. */
function cumulate({ starts, ways }: SubsetCounts): Float64Array {
  const counts = ways.slice();
  for (let a = 1; a < starts.length; a += 1) {
    const end = starts[a] ?? 0;
    let count = 0;
    for (let index = starts[a - 1] ?? 0; index < end; index += 1) {
      count += ways[index] ?? 0;
      counts[index] = count;
    }
  }
  return counts;
}

/** Returns the numbers of subsets with a sum of at least each value, for each size. */
function cumulateFrom({ starts, ways }: SubsetCounts): Float64Array {
  const counts = ways.slice();
  for (let a = 1; a < starts.length; a += 1) {
    const start = starts[a - 1] ?? 0;
    let count = 0;
    for (let index = (starts[a] ?? 0) - 1; index >= start; index -= 1) {
      count += ways[index] ?? 0;
      counts[index] = count;
    }
  }
  return counts;
}

/** A part of all subsets, and a limit of its sums: `remainingSum` above the smallest sum of the part. */
interface Tail extends Part {
  lowerHalf: SubsetCounts;
  upperHalf: SubsetCounts;
  cumulatedCounts: { lowerHalf: Float64Array; upperHalf: Float64Array };
  remainingSum: number;
}

/** Returns the number of subsets of a part with a sum of at most the limit. */
function combineUpTo({ lowerHalf, upperHalf, cumulatedCounts, a, b, remainingSum }: Tail): number {
  if (remainingSum < 0) return 0;
  const [lowerStart, lowerEnd] = [lowerHalf.starts[a] ?? 0, lowerHalf.starts[a + 1] ?? 0];
  const [upperStart, upperEnd] = [upperHalf.starts[b] ?? 0, upperHalf.starts[b + 1] ?? 0];
  const { ways } = lowerHalf;
  const upperCounts = cumulatedCounts.upperHalf;
  // Up to this index all sums of the upper half are small enough.
  const freeEnd = Math.min(lowerEnd - 1, lowerStart + remainingSum - (upperEnd - upperStart - 1));
  let count =
    freeEnd < lowerStart
      ? 0
      : (cumulatedCounts.lowerHalf[freeEnd] ?? 0) * (upperCounts[upperEnd - 1] ?? 0);
  const lastIndex = Math.min(lowerEnd - 1, lowerStart + remainingSum);
  const firstIndex = Math.max(lowerStart, freeEnd + 1);
  for (
    let index = firstIndex, otherIndex = upperStart + remainingSum - (firstIndex - lowerStart);
    index <= lastIndex;
    index += 1, otherIndex -= 1
  ) {
    count += (ways[index] ?? 0) * (upperCounts[otherIndex] ?? 0);
  }
  return count;
}

/** Returns the number of subsets of a part with a sum of at least the limit. */
function combineFrom({ lowerHalf, upperHalf, cumulatedCounts, a, b, remainingSum }: Tail): number {
  const [lowerStart, lowerEnd] = [lowerHalf.starts[a] ?? 0, lowerHalf.starts[a + 1] ?? 0];
  const [upperStart, upperEnd] = [upperHalf.starts[b] ?? 0, upperHalf.starts[b + 1] ?? 0];
  const { ways } = lowerHalf;
  const upperCounts = cumulatedCounts.upperHalf;
  // From this index on all sums of the upper half are large enough.
  const freeStart = Math.max(lowerStart, lowerStart + remainingSum);
  let count =
    freeStart >= lowerEnd
      ? 0
      : (cumulatedCounts.lowerHalf[freeStart] ?? 0) * (upperCounts[upperStart] ?? 0);
  const firstIndex = Math.max(lowerStart, lowerStart + remainingSum - (upperEnd - upperStart - 1));
  const lastIndex = Math.min(lowerEnd, freeStart) - 1;
  for (
    let index = firstIndex, otherIndex = upperStart + remainingSum - (firstIndex - lowerStart);
    index <= lastIndex;
    index += 1, otherIndex -= 1
  ) {
    count += (ways[index] ?? 0) * (upperCounts[otherIndex] ?? 0);
  }
  return count;
}

/**
 * Returns the largest integer that divides all distances between integer scores; 1 if all scores are equal, and without
 * scores.
 */
export function findCommonStep(scores: ArrayLike<number>): number {
  const findDivisor = (a: number, b: number): number => (b === 0 ? a : findDivisor(b, a % b));
  let step = 0;
  for (let index = 1; index < scores.length && step !== 1; index += 1) {
    step = findDivisor(step, Math.abs((scores[index] ?? 0) - (scores[0] ?? 0)));
  }
  return step || 1;
}
