import {
  isAlias,
  isPair,
  isScalar,
  parseAllDocuments,
  visit,
  type Document,
  type Node,
  type Scalar,
} from 'yaml';
import {
  isSecretScalar,
  maskedValue,
  maskUrls,
  mayHoldSecret,
  secrecyOfKey,
  secretWordPattern,
} from './secret-words.ts';

const quotedMask = `"${maskedValue}"`;

/** Longer texts are masked line by line, since parsing them would take too long. */
const maximumParsedLength = 1_048_576;

const secretWord = new RegExp(secretWordPattern, 'gi');

/** A piece of the text and what comes in its place. */
interface Replacement {
  start: number;
  end: number;
  by: string;
}

/**
 * A YAML text with its secrets hidden and every other character as it was: scalars under secret keys become
 * `"***"`, at any depth and in any style, and credentials in URLs go. A malformed text is treated line by
 * line: what follows a secret word and a colon goes, with the lines indented below it. Null stays null.
 */
export function maskYaml<Text extends string | null>(text: Text): Text | string {
  if (text === null || !mayHoldSecret(text)) return text;
  const replacements = text.length <= maximumParsedLength ? findSecrets(text) : null;
  return maskUrls(replacements ? replaced(text, replacements) : maskLines(text));
}

/** Where the secrets of a YAML text are, in order; null when it is malformed. */
function findSecrets(text: string): Replacement[] | null {
  const found = new Map<number, Replacement>();
  for (const document of parseAllDocuments(text, { uniqueKeys: false })) {
    if (!('contents' in document) || document.errors.length > 0) return null;
    visit(document, {
      Node: (key, node, path) => {
        const scalar = key === 'key' ? undefined : scalarOf(node, document);
        const replacement = scalar && hide(text, scalar, keysAbove(path));
        if (replacement) found.set(replacement.start, replacement);
      },
    });
  }
  return [...found.values()].sort((one, other) => one.start - other.start);
}

function scalarOf(node: Node, document: Document): Scalar | undefined {
  const target = isAlias(node) ? node.resolve(document) : node;
  return isScalar(target) ? target : undefined;
}

function keysAbove(path: readonly unknown[]): string[] {
  return path.flatMap((node) =>
    isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [],
  );
}

function hide(text: string, scalar: Scalar, keys: readonly string[]): Replacement | null {
  if (!scalar.range) return null;
  const [start, end] = scalar.range;
  const written = String(scalar.value);
  if (!keys.some((key) => isSecretScalar(written, secrecyOfKey(key)))) return null;
  return { start, end, by: text.slice(start, end).endsWith('\n') ? `${quotedMask}\n` : quotedMask };
}

function replaced(text: string, replacements: readonly Replacement[]): string {
  let from = 0;
  let output = '';
  for (const { start, end, by } of replacements) {
    output += text.slice(from, start) + by;
    from = end;
  }
  return output + text.slice(from);
}

function maskLines(text: string): string {
  let indent: number | null = null;
  const lines = text.split('\n').map((line) => {
    const own = line.length - line.trimStart().length;
    if (indent !== null && line.trim() !== '' && own > indent)
      return `${line.slice(0, own)}${maskedValue}`;
    const start = startOfSecret(line);
    indent = start === null ? null : own;
    return start === null || start === line.length ? line : `${line.slice(0, start)}${quotedMask}`;
  });
  return lines.join('\n');
}

/** Where the value begins that follows the line's last secret word and a colon or equals sign after it. */
function startOfSecret(line: string): number | null {
  const separator = Math.max(line.lastIndexOf(':'), line.lastIndexOf('='));
  const word = [...line.slice(0, Math.max(0, separator)).matchAll(secretWord)].at(-1);
  if (!word) return null;
  const after = line.slice(word.index + word[0].length);
  return line.length - after.length + (/^[^:=]*[:=]\s*/.exec(after)?.[0].length ?? 0);
}
