/** A token of JSON text with its kind; `space` is indentation and line breaks. */
export interface JsonToken {
  kind: 'key' | 'string' | 'number' | 'literal' | 'mark' | 'space';
  text: string;
}

const tokenPattern =
  /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}:,]/g;

/**
 * Returns JSON text with line breaks and indentation, as tokens to colour. Numbers and strings keep their digits and
 * escapes exactly, which parsing and printing would not (seeds beyond 2^53, times with nine digits). Lists without
 * nested values stay on one line. Null for text that is not JSON.
 */
export function getJsonTokens(text: string): JsonToken[] | null {
  if (!isJson(text)) return null;
  const pieces = text.match(tokenPattern) ?? [];
  const tokens: JsonToken[] = [];
  const add = (kind: JsonToken['kind'], piece: string) => tokens.push({ kind, text: piece });
  const open: { isFlat: boolean }[] = [];
  const newLine = () => add('space', `\n${'  '.repeat(open.length)}`);
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    if (piece === '{' || piece === '[') {
      add('mark', piece);
      const isFlat = open.at(-1)?.isFlat === true || isFlatList(pieces, index);
      open.push({ isFlat });
      if (!isFlat && next !== '}' && next !== ']') newLine();
    } else if (piece === '}' || piece === ']') {
      const closed = open.pop();
      const before = pieces[index - 1];
      if (closed?.isFlat === false && before !== '{' && before !== '[') newLine();
      add('mark', piece);
    } else if (piece === ',') {
      add('mark', piece);
      if (open.at(-1)?.isFlat) add('space', ' ');
      else newLine();
    } else if (piece === ':') {
      add('mark', piece);
      add('space', ' ');
    } else {
      add(next === ':' ? 'key' : getKind(piece), piece);
    }
  }
  return tokens;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isFlatList(pieces: readonly string[], start: number): boolean {
  if (pieces[start] !== '[') return false;
  for (let index = start + 1; index < pieces.length; index += 1) {
    if (pieces[index] === ']') return true;
    if (pieces[index] === '[' || pieces[index] === '{') return false;
  }
  return false;
}

function getKind(piece: string): JsonToken['kind'] {
  if (piece.startsWith('"')) return 'string';
  return /^[-\d]/.test(piece) ? 'number' : 'literal';
}
