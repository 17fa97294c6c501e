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
  const order = values.map((value, index) => ({ value, index }));
  order.sort((a, b) => (a.value < b.value ? -1 : Number(a.value > b.value)));
  const ranks: number[] = Array.from({ length: values.length });
  let tieSum = 0;
  for (let start = 0; start < order.length;) {
    const end = endOfTies(order, start);
    for (let place = start; place < end; place += 1) {
      ranks[order[place]?.index ?? 0] = (start + 1 + end) / 2;
    }
    tieSum += (end - start) ** 3 - (end - start);
    start = end;
  }
  return { ranks, tieSum };
}

function endOfTies(order: readonly { value: number }[], start: number): number {
  let end = start + 1;
  while (end < order.length && order[end]?.value === order[start]?.value) end += 1;
  return end;
}
