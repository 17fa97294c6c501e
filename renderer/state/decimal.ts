import { parseDecimal } from '#shared/syntax.ts';

/** Returns the error of a text that is no number; undefined for a number or an empty text. */
export function getDecimalError(text: string): string | undefined {
  const isFine = text.trim() === '' || parseDecimal(text) !== undefined;
  return isFine ? undefined : 'Enter a number, such as 0.5 or 1e-3.';
}

/** Returns whether two texts are equal or write the same number: "0.0" and "0". */
export function isSameDecimal(one: string, other: string): boolean {
  const number = parseDecimal(one);
  return one === other || (number !== undefined && number === parseDecimal(other));
}
