/**
 * The x in [low, high] at which a falling function passes `value`, to the last bits of x. `high` itself
 * where the function stays above `value`, `low` where it stays below.
 */
export function bisectDecreasing(
  falling: (x: number) => number,
  value: number,
  low: number,
  high: number,
): number {
  let [below, above] = [low, high];
  for (;;) {
    const middle = below + (above - below) / 2;
    if (middle === below || middle === above) return middle;
    if (falling(middle) > value) below = middle;
    else above = middle;
  }
}
