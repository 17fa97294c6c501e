/** Returns the object in a JSON text; an empty object for null, malformed JSON and other values. */
export function parseObject(text: string | null): Record<string, unknown> {
  return toObject(parse(text));
}

/** Returns the value of a JSON text; undefined for null and malformed JSON. */
export function parse(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Returns the value if it is an object; an empty object for other values, including arrays. */
export function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Returns the value if it is an array; an empty array for other values. */
export function getList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value if it is a finite number; null for other values, including numbers as text. */
export function toFinite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/**
 * Returns the value if it is a finite or infinite number. Returns the infinite number for the texts `Infinity` and
 * `-Infinity`, and null for NaN and other values.
 */
export function toFiniteOrInfinite(value: unknown): number | null {
  const number = value === 'Infinity' || value === '-Infinity' ? Number(value) : value;
  return typeof number === 'number' && !Number.isNaN(number) ? number : null;
}

/** Returns the value if it is a safe integer of at least 0; null for other values. */
export function parseIndex(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

/** Returns the value if it is a text; an empty text for other values. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Returns the object or array after the key at the start of a text. The text may continue after the value
 * (`"modelDiagnostics":{…},"latent…`); the function does not parse this rest of a long JSON text. Undefined if the text
 * is null or does not start with a key, or if the value is of another kind, incomplete or malformed.
 */
export function readValueAfterKey(text: string | null): unknown {
  const start = /^"[^"]*"\s*:\s*(?=[[{])/.exec(text ?? '')?.[0].length;
  if (start === undefined) return undefined;
  const end = findEndOfValue(text ?? '', start);
  return end === null ? undefined : parse((text ?? '').slice(start, end));
}

/**
 * Returns the index after the object or array that starts at `start`; null if the value is incomplete. Ignores brackets
 * in strings.
 */
function findEndOfValue(text: string, start: number): number | null {
  const marks = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === '{' || mark[0] === '[') depth += 1;
    if (mark[0] === '}' || mark[0] === ']') depth -= 1;
    if (depth === 0) return marks.lastIndex;
  }
  return null;
}
