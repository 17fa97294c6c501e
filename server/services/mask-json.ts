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
const delimiters = new Set([...'{}[],:"', ' ', '\t', '\n', '\r']);

/** Where the scanner stands: what it has written, and how secret what comes next is. */
interface Scan {
  readonly text: string;
  output: string[];
  copiedTo: number;
  depth: number;
  /** Secrecy of the value that follows the last key. */
  value: Secrecy;
  /** Secrecy of everything inside the object or array at depth `holderDepth`. */
  holder: Secrecy;
  holderDepth: number;
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
  return {
    text,
    output: [],
    copiedTo: 0,
    depth: 0,
    value: 'none',
    holder: 'none',
    holderDepth: 0,
  };
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
  if (scan.holder === 'none' && scan.value !== 'none') {
    scan.holder = scan.value;
    scan.holderDepth = scan.depth;
  }
  scan.value = 'none';
  scan.depth += 1;
}

function close(scan: Scan): void {
  scan.depth -= 1;
  scan.value = 'none';
  if (scan.depth <= scan.holderDepth) scan.holder = 'none';
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
  return isSecretScalar(written, scan.value) || isSecretScalar(written, scan.holder);
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
  const isClosed = written.length > 1 && endOfString(written, 0) === written.length;
  const body = isClosed && written.endsWith('"') ? written.slice(1, -1) : written.slice(1);
  try {
    return JSON.parse(`"${body.replace(/\\(?:u[\da-f]{0,3})?$/i, (cut) => cutEscape(body, cut))}"`);
  } catch {
    return null;
  }
}

function cutEscape(body: string, cut: string): string {
  const backslashes = /\\+$/.exec(body.slice(0, body.length - cut.length + 1))?.[0].length ?? 0;
  return backslashes % 2 === 1 ? '' : cut;
}

function closedAs(written: string, masked: string): string {
  return written.endsWith('"') ? masked : masked.slice(0, -1);
}
