import { isDecimal } from './decimal.ts';

/**
 * Returns the text with a leading apostrophe if a spreadsheet would read it as a formula: it starts with `=`, `+`, `-`
 * or `@`, also in full width or after white space, or with a tab or a line end. Numbers stay unchanged.
 */
export function guardFormula(text: string): string {
  return startsFormula(text) && !isDecimal(text) ? `'${text}` : text;
}

function startsFormula(text: string): boolean {
  return /^[\s\0]*[=+\-@＝＋－＠]/.test(text) || /^[\t\r\n]/.test(text);
}
