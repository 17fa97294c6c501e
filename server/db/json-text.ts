/**
 * The integer that follows a key, from a text that begins with that key (`"populationSize": 40, …`); null
 * when something else follows or the text is null.
 */
export function integerAfterKey(text: string | null): number | null {
  const match = /^"[^"]*"\s*:\s*(-?\d{1,15})(?![\d.eE])/.exec(text ?? '');
  return match ? Number(match[1]) : null;
}

/**
 * How many elements the array has that follows a key, from a text that begins with that key and goes on to
 * the end of its JSON object (`"adaptiveActions":[…]}`); null when it is no array, the text was cut or is
 * malformed, or null.
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
