import { createSignal } from 'solid-js';
import { readPreference, writePreference } from '#renderer/state/preferences.ts';

const [storedColumns, noteChange] = createSignal(undefined, { equals: false });

/** Returns the columns stored in this browser for the table with this name, as in the URL; null without any. Reactive. */
export function readStoredColumns(name: string): string | null {
  storedColumns();
  return readPreference(`columns.${name}`);
}

/** Stores the columns of the table with this name, as in the URL; null removes them. */
export function storeColumns(name: string, text: string | null): void {
  writePreference(`columns.${name}`, text);
  noteChange(undefined);
}
