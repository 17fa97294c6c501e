/** Returns the name of a key in shortcuts: `g`, `?`, `Escape`, `mod+k` (mod is Ctrl, or ⌘ on a Mac). */
export function getKeyName(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const modifier = event.ctrlKey || event.metaKey ? 'mod+' : '';
  return `${modifier}${event.altKey ? 'alt+' : ''}${key}`;
}

/**
 * Matches a key after the previous keys: returns the sequence it completes (`hit`), and the keys to remember while a
 * longer one is possible. A key that continues nothing may start another sequence.
 */
export function matchKey(
  pending: string,
  key: string,
  sequences: readonly string[],
): { hit: string | null; pending: string } {
  const continued = pending === '' ? key : `${pending} ${key}`;
  if (sequences.includes(continued)) return { hit: continued, pending: '' };
  if (sequences.some((sequence) => sequence.startsWith(`${continued} `))) {
    return { hit: null, pending: continued };
  }
  return pending === '' ? { hit: null, pending: '' } : matchKey('', key, sequences);
}
