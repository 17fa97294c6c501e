/** Index of the first of some rising values for which a condition holds that holds for all after it; their number when there is none. */
export function firstIndexWhere(
  rising: readonly number[],
  holds: (value: number) => boolean,
): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(rising[middle] ?? Number.NaN)) high = middle;
    else low = middle + 1;
  }
  return low;
}
