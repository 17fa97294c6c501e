import type { ListId, PageRequest } from '#server/repositories/list.ts';
import type { Page } from '#shared/schemas/common.ts';

/** A list that an endpoint sends in pages and as CSV. */
export interface List<Item> {
  /**
   * Returns the ids of one page, or of the whole list, in the order of the list. Throws the errors of the endpoint, for
   * example about a filter.
   */
  listIds: (pageRequest?: PageRequest) => Promise<ListId[]>;
  /** Returns the items with these ids, in this order, without deleted ones. */
  listItems: (ids: readonly ListId[]) => Promise<Item[]>;
  /** Returns the number of all items. */
  count: () => Promise<number>;
  /** Throws the error of the endpoint, such as RUN_NOT_FOUND, if the owner of an empty list does not exist. */
  requireOwner?: () => Promise<void>;
}

/**
 * Returns one page of a list, with the numbers of all items and pages. Counts the whole list only if the page does not
 * show the total. A page shows the total if it is not full, unless it is empty and not the first page. Throws the
 * errors of the list, including the error for a missing owner.
 */
export async function fetchPage<Item>(
  { page, size }: PageRequest,
  list: List<Item>,
): Promise<Page<Item>> {
  const ids = await list.listIds({ page, size });
  const isLast = ids.length < size && (ids.length > 0 || page === 0);
  // PostgreSQL counts while it reads the items.
  const [items, total] = await Promise.all([
    list.listItems(ids),
    isLast ? page * size + ids.length : list.count(),
  ]);
  if (total === 0) await list.requireOwner?.();
  return { items, page, size, total, totalPages: Math.ceil(total / size) };
}

/**
 * Returns the ids of a whole list, in its order. Throws the errors of the list, including the error for a missing
 * owner.
 */
export async function listAllIds({ listIds, requireOwner }: List<unknown>): Promise<ListId[]> {
  const ids = await listIds();
  if (ids.length === 0) await requireOwner?.();
  return ids;
}

/** Returns a function that computes its result on the first call and then returns the same result or error. */
export function computeOnce<Result>(compute: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => (result ??= compute());
}
