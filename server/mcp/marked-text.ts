/*
 * Texts of the database in results of tools. An assistant reads a result as one text, so a stored name could pretend to
 * be an instruction of the user or of this service. Every stored text is therefore between the marks « and ». These
 * marks occur nowhere else in a result, except in the warning. The functions here also escape invisible characters.
 */

/**
 * Maximum sizes in bytes of a result, without `…`. Sizes of texts exclude the marks around them, and sizes of sentences
 * include the marks in them. The maximum of ids is high, because clients send ids back as arguments.
 */
export const textBytes = { id: 500, name: 200, short: 80, message: 400, sentence: 700 };

/**
 * Control, format and private-use characters, and separators of lines and paragraphs. JSON escapes only some of them.
 */
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;

/** Returns a value as JSON. Also escapes all {@link invisibleCharacters}. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(invisibleCharacters, (character) =>
    character.split('').map(escapeUnit).join(''),
  );
}

function escapeUnit(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns the size of a value in a result, in bytes. */
export function countBytes(value: unknown): number {
  return Buffer.byteLength(writeJson(value));
}

/** Returns the size of a character within a text of a result, in bytes. */
function countCharacterBytes(character: string): number {
  if (/^[ !#-[\]-~]$/.test(character)) return 1;
  const isEscaped = /^[\p{C}\p{Zl}\p{Zp}"\\]$/u.test(character);
  return isEscaped ? countBytes(character) - 2 : Buffer.byteLength(character);
}

/**
 * Returns a stored text between marks. If the text has more than `maximumBytes` in a result, truncates it and appends
 * `…`. Marks within the text become ‹ and ›.
 */
export function markText(text: string, maximumBytes: number = textBytes.name): string {
  return `«${truncate(replaceMarks(text), maximumBytes)}»`;
}

/** Returns a stored text between marks, see {@link markText}; null for null and undefined. */
export function markOptional(
  text: string | null | undefined,
  maximumBytes?: number,
): string | null {
  return text === null || text === undefined ? null : markText(text, maximumBytes);
}

/**
 * Splits a text into parts between marks, after lines if possible. Returns no part for an empty text. Each part has at
 * most `maximumBytes` in a result, without its marks. Marks within the text become ‹ and ›.
 */
export function markParts(text: string, maximumBytes: number): string[] {
  const parts: string[] = [];
  let bytes = 0;
  let part = '';
  const add = (piece: string, size: number) => {
    if (bytes + size > maximumBytes && part !== '') {
      parts.push(`«${part}»`);
      [part, bytes] = ['', 0];
    }
    part += piece;
    bytes += size;
  };
  for (const line of replaceMarks(text).split(/(?<=\n)/)) {
    const size = countBytes(line) - 2;
    if (size <= maximumBytes) add(line, size);
    else for (const character of line) add(character, countCharacterBytes(character));
  }
  return part === '' ? parts : [...parts, `«${part}»`];
}

/** Returns a text without the marks around it, because clients copy values of results with or without marks. */
export function removeMarks(text: string): string {
  return /^«.*»$/s.test(text) ? text.slice(1, -1) : text;
}

function replaceMarks(text: string): string {
  return text.replaceAll('«', '‹').replaceAll('»', '›');
}

function truncate(text: string, maximumBytes: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += countCharacterBytes(character);
    if (bytes > maximumBytes) return `${text.slice(0, length)}…`;
    length += character.length;
  }
  return text;
}

/**
 * Returns a sentence of this service with marks around the text after the first colon and space. This text must contain
 * all stored names of the sentence. The function truncates this text.
 */
export function markListedNames(sentence: string): string {
  const [introduction = '', ...names] = sentence.split(': ');
  return `${replaceMarks(introduction)}: ${markText(names.join(': '), textBytes.message)}`;
}

/** Marks the stored names within a sentence of this service. */
export type MarkSentence = (sentence: string) => string;

/**
 * Returns a function that marks these names within sentences, and replaces other marks. The function matches only whole
 * words, and longer names before shorter ones. It truncates long names and sentences. It ignores null, undefined and
 * blank names.
 */
export function createSentenceMarker(
  names: Iterable<string | null | undefined> = [],
): MarkSentence {
  const alternatives = [...new Set(names)]
    .filter((name) => typeof name === 'string' && name.trim() !== '')
    .map(String)
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  const wordCharacter = String.raw`[\p{L}\p{N}_]`;
  const pattern = new RegExp(
    `(?<!${wordCharacter})(?:${alternatives.join('|')})(?!${wordCharacter})`,
    'gu',
  );
  return (sentence) => {
    let end = 0;
    let result = '';
    for (const { 0: name, index } of alternatives.length > 0 ? sentence.matchAll(pattern) : []) {
      result += replaceMarks(sentence.slice(end, index)) + markText(name, textBytes.short);
      end = index + name.length;
    }
    const text = truncate(result + replaceMarks(sentence.slice(end)), textBytes.sentence);
    return text.lastIndexOf('«') > text.lastIndexOf('»') ? `${text}»` : text;
  };
}
