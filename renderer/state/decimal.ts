const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Whether a text is written as a decimal number, of any size. */
export function isDecimal(text: string): boolean {
  return decimal.test(text);
}

/** The finite number that a text is, blanks around it ignored, as the service takes it; undefined otherwise. */
export function parseDecimal(text: string): number | undefined {
  const value = Number(text);
  return isDecimal(text.trim()) && Number.isFinite(value) ? value : undefined;
}

/** What is wrong with a text as a number; undefined when it is one or empty. */
export function decimalProblem(text: string): string | undefined {
  const isFine = text.trim() === '' || parseDecimal(text) !== undefined;
  return isFine ? undefined : 'Not a number, such as 0.5 or 1e-3';
}
