import { isDecimal } from './decimal.ts';

/**
 * The text with an apostrophe before it where a spreadsheet would take it for a formula: where it begins with `=`,
 * `+`, `-` or `@`, in full width too, perhaps after white space, or with a tab or a line end. A number is none.
 */
export function guardFormula(text: string): string {
  return startsFormula(text) && !isDecimal(text) ? `'${text}` : text;
}

function startsFormula(text: string): boolean {
  return /^[\s\0]*[=+\-@＝＋－＠]/.test(text) || /^[\t\r\n]/.test(text);
}
