/** Ranks of a sample and what its ties take away from the variance of a rank statistic. */
export interface Ranking {
  /** Rank of each value, in the order given; tied values share the mean of their ranks. */
  ranks: number[];
  /** Σ(t³ − t) over the groups of t tied values; 0 without ties. */
  tieSum: number;
}

/**
 * Mid-ranks of the values, 1 for the smallest. Equal infinities are ties; no values give no ranks.
 * Throws a RangeError when a value is NaN, which has no rank.
 */
export function rank(values: readonly number[]): Ranking {
  if (values.some(Number.isNaN)) throw new RangeError('NaN has no rank');
  const sorted = new Float64Array(values).sort();
  // The mid-rank of each run of equal values, at the place of its first one.
  const midRanks = new Float64Array(sorted.length);
  let tieSum = 0;
  for (let start = 0, end = 1; start < sorted.length; start = end, end += 1) {
    while (end < sorted.length && sorted[end] === sorted[start]) end += 1;
    midRanks[start] = (start + 1 + end) / 2;
    tieSum += (end - start) ** 3 - (end - start);
  }
  return { ranks: values.map((value) => midRanks[firstPlace(sorted, value)] ?? NaN), tieSum };
}

/** Place of the first of the ascending values that is not below the value. */
function firstPlace(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
