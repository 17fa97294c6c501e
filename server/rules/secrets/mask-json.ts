import { maskYaml } from './mask-yaml.ts';
import {
  isSecretScalar,
  maskedValue,
  maskUrls,
  mayHoldSecret,
  secrecyOfKey,
  type Secrecy,
} from './secret-words.ts';

const quotedMask = `"${maskedValue}"`;
const delimiters = new Set('{}[],:" \t\n\r'.split(''));

/** Where the scanner stands: what it has written, and how secret what comes next is. */
interface Scan {
  readonly text: string;
  output: string[];
  copiedTo: number;
  depth: number;
  /** Secrecy of the value that follows the last key. */
  value: Secrecy;
  /** The objects and arrays around this place that stand under secret keys, innermost last. */
  holders: { secrecy: Secrecy; depth: number }[];
}

/**
 * A JSON text with its secrets hidden and every other character as it was, so that malformed and cut
 * texts stay what they are: scalars under secret keys become `"***"` (all scalars inside an object or
 * array under one), credentials in URLs go, JSON and YAML inside strings is treated the same way.
 * Null stays null.
 */
export function maskJson<Text extends string | null>(text: Text): Text | string {
  if (text === null || !mayHoldSecret(text)) return text;
  const scan = newScan(text);
  let index = 0;
  while (index < text.length) index = step(scan, index);
  return `${scan.output.join('')}${text.slice(scan.copiedTo)}`;
}

function newScan(text: string): Scan {
  return { text, output: [], copiedTo: 0, depth: 0, value: 'none', holders: [] };
}

function step(scan: Scan, index: number): number {
  const character = scan.text.charAt(index);
  if (character === '"') return quoted(scan, index);
  if (!delimiters.has(character)) return bare(scan, index);
  if (character === '{' || character === '[') open(scan);
  if (character === '}' || character === ']') close(scan);
  if (character === ',') scan.value = 'none';
  return index + 1;
}

function open(scan: Scan): void {
  if (scan.value !== 'none') scan.holders.push({ secrecy: scan.value, depth: scan.depth });
  scan.value = 'none';
  scan.depth += 1;
}

function close(scan: Scan): void {
  scan.depth -= 1;
  scan.value = 'none';
  if ((scan.holders.at(-1)?.depth ?? -Infinity) >= scan.depth) scan.holders.pop();
}

function quoted(scan: Scan, start: number): number {
  const end = endOfString(scan.text, start);
  const written = scan.text.slice(start, end);
  if (isFollowedByColon(scan.text, end)) {
    scan.value = secrecyOfKey(stringContent(written) ?? written);
  } else if (isHidden(scan, stringContent(written) ?? written)) {
    replace(scan, start, end, quotedMask);
  } else {
    replace(scan, start, end, maskInsideString(written));
  }
  return end;
}

function bare(scan: Scan, start: number): number {
  let end = start;
  while (end < scan.text.length && !delimiters.has(scan.text.charAt(end))) end += 1;
  const written = scan.text.slice(start, end);
  if (isFollowedByColon(scan.text, end)) scan.value = secrecyOfKey(written);
  else if (isHidden(scan, written)) replace(scan, start, end, quotedMask);
  return end;
}

function isHidden(scan: Scan, written: string): boolean {
  return (
    isSecretScalar(written, scan.value) ||
    scan.holders.some(({ secrecy }) => isSecretScalar(written, secrecy))
  );
}

function replace(scan: Scan, start: number, end: number, by: string): void {
  scan.output.push(scan.text.slice(scan.copiedTo, start), by);
  scan.copiedTo = end;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '"') return index + 1;
    index += character === '\\' ? 2 : 1;
  }
  return text.length;
}

function isFollowedByColon(text: string, index: number): boolean {
  let next = index;
  while (' \t\n\r'.includes(text.charAt(next)) && next < text.length) next += 1;
  return text.charAt(next) === ':';
}

function maskInsideString(written: string): string {
  if (!mayHoldSecret(written)) return written;
  const content = stringContent(written);
  if (content === null) return maskUrls(written);
  const masked = maskContent(content);
  return masked === content ? written : closedAs(written, JSON.stringify(masked));
}

function maskContent(content: string): string {
  if (/^\s*[{[]/.test(content)) return maskJson(content);
  return content.includes('\n') ? maskYaml(content) : maskUrls(content);
}

/** What a string, closed or cut in the middle, stands for; null when it is malformed. */
function stringContent(written: string): string | null {
  const body = isClosed(written) ? written.slice(1, -1) : withoutCutEscape(written.slice(1));
  try {
    return JSON.parse(`"${body}"`) as string;
  } catch {
    return null;
  }
}

function isClosed(written: string): boolean {
  return written.length > 1 && written.endsWith('"') && !endsInEscape(written.slice(0, -1));
}

/** Whether the text ends with a backslash that escapes whatever follows. */
function endsInEscape(text: string): boolean {
  return (/\\+$/.exec(text)?.[0].length ?? 0) % 2 === 1;
}

function withoutCutEscape(body: string): string {
  const cut = /\\(?:u[\da-f]{0,3})?$/i.exec(body);
  return cut && endsInEscape(body.slice(0, cut.index + 1)) ? body.slice(0, cut.index) : body;
}

function closedAs(written: string, masked: string): string {
  return isClosed(written) ? masked : masked.slice(0, -1);
}
