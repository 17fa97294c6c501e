/**
 * Returns whether the text contains only ASCII characters. LIKE and ILIKE, which ignore the case of ASCII letters, find
 * all spellings of such a text. Returns true for an empty text.
 */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/**
 * Returns the text for LIKE or ILIKE with `ESCAPE '\'`, with escaped wildcards and escape characters. U+0000, at which
 * SQLite would end the pattern, becomes U+FFFD, as in all texts that the service sends to PostgreSQL.
 */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&').replaceAll('\0', '\uFFFD');
}

/**
 * Returns the distinct spellings of each character of a text, in order: the character itself, then its lower and upper
 * case if they have one character (the upper case of `ß` has two). U+0000 becomes U+FFFD. Returns an empty list for an
 * empty text.
 */
export function listSpellings(text: string): string[][] {
  return Array.from(text.replaceAll('\0', '\uFFFD'), (character) => {
    const cases = [character, character.toLowerCase(), character.toUpperCase()];
    return [...new Set(cases.filter((spelling) => Array.from(spelling).length === 1))];
  });
}
