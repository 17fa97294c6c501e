/**
 * Compares two names, with the numbers within them by value: "es-9" before "es-10". Everything else is in the order of its
 * UTF-16 units, so that the order depends on no language. Returns a negative number, 0 only for equal names, or a positive number.
 */
export function compareNaturally(a: string, b: string): number {
  let place = 0;
  while (place < a.length && a.charCodeAt(place) === b.charCodeAt(place)) place += 1;
  // The first difference may be inside of a number.
  let start = place;
  while (start > 0 && isDigit(a.charCodeAt(start - 1))) start -= 1;
  const [one, other] = [getDigits(a, start), getDigits(b, start)];
  if (one === '' || other === '') return compareTexts(a, b);
  return (
    compareNumbers(one, other) ||
    compareNaturally(a.slice(start + one.length), b.slice(start + other.length)) ||
    // "01" and "1"
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
  const [one, other] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return one.length - other.length || compareTexts(one, other);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
