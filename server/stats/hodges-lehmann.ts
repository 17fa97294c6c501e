import { sortAscending, quantileOfSorted } from './descriptive.ts';

/**
 * Hodges and Lehmann's estimate of the shift between two samples: the median of all differences a − b.
 * Equal infinities differ by 0. Infinite where the middle is; null for an empty sample, and where the two
 * middle differences are opposite infinities. Hodges & Lehmann 1963.
 */
export function hodgesLehmann(
  sampleA: readonly number[],
  sampleB: readonly number[],
): number | null {
  const [a, b] = [sortAscending(sampleA), sortAscending(sampleB)];
  const pairs = a.length * b.length;
  if (pairs === 0) return null;
  const lower = nthDifference(a, b, Math.ceil(pairs / 2));
  const upper = pairs % 2 === 1 ? lower : nthDifference(a, b, pairs / 2 + 1);
  return quantileOfSorted([lower, upper], 0.5);
}

/** How the differences lie about a limit. */
interface Split {
  /** Number of those up to the limit. */
  count: number;
  /** The largest of them. */
  below: number;
  /** The smallest of the others. */
  above: number;
}

// Both samples ascend, so that the differences of one a form a falling row: a limit is a staircase through all
// of them, and none has to be stored. Either end of the search always is a difference.
function nthDifference(a: readonly number[], b: readonly number[], nth: number): number {
  let low = difference(a[0], b.at(-1));
  let high = difference(a.at(-1), b[0]);
  while (low < high) {
    const { count, below, above } = splitDifferences(a, b, middleOf(low, high));
    if (count >= nth) high = below;
    else low = above;
  }
  return low;
}

function splitDifferences(a: readonly number[], b: readonly number[], limit: number): Split {
  const split: Split = { count: 0, below: -Infinity, above: Infinity };
  let first = 0;
  for (const value of a) {
    while (first < b.length && difference(value, b[first]) > limit) first += 1;
    split.count += b.length - first;
    if (first < b.length) split.below = Math.max(split.below, difference(value, b[first]));
    if (first > 0) split.above = Math.min(split.above, difference(value, b[first - 1]));
  }
  return split;
}

function difference(a = NaN, b = NaN): number {
  return a === b ? 0 : a - b;
}

/** A number from `low` on and below `high`, about half-way between their finite parts. */
function middleOf(low: number, high: number): number {
  const finite = (value: number) => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
  const middle = finite(low) / 2 + finite(high) / 2;
  return middle < high ? middle : low;
}
