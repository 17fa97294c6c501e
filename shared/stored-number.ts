/**
 * Returns the finite number in a numeric field that may contain text. Null for null, text that is no number (also blank
 * text), and values that are not finite.
 */
export function numberIn(value: number | string | null | undefined): number | null {
  const isBlank = typeof value === 'string' && value.trim() === '';
  const number = isBlank ? NaN : Number(value ?? NaN);
  return Number.isFinite(number) ? number : null;
}
