/**
 * Moves the focus to a field of a dialog once the dialog, which at its opening takes the focus to its first
 * button, has done so; also right for a field that comes later.
 */
export function focusSoon(field: HTMLElement): void {
  setTimeout(() => field.focus());
}
