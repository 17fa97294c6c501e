const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const integer = /^[+-]?\d+$/;

/** Whether a text is written as a decimal number (`5`, `-.5`, `1.`, `1e-3`), of any size; blanks around it make it none. */
export function isDecimal(text: string): boolean {
  return decimal.test(text);
}

/** Whether a text is written as a whole number in decimal digits, with or without a sign. */
export function isInteger(text: string): boolean {
  return integer.test(text);
}

/** Returns the finite number that a text is as a decimal, blanks around it ignored; undefined for any other text. */
export function parseDecimal(text: string): number | undefined {
  const value = Number(text);
  return isDecimal(text.trim()) && Number.isFinite(value) ? value : undefined;
}
