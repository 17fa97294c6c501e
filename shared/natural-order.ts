/**
 * Compares two names. Compares unsigned numbers within the names by value: "es-9" is before "es-10", and "0.25" before
 * "0.5". Compares numbers with several points, such as versions, part by part: "1.9.0" is before "1.10.0". Compares all
 * other characters by their UTF-16 code units, so the order does not depend on the language. Returns a negative number,
 * 0 only for equal names, or a positive number.
 */
export function compareNaturally(a: string, b: string): number {
  const start = findDifference(a, b);
  const [tokensA, tokensB] = [getTokens(a.slice(start)), getTokens(b.slice(start))];
  for (const [index, tokenA] of tokensA.entries()) {
    const tokenB = tokensB[index];
    if (tokenB === undefined) return 1;
    const order =
      startsWithDigit(tokenA) && startsWithDigit(tokenB)
        ? compareNumbers(tokenA.split('.'), tokenB.split('.'))
        : compareTexts(tokenA, tokenB);
    if (order !== 0) return order;
  }
  // The beginning of a longer name comes first. The texts decide the order of "01" and "1", which have the same value.
  return tokensA.length - tokensB.length || compareTexts(a, b);
}

/**
 * Returns the index of the first difference, or of the first of the digits and points directly before the difference.
 */
function findDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a.charCodeAt(index) === b.charCodeAt(index)) index += 1;
  while (index > 0 && /[\d.]/.test(a.charAt(index - 1))) index -= 1;
  return index;
}

/** Splits a text into numbers, including the points within them, and single other characters. */
function getTokens(text: string): string[] {
  return text.match(/\d+(?:\.\d+)*|\D/g) ?? [];
}

function startsWithDigit(token: string): boolean {
  return /^\d/.test(token);
}

/**
 * Compares numbers by their parts, which points separate. In a number with two parts, the second part is a fraction. If
 * the first parts are equal, a number with at most two parts comes before one with more.
 */
function compareNumbers(a: readonly string[], b: readonly string[]): number {
  const [wholeA = '', fractionA = ''] = a;
  const [wholeB = '', fractionB = ''] = b;
  const [isDecimalA, isDecimalB] = [a.length <= 2, b.length <= 2];
  const order = compareIntegers(wholeA, wholeB) || Number(isDecimalB) - Number(isDecimalA);
  if (order !== 0) return order;
  if (isDecimalA) return compareTexts(removeFinalZeros(fractionA), removeFinalZeros(fractionB));
  for (const [index, part] of a.entries()) {
    const partOrder = compareIntegers(part, b[index] ?? '');
    if (partOrder !== 0) return partOrder;
  }
  return a.length - b.length;
}

/** Compares whole numbers of any length: without leading zeros, the longer one is larger. */
function compareIntegers(a: string, b: string): number {
  const [numberA, numberB] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return numberA.length - numberB.length || compareTexts(numberA, numberB);
}

function removeFinalZeros(fraction: string): string {
  return fraction.replace(/0+$/, '');
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
