/** Replacements of characters that LaTeX reads as commands, or that some font encodings or engines lack. */
const replacements = new Map<string, string>([
  ['\\', '\\textbackslash{}'],
  ['{', '\\{'],
  ['}', '\\}'],
  ['$', '\\$'],
  ['&', '\\&'],
  ['#', '\\#'],
  ['%', '\\%'],
  ['_', '\\_'],
  ['~', '\\textasciitilde{}'],
  ['^', '\\textasciicircum{}'],
  ['<', '\\textless{}'],
  ['>', '\\textgreater{}'],
  ['|', '\\textbar{}'],
  ['"', '{\\char34}'],
  ['`', '{\\char96}'],
  ['\u2009', '\\,'],
  ['\u00a0', '~'],
  ['–', '--'],
  ['—', '---'],
  ['−', '$-$'],
  ['…', '\\ldots{}'],
  ['‘', '{\\textquoteleft}'],
  ['’', '{\\textquoteright}'],
  ['“', '{\\textquotedblleft}'],
  ['”', '{\\textquotedblright}'],
  ['∞', '$\\infty$'],
  ['×', '$\\times$'],
  ['·', '$\\cdot$'],
  ['±', '$\\pm$'],
  ['≤', '$\\leq$'],
  ['≥', '$\\geq$'],
  ['≠', '$\\neq$'],
  ['°', '$^\\circ$'],
  ['†', '{\\textdagger}'],
  ['α', '$\\alpha$'],
  ['β', '$\\beta$'],
  ['γ', '$\\gamma$'],
  ['δ', '$\\delta$'],
  ['ε', '$\\varepsilon$'],
  ['λ', '$\\lambda$'],
  ['µ', '$\\mu$'],
  ['μ', '$\\mu$'],
  ['ρ', '$\\rho$'],
  ['σ', '$\\sigma$'],
  ['τ', '$\\tau$'],
  ['χ', '$\\chi$'],
  ['²', '$^2$'],
  ['³', '$^3$'],
  ['ß', '{\\ss}'],
  ['æ', '{\\ae}'],
  ['Æ', '{\\AE}'],
  ['œ', '{\\oe}'],
  ['Œ', '{\\OE}'],
  ['ø', '{\\o}'],
  ['Ø', '{\\O}'],
  ['ł', '{\\l}'],
  ['Ł', '{\\L}'],
]);

/** Commands for accents, by the combining character that the decomposition of a letter (NFD) contains. */
const accents = new Map<string, string>([
  ['\u0300', '`'],
  ['\u0301', "'"],
  ['\u0302', '^'],
  ['\u0303', '~'],
  ['\u0304', '='],
  ['\u0306', 'u'],
  ['\u0307', '.'],
  ['\u0308', '"'],
  ['\u030a', 'r'],
  ['\u030b', 'H'],
  ['\u030c', 'v'],
  ['\u0327', 'c'],
]);

/** Length in printed characters above which a word may break, because long ids must stay within the page. */
const maximumUnbrokenLength = 24;
/** Minimum number of printed characters between two breaks of a word. */
const chunkLength = 8;

/**
 * Returns plain text as LaTeX source that compiles with any engine and encoding. Escapes every special character, and
 * converts each sequence of line breaks and control characters to a space. Converts printed numbers with a negative
 * power of ten ("1.2e−9") to formulas, accented letters to accent commands, and characters outside ASCII that have no
 * command to their code point ("[U+4E2D]"). Words of more than 24 printed characters may break.
 */
export function escapeLatex(text: string): string {
  return splitIntoPieces(text)
    .map((piece, index) => (isNumber(piece, index) ? formatLatexNumber(piece) : escapeWord(piece)))
    .join('');
}

/**
 * Splits a text. The pieces at even indexes are words, which may be empty. The pieces at odd indexes are spaces, or
 * printed numbers with a negative power of ten. Converts each sequence of line breaks and control characters to a
 * space.
 */
