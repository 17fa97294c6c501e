/** Rows per Page key. */
const pageRows = 10;

/**
 * Returns the index of the row that a key moves to from `index` among `count` rows, clamped, 0 without rows; null for a
 * key that does not move.
 */
export function moveRow(key: string, index: number, count: number): number | null {
  const target = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + pageRows,
    PageUp: index - pageRows,
    Home: 0,
    End: count - 1,
  }[key];
  return target === undefined ? null : Math.max(0, Math.min(target, count - 1));
}

/**
 * Returns whether an event comes from inside the element whose handler it is passed to. Solid also passes on the events
 * of a dialog that a cell opened, although it is elsewhere in the document.
 */
export function isFromInside({ currentTarget, target }: Event): boolean {
  return (currentTarget as Element).contains(target as Element);
}

/** Moves the focus to the last focused row of the page's first table; does nothing without rows. */
export function focusRows(): void {
  document.querySelector<HTMLElement>('.table tbody tr[tabindex="0"]')?.focus();
}
