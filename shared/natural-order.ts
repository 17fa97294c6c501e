/**
 * Compares two names, with the numbers within them by value: "es-9" before "es-10". All other characters are in the
 * order of their UTF-16 code units, so the order does not depend on the language. Returns a negative number, 0 only for
 * equal names, or a positive number.
 */
export function compareNaturally(a: string, b: string): number {
  let position = 0;
  while (position < a.length && a.charCodeAt(position) === b.charCodeAt(position)) position += 1;
  // The first difference may be inside of a number.
  let start = position;
  while (start > 0 && isDigit(a.charCodeAt(start - 1))) start -= 1;
  const [digitsA, digitsB] = [getDigits(a, start), getDigits(b, start)];
  if (digitsA === '' || digitsB === '') return compareTexts(a, b);
  return (
    compareNumbers(digitsA, digitsB) ||
    compareNaturally(a.slice(start + digitsA.length), b.slice(start + digitsB.length)) ||
    // Orders "01" and "1", which have the same value.
    compareTexts(a, b)
  );
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function getDigits(text: string, start: number): string {
  let end = start;
  while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
  return text.slice(start, end);
}

/** Compares whole numbers of any length: without leading zeros, the longer one is larger. */
function compareNumbers(a: string, b: string): number {
  const [numberA, numberB] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return numberA.length - numberB.length || compareTexts(numberA, numberB);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
