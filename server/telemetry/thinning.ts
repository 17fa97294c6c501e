/**
 * Indices of at most `most` of `count` things, evenly chosen, ascending, the first and the last always among
 * them; all of them where they are no more. `most` is at least 2.
 */
export function evenIndices(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index);
  return Array.from({ length: most }, (_, index) => Math.round((index * (count - 1)) / (most - 1)));
}

/** At most `most` of the things, chosen as {@link evenIndices} says. */
export function thinned<Item>(items: readonly Item[], most: number): Item[] {
  return evenIndices(items.length, most).flatMap((index) => items.slice(index, index + 1));
}
