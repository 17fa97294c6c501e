import { createSignal } from 'solid-js';

const prefix = 'evoscope.';

const [changes, noteChange] = createSignal(undefined, { equals: false });

/**
 * Reads a preference stored in this browser; null when it was never set or storage is denied. Reactive to changes of
 * any preference by this page.
 */
export function readPreference(name: string): string | null {
  changes();
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

/** Stores a preference in this browser, null removes it; does nothing where storage is denied. */
export function writePreference(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // The page works without storage.
  }
  noteChange(undefined);
}
