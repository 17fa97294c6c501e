/**
 * Returns at most `maximum` of the indices below `count`, evenly spaced and ascending, including the first and the
 * last; all indices if `count` is at most `maximum`. `maximum` must be at least 2.
 */
export function chooseEvenIndices(count: number, maximum: number): number[] {
  if (count <= maximum) return Array.from({ length: count }, (_, index) => index);
  return Array.from({ length: maximum }, (_, index) =>
    Math.round((index * (count - 1)) / (maximum - 1)),
  );
}

/** Returns at most `maximum` of the items, in their order, chosen by {@link chooseEvenIndices}; empty without items. */
export function thin<Item>(items: readonly Item[], maximum: number): Item[] {
  return chooseEvenIndices(items.length, maximum).flatMap((index) => items.slice(index, index + 1));
}
