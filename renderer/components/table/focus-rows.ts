/** Gives the keyboard to the row of the page's first table that had it last; does nothing without rows. */
export function focusRows(): void {
  document.querySelector<HTMLElement>('.table tbody tr[tabindex="0"]')?.focus();
}
