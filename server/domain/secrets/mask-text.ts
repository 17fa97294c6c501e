import { maskYamlBy } from './mask-yaml.ts';
import {
  isSecretScalar,
  maskedValue,
  maskUrls,
  mayHoldSecret,
  mayHoldUserInfo,
  secrecyOfKey,
  stronger,
  type Secrecy,
} from './secret-words.ts';

const quotedMask = `"${maskedValue}"`;
/** What ends a run of characters outside of strings. */
const runOfOthers = /[^{}[\],"\n]*/y;
/** `token:`, which may name what follows in quotes. */
const shortestPair = 6;
const beginsWithKey = /^['\\]*[\w.-]+['\\]*\s*[:=]/;

/** State of the scanner: its output, and how secret the next value is. */
interface Scan {
  readonly text: string;
  output: string[];
  copiedTo: number;
  depth: number;
  /** Secrecy of what follows the last key. */
  value: Secrecy;
  /** Whether a value followed that key already, on this line. */
  isSpent: boolean;
  /** The objects and arrays around this place that stand under keys more secret than those around them. */
  holders: { secrecy: Secrecy; depth: number }[];
}

/**
 * A text with its secrets hidden and every other character as it was: JSON, malformed and cut JSON too, or
 * prose with pairs of key and value in it. Scalars under secret keys become `"***"` (all scalars inside an
 * object or array under one), in prose all that follows the key on its line; credentials in URLs go; texts
 * inside of strings are treated the same way. Null stays null. Takes a time that grows with the length.
 */
export function maskText<Text extends string | null>(text: Text): Text | string {
  if (text === null || !mayHoldSecret(text)) return text;
  const scan = newScan(mayHoldUserInfo(text) && !isJson(text) ? maskUrls(text) : text);
  let index = 0;
  while (index < scan.text.length) index = step(scan, index);
  return `${scan.output.join('')}${scan.text.slice(scan.copiedTo)}`;
}

/**
 * A YAML text with its secrets hidden and every other character as it was, malformed ones too: scalars under
 * secret keys become `"***"`, at any depth and in any style; plain and quoted scalars and comments are treated
 * as {@link maskText} does. Null stays null.
 */
export function maskYaml<Text extends string | null>(text: Text): Text | string {
  return text === null || !mayHoldSecret(text) ? text : maskYamlBy(text, maskText);
}

function newScan(text: string): Scan {
  return {
    text,
    output: [],
    copiedTo: 0,
    depth: 0,
    value: 'none',
    isSpent: false,
    holders: [],
  };
}

function step(scan: Scan, index: number): number {
  switch (scan.text.charAt(index)) {
    case '"':
      return quoted(scan, index);
    case '{':
    case '[':
      open(scan);
      return index + 1;
    case '}':
    case ']':
      close(scan);
      return index + 1;
    case ',':
      return index + 1;
    case '\n':
      if (scan.isSpent) follow(scan, 'none');
      return index + 1;
    default:
      return others(scan, index);
  }
}

/** What comes now has this secrecy, until another key or the end of its line comes. */
function follow(scan: Scan, secrecy: Secrecy): void {
  scan.value = secrecy;
  scan.isSpent = false;
}

function open(scan: Scan): void {
  const around = secrecyHere(scan);
  if (around !== (scan.holders.at(-1)?.secrecy ?? 'none')) {
    scan.holders.push({ secrecy: around, depth: scan.depth });
  }
  follow(scan, 'none');
  scan.depth += 1;
}

/** A bracket that closes nothing is a character like others. */
function close(scan: Scan): void {
  if (scan.depth === 0) return;
  scan.depth -= 1;
  follow(scan, 'none');
  if ((scan.holders.at(-1)?.depth ?? -1) >= scan.depth) scan.holders.pop();
}

function secrecyHere(scan: Scan): Secrecy {
  return stronger(scan.value, scan.holders.at(-1)?.secrecy ?? 'none');
}

function quoted(scan: Scan, start: number): number {
  const escapes = backslashesBefore(scan.text, start);
  const end = escapes > 0 ? endOfEscaped(scan.text, start, escapes) : endOfString(scan.text, start);
  const written = scan.text.slice(start, end);
  const content = stringContent(written) ?? written;
  if (isFollowedByColon(scan.text, end)) {
    follow(scan, secrecyOfKey(withoutEnd(content)));
  } else if (isSecretScalar(content, secrecyHere(scan))) {
    replace(scan, start, end, quotedMask);
    scan.isSpent = true;
  } else {
    replace(scan, start, end, maskInsideString(written));
  }
  return end;
}

/** Numbers, separators, words without quotes, prose: up to the next bracket, comma, quote or line end. */
function others(scan: Scan, start: number): number {
  runOfOthers.lastIndex = start;
  runOfOthers.test(scan.text);
  const end = runOfOthers.lastIndex;
  const secrecy = secrecyHere(scan);
  if (secrecy === 'none' && end - start < shortestPair) return end;
  const run = scan.text.slice(start, end);
  const from = start + (/^[\s:=]*/.exec(run)?.[0].length ?? 0);
  const words = scan.text.slice(from, end).trimEnd();
  if (words === '') return end;
  if (scan.depth > 0 && scan.isSpent && beginsWithKey.test(words)) follow(scan, 'none');
  if (isSecretScalar(words, secrecyHere(scan))) {
    replace(scan, from, from + words.length, quotedMask);
    scan.isSpent = true;
  } else {
    hidePair(scan, from, words);
  }
  return end;
}

/** Hides what follows the first key in the words that has something secret to follow, and credentials in URLs. */
function hidePair(scan: Scan, from: number, written: string): void {
  const words = maskUrls(written);
  let visible = words.length;
  let keyFrom = 0;
  for (const { index } of words.matchAll(/[:=]/g)) {
    const secrecy = secrecyOfKey(withoutEnd(words.slice(keyFrom, index)));
    keyFrom = index + 1;
    if (secrecy === 'none' || words.startsWith('//', keyFrom)) continue;
    const value = words.slice(keyFrom).replace(/^[\s:=>]+/, '');
    follow(scan, value === '' ? secrecy : scan.value);
    if (value.startsWith(maskedValue) || !isSecretScalar(value, secrecy)) continue;
    visible = words.length - value.length;
    scan.value = secrecy;
    scan.isSpent = true;
    break;
  }
  const shown = visible < words.length ? words.slice(0, visible) + maskedValue : words;
  if (shown !== written) replace(scan, from, from + written.length, shown);
}

/** A key without the quotes, backslashes and spaces at its end. */
function withoutEnd(key: string): string {
  let end = key.length;
  while (end > 0 && `'"\\ \t`.includes(key.charAt(end - 1))) end -= 1;
  return key.slice(0, end);
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

function backslashesBefore(text: string, index: number): number {
  let count = 0;
  while (text.charAt(index - count - 1) === '\\') count += 1;
  return count;
}

/** The end of a string whose quotes are escaped themselves: `\"…\"`. */
function endOfEscaped(text: string, start: number, escapes: number): number {
  const end = text.indexOf(`${'\\'.repeat(escapes)}"`, start + 1);
  return end < 0 ? text.length : end + escapes + 1;
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
  const isYaml = content.includes('\n') && !isJson(content);
  const masked = isYaml ? maskYaml(content) : maskText(content);
  return masked === content ? written : closedAs(written, JSON.stringify(masked));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the value of a string, closed or truncated; null when it is malformed. */
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
  return backslashesBefore(text, text.length) % 2 === 1;
}

function withoutCutEscape(body: string): string {
  const cut = /\\(?:u[\da-f]{0,3})?$/i.exec(body);
  return cut && endsInEscape(body.slice(0, cut.index + 1)) ? body.slice(0, cut.index) : body;
}

function closedAs(written: string, masked: string): string {
  return isClosed(written) ? masked : masked.slice(0, -1);
}