function splitIntoPieces(text: string): string[] {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').split(/( |\d(?:\.\d+)?e−\d+)/);
}

function isNumber(piece: string, index: number): boolean {
  return index % 2 === 1 && piece !== ' ';
}

/**
 * Returns the parts of the printed text between which LaTeX may break a line. Breaks are after spaces and hyphens, and
 * where {@link escapeLatex} allows them. Code points replace characters as in {@link escapeLatex}. A space belongs to
 * the part before it.
 */
export function splitAtBreaks(text: string): string[] {
  return splitIntoPieces(text)
    .map((piece, index) => (isNumber(piece, index) ? piece : printWord(piece)))
    .join('')
    .split(breakPattern);
}

/** Mark where a long word may break. No piece of a text contains this control character. */
const breakMark = '\0';
const breakPattern = /\0|(?<=[- ])(?!\0)/;

function printWord(word: string): string {
  return splitIntoChunks(getCharacters(word))
    .map((chunk) => chunk.map(printCharacter).join(''))
    .join(breakMark);
}

function getCharacters(word: string): string[] {
  return Array.from(word.normalize('NFC'));
}

function escapeWord(word: string): string {
  return splitIntoChunks(getCharacters(word))
    .map((chunk) => separateLigatures(chunk.map(escapeCharacter)).join(''))
    .join('\\allowbreak{}');
}

/**
 * Returns the characters of a word in one chunk. If the word may break, returns chunks of at least 8 printed
 * characters; only the last chunk may be shorter.
 */
function splitIntoChunks(characters: readonly string[]): string[][] {
  const lengths = characters.map((character) => printCharacter(character).length);
  const totalLength = lengths.reduce((total, length) => total + length, 0);
  if (totalLength <= maximumUnbrokenLength) return [[...characters]];
  const chunks: string[][] = [];
  let printedLength = chunkLength;
  for (const [index, character] of characters.entries()) {
    if (printedLength >= chunkLength) {
      chunks.push([]);
      printedLength = 0;
    }
    chunks.at(-1)?.push(character);
    printedLength += lengths[index] ?? 0;
  }
  return chunks;
}

function printCharacter(character: string): string {
  const source = escapeCharacter(character);
  return source.startsWith('[U+') ? source : character;
}

// Inserts empty groups, because LaTeX prints adjacent hyphens as one dash, and adjacent apostrophes or commas as a
// double quote.
function separateLigatures(pieces: readonly string[]): string[] {
  return pieces.map((piece, index) => {
    const [first = ''] = piece;
    const isLigature = /[-',]/.test(first) && pieces[index - 1]?.endsWith(first);
    return isLigature ? `{}${piece}` : piece;
  });
}

function escapeCharacter(character: string): string {
  const replacement = replacements.get(character);
  if (replacement !== undefined) return replacement;
  if (/^[\x20-\x7e]$/.test(character)) return character;
  const [letter = '', ...marks] = Array.from(character.normalize('NFD'));
  const accent = marks.length === 1 ? accents.get(marks[0] ?? '') : undefined;
  if (accent && /^[a-z]$/i.test(letter)) return `\\${accent}{${letter}}`;
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}

/**
 * Returns a printed number as a LaTeX formula; a dash if there is no value. Converts powers of ten ("3.1e−12" becomes
 * `$3.1\times10^{-12}$`, and "1e−9" becomes `$10^{-9}$`), thin spaces between thousands, per cent signs and ∞.
 */
export function formatLatexNumber(text: string): string {
  if (text === '–') return '--';
  const formula = text
    .replaceAll('−', '-')
    .replaceAll('\u2009', '\\,')
    .replaceAll('%', '\\%')
    .replaceAll('∞', '\\infty')
    .replace(/e\+?(-?\d+)$/, '\\times10^{$1}');
  return `$${formula.replace(/^(< )?(-?)1\\times/, '$1$2')}$`;
}
