/**
 * Whether a spreadsheet would take a text for a formula: it begins with `=`, `+`, `-` or `@`, in full width too,
 * perhaps after white space, or with a tab or a line end.
 */
export function startsFormula(text: string): boolean {
  return /^[\s\0]*[=+\-@＝＋－＠]/.test(text) || /^[\t\r\n]/.test(text);
}
