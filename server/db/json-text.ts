/**
 * Returns the integer after a key, from a text that starts with that key (`"populationSize": 40, …`); null if another
 * value follows or the text is null.
 */
export function integerAfterKey(text: string | null): number | null {
  const match = /^"[^"]*"\s*:\s*(-?\d{1,15})(?![\d.eE])/.exec(text ?? '');
  return match ? Number(match[1]) : null;
}

/**
 * Returns the number of elements of the array after a key, from a text that starts with that key and continues to the
 * end of its JSON object (`"adaptiveActions":[…]}`); null if it is no array, or the text is truncated, malformed or
 * null.
 */
export function arrayLengthAfterKey(text: string | null): number | null {
  const key = /^"([^"]*)"/.exec(text ?? '')?.[1];
  if (key === undefined) return null;
  try {
    const value = (JSON.parse(`{${text}`) as Record<string, unknown>)[key];
    return Array.isArray(value) ? value.length : null;
  } catch {
    return null;
  }
}
