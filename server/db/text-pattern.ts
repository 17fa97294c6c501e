/**
 * Returns whether the text contains only ASCII characters. LIKE and ILIKE, which ignore the case of ASCII letters, find
 * all spellings of such a text. Returns true for an empty text.
 */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/**
 * Escapes the wildcards and backslashes of a text for LIKE or ILIKE with `ESCAPE '\'`. Replaces U+0000 by U+FFFD, as in
 * all texts that the service sends to PostgreSQL, because SQLite would end the pattern at U+0000.
 */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&').replaceAll('\0', '\uFFFD');
}

/**
 * Returns the distinct spellings of each character of a text, in order: the character itself, then its lower case and
 * its upper case. Omits a case that is not a single character, such as the upper case of `ß`. Replaces U+0000 by
 * U+FFFD. Returns an empty list for an empty text.
 */
export function listSpellings(text: string): string[][] {
  return Array.from(text.replaceAll('\0', '\uFFFD'), (character) => {
    const cases = [character, character.toLowerCase(), character.toUpperCase()];
    return [...new Set(cases.filter((spelling) => Array.from(spelling).length === 1))];
  });
}
