/**
 * The finite number in a field of numbers, where a database may hold text: digits are read. Null for nothing, for text
 * that is no number, an empty or blank one too, and for what is not finite.
 */
export function numberIn(value: number | string | null | undefined): number | null {
  const isBlank = typeof value === 'string' && value.trim() === '';
  const number = isBlank ? NaN : Number(value ?? NaN);
  return Number.isFinite(number) ? number : null;
}
