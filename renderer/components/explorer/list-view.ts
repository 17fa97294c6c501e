import { parseSort } from '#renderer/components/table/columns.ts';
import type { TableSort } from '#renderer/components/table/types.ts';
import { isWireTime } from './local-time.ts';
import type { Trials } from './trials.ts';

export const pageSizes = [10, 25, 50, 100] as const;
export const defaultPageSize = 25;

/** The search part of an address, as the router hands it out. */
export type UrlSearch = Partial<Record<string, string | string[]>>;

/** Which part of a list is shown, in which order. */
export interface ListPart {
  /** From 1. */
  page: number;
  size: number;
  sort: TableSort;
}

/** A text of the URL, trimmed; '' when absent or repeated. */
export function urlText(search: UrlSearch, name: string): string {
  const value = search[name];
  return (typeof value === 'string' ? value : '').trim();
}

/** A time of the URL that the service takes; '' for any other text. */
export function urlTime(search: UrlSearch, name: string): string {
  const text = urlText(search, name);
  return isWireTime(text) ? text : '';
}

/** How trials take part by the URL; left out unless it says otherwise. */
export function urlTrials(search: UrlSearch): Trials {
  const trials = urlText(search, 'trials');
  return trials === 'include' || trials === 'only' ? trials : 'exclude';
}

/**
 * Page, size and sort of the URL under names that begin with `urlKey`. What makes no sense (size 7, page −1,
 * a column that does not sort) is as if absent.
 */
export function urlPart(
  search: UrlSearch,
  urlKey: string,
  sortable: readonly string[],
  absent: { size: number; sort: TableSort },
): ListPart {
  const page = urlText(search, `${urlKey}page`);
  const size = pageSizes.find((known) => String(known) === urlText(search, `${urlKey}size`));
  return {
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
    size: size ?? absent.size,
    sort: parseSort(urlText(search, `${urlKey}sort`), sortable) ?? absent.sort,
  };
}

/** What to set in the URL to go to a page; the first needs no name. */
export function pageChange(urlKey: string, page: number): Record<string, number | undefined> {
  return { [`${urlKey}page`]: page === 1 ? undefined : page };
}

/** What to set in the URL to choose a page size, which begins at the first page again. */
export function sizeChange(
  urlKey: string,
  size: number,
  usualSize: number,
): Record<string, number | undefined> {
  return {
    [`${urlKey}size`]: size === usualSize ? undefined : size,
    [`${urlKey}page`]: undefined,
  };
}
