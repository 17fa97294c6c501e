import { formatCount } from '#shared/number-format.ts';

/**
 * Returns the page numbers to show: the first, the last, the current with its neighbours; null for a gap of more than
 * one page. All numbers up to seven pages.
 */
export function getPageNumbers(current: number, last: number): (number | null)[] {
  if (last <= 7) return Array.from({ length: last }, (_, index) => index + 1);
  const numbers = new Set([1, last, current - 1, current, current + 1]);
  if (current <= 3) [2, 3, 4].forEach((page) => numbers.add(page));
  if (current >= last - 2) [last - 3, last - 2, last - 1].forEach((page) => numbers.add(page));
  const pages = [...numbers].filter((page) => page >= 1 && page <= last).sort((a, b) => a - b);
  return pages.flatMap((page, index) => {
    const gap = page - (pages[index - 1] ?? page);
    if (gap === 2) return [page - 1, page];
    return gap > 2 ? [null, page] : [page];
  });
}

/** Returns the range of rows of a page: "26–50", "0" for an empty list. */
export function getShownRange(page: number, size: number, total: number): string {
  if (total === 0) return '0';
  const first = (page - 1) * size + 1;
  return `${formatCount(first)}–${formatCount(Math.min(page * size, total))}`;
}
