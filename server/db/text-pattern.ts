/** Whether ASCII folding finds every spelling of the text: it has no letters beyond ASCII. */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/**
 * The text for LIKE or ILIKE with `ESCAPE '\'`: wildcards and the escape character stand for themselves.
 * U+0000, at which SQLite would end the pattern, becomes U+FFFD, as in all text bound for PostgreSQL.
 */
export function likeLiteral(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&').replaceAll('\0', '\uFFFD');
}

/**
 * The spellings of each character of a text, itself first: its lower and upper case where those are one
 * character long (`ß` has no upper case of that kind).
 */
export function spellings(text: string): string[][] {
  return Array.from(text.replaceAll('\0', '\uFFFD'), (character) => {
    const cases = [character, character.toLowerCase(), character.toUpperCase()];
    return [...new Set(cases.filter((spelling) => Array.from(spelling).length === 1))];
  });
}
