/**
 * Returns at most `most` of `count` indices, evenly chosen, ascending, with the first and the last; all of them if
 * there are no more. `most` is at least 2.
 */
export function chooseEvenIndices(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index);
  return Array.from({ length: most }, (_, index) => Math.round((index * (count - 1)) / (most - 1)));
}

/** Returns at most `most` of the items, chosen by {@link chooseEvenIndices}. */
export function thin<Item>(items: readonly Item[], most: number): Item[] {
  return chooseEvenIndices(items.length, most).flatMap((index) => items.slice(index, index + 1));
}
