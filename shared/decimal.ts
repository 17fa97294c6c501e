const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const integer = /^[+-]?\d+$/;

/** Returns whether a text is a decimal number (`5`, `-.5`, `1.`, `1e-3`) of any size, without whitespace around it. */
export function isDecimal(text: string): boolean {
  return decimal.test(text);
}

/** Returns whether a text is an integer in decimal digits, with or without a sign. */
export function isInteger(text: string): boolean {
  return integer.test(text);
}

/**
 * Returns the finite number that a text contains as a decimal, ignoring whitespace around it; undefined for any other
 * text.
 */
export function parseDecimal(text: string): number | undefined {
  const value = Number(text);
  return isDecimal(text.trim()) && Number.isFinite(value) ? value : undefined;
}

/**
 * Returns the finite number in a numeric field that may contain text; null for null and undefined, for text that is not
 * a decimal (such as blank text), and for values that are not finite.
 */
export function readNumber(value: number | string | null | undefined): number | null {
  if (typeof value === 'string') return parseDecimal(value) ?? null;
  return Number.isFinite(value) ? (value ?? null) : null;
}
