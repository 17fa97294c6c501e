import type { Part } from '#server/repositories/list.ts';
import type { Page } from '#shared/schemas/common.ts';

/**
 * A page with its envelope. The total is counted only where the page itself does not tell it: a page that
 * is not full is the last one. Of a part at an offset it is only how many rows there are at least.
 */
export async function fetchPage<Item>(
  part: Part,
  list: () => Promise<Item[]>,
  count: () => Promise<number>,
): Promise<Page<Item>> {
  const { page, size, offset } = part;
  const items = await list();
  if (offset !== undefined) {
    return { items, page, size, total: offset + items.length, totalPages: 0 };
  }
  const isLast = items.length < size && (items.length > 0 || page === 0);
  const total = isLast ? page * size + items.length : await count();
  return { items, page, size, total, totalPages: Math.ceil(total / size) };
}
