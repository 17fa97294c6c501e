import type { Page } from '#shared/schemas/common.ts';

/**
 * A page with its envelope. The total is counted only where the page itself does not tell it: a page that
 * is not full is the last one.
 */
export async function fetchPage<Item>(
  { page, size }: { page: number; size: number },
  list: () => Promise<Item[]>,
  count: () => Promise<number>,
): Promise<Page<Item>> {
  const items = await list();
  const isLast = items.length < size && (items.length > 0 || page === 0);
  const total = isLast ? page * size + items.length : await count();
  return { items, page, size, total, totalPages: Math.ceil(total / size) };
}
