/** The object in a JSON text; empty for null, malformed JSON and JSON that is no object. */
export function parseObject(text: string | null): Record<string, unknown> {
  return objectOf(parse(text));
}

/** The value in a JSON text; undefined for null and malformed JSON. */
export function parse(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** The value as an object with unknown members; empty for all that is none, arrays included. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** The elements of an array; none of anything else. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The finite number; null for everything else, texts of numbers and of NaN included. */
export function finiteOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The integer that counts something from 0; null for everything else. */
export function indexOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

/** The text; empty for everything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * The object or array that follows a key, from a text that begins with that key and goes on with anything
 * (`"modelDiagnostics":{…},"latent…`): one value of a long JSON text without the rest of it. Undefined when
 * something else follows, the value is not closed, or the text is null.
 */
export function valueAfterKey(text: string | null): unknown {
  const start = /^"[^"]*"\s*:\s*(?=[[{])/.exec(text ?? '')?.[0].length;
  if (start === undefined) return undefined;
  const end = endOfValue(text ?? '', start);
  return end === null ? undefined : parse((text ?? '').slice(start, end));
}

/** Where the object or array that begins at `start` ends; null when it does not. Brackets in strings do not count. */
function endOfValue(text: string, start: number): number | null {
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
