/** Returns the results of `work` for batches of at most `size` items, one batch after the other, in order. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (batch: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: (readonly Result[])[] = [];
  for (let start = 0; start < items.length; start += size) {
    results.push(await work(items.slice(start, start + size)));
  }
  return results.flat();
}
