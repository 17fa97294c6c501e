import { parseDecimal } from '#shared/decimal.ts';

/** Returns what is wrong with a text as a number; undefined for a number or an empty text. */
export function getDecimalProblem(text: string): string | undefined {
  const isFine = text.trim() === '' || parseDecimal(text) !== undefined;
  return isFine ? undefined : 'Not a number, such as 0.5 or 1e-3';
}
