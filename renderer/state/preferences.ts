const prefix = 'evoscope.';

/** Reads a preference stored in this browser; null when it was never set or storage is denied. */
export function readPreference(name: string): string | null {
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
}
