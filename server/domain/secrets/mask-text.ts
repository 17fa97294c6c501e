import { CST, Lexer } from 'yaml';
import {
  isSecretScalar,
  maskedValue,
  maskUrls,
  canContainSecret,
  canContainUserInfo,
  getSecrecyOfKey,
  getHigherSecrecy,
  type Secrecy,
} from './secret-words.ts';

const quotedMask = `"${maskedValue}"`;
/** Characters outside of strings, up to the next delimiter. */
const plainCharacters = /[^{}[\],"\n]*/y;
/** Length of `token:`, the shortest secret key with a separator. A quoted value may follow it. */
const minimumPairLength = 6;
const keyAtStart = /^['\\]*[\w.-]+['\\]*\s*[:=]/;

/** State of the scanner: its output, and the secrecy of the next value. */
interface Scan {
  readonly text: string;
  output: string[];
  copiedLength: number;
  depth: number;
  /** Secrecy of the value of the last key. */
  valueSecrecy: Secrecy;
  /** Whether the last key already has a value on this line. */
  hasValue: boolean;
  /** The surrounding objects and arrays with a higher secrecy than the next outer one. */
  containers: { secrecy: Secrecy; depth: number }[];
}

/**
 * Masks the secrets in a text and leaves every other character unchanged. The text is JSON, including malformed and
 * truncated JSON, or prose with pairs of key and value. Scalars under secret keys become `"***"`, including all scalars
 * in an object or array under such a key (see {@link isSecretScalar}). In prose, masks the rest of the line after the
 * key, as `***` or `"***"`. Credentials in URLs become `***`. Masks the content of strings, including keys, in the same
 * way, or like {@link maskYaml} if the content has several lines and is not JSON. Writes a changed string with the
 * escapes of `JSON.stringify`. Null stays null. Takes linear time.
 */
export function maskText<Text extends string | null>(text: Text): Text | string {
  if (text === null || !canContainSecret(text)) return text;
  const scan: Scan = {
    text: canContainUserInfo(text) && !isJson(text) ? maskUrls(text) : text,
    output: [],
    copiedLength: 0,
    depth: 0,
    valueSecrecy: 'none',
    hasValue: false,
    containers: [],
  };
  let index = 0;
  while (index < scan.text.length) index = maskNext(scan, index);
  return `${scan.output.join('')}${scan.text.slice(scan.copiedLength)}`;
}

/**
 * Masks the secrets in a YAML text, even a malformed one, and leaves every other character unchanged. Scalars under
 * secret keys become `"***"`, at any depth and in any style (see {@link isSecretScalar}). Masks secrets inside keys,
 * other scalars and comments like {@link maskText}. Masks secrets inside quoted or block scalars of several lines as in
 * another YAML text. Quoted values with masked secrets inside become JSON strings. Null stays null.
 */
export function maskYaml<Text extends string | null>(text: Text): Text | string {
  return text === null || !canContainSecret(text) ? text : maskYamlTokens(text);
}

function maskNext(scan: Scan, index: number): number {
  switch (scan.text.charAt(index)) {
    case '"':
      return maskQuotedText(scan, index);
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
      if (scan.hasValue) setSecrecy(scan, 'none');
      return index + 1;
    default:
      return maskUnquotedText(scan, index);
  }
}

/** Sets the secrecy of the next values, until another key, a bracket or the end of a line with a value. */
function setSecrecy(scan: Scan, secrecy: Secrecy): void {
  scan.valueSecrecy = secrecy;
  scan.hasValue = false;
}

function open(scan: Scan): void {
  const outerSecrecy = getCurrentSecrecy(scan);
  if (outerSecrecy !== (scan.containers.at(-1)?.secrecy ?? 'none')) {
    scan.containers.push({ secrecy: outerSecrecy, depth: scan.depth });
  }
  setSecrecy(scan, 'none');
  scan.depth += 1;
}

/**
 * Closes a bracket; ignores an unmatched closing bracket. In prose, the rest of the line belongs to the same value as
 * the bracket.
 */
function close(scan: Scan): void {
  if (scan.depth === 0) return;
  scan.depth -= 1;
  setSecrecy(scan, 'none');
  if ((scan.containers.at(-1)?.depth ?? -1) < scan.depth) return;
  const container = scan.containers.pop();
  if (!container || scan.depth > 0) return;
  scan.valueSecrecy = container.secrecy;
  scan.hasValue = true;
}

function getCurrentSecrecy(scan: Scan): Secrecy {
  return getHigherSecrecy(scan.valueSecrecy, scan.containers.at(-1)?.secrecy ?? 'none');
}

function maskQuotedText(scan: Scan, start: number): number {
  const backslashCount = countBackslashesBefore(scan.text, start);
  const end =
    backslashCount > 0
      ? findEndOfEscapedString(scan.text, start, backslashCount)
      : findEndOfString(scan.text, start);
  const token = scan.text.slice(start, end);
  const content = getStringContent(token) ?? token;
  if (isFollowedByColon(scan.text, end)) {
    setSecrecy(scan, getSecrecyOfKey(removeEscapeAtEnd(content)));
    replace(scan, start, end, maskInsideString(token));
  } else if (isSecretScalar(content, getCurrentSecrecy(scan))) {
    replace(scan, start, end, quotedMask);
    scan.hasValue = true;
  } else {
    replace(scan, start, end, maskInsideString(token));
  }
  return end;
}

/** Masks the secrets in the characters up to the next delimiter: numbers, separators, unquoted words or prose. */
function maskUnquotedText(scan: Scan, start: number): number {
  plainCharacters.lastIndex = start;
  plainCharacters.test(scan.text);
  const end = plainCharacters.lastIndex;
  const secrecy = getCurrentSecrecy(scan);
  if (secrecy === 'none' && end - start < minimumPairLength) return end;
  const plainText = scan.text.slice(start, end);
  const valueStart = start + (/^[\s:=]*/.exec(plainText)?.[0].length ?? 0);
  const words = scan.text.slice(valueStart, end).trimEnd();
  if (words === '') return end;
  if (scan.depth > 0 && scan.hasValue && keyAtStart.test(words)) setSecrecy(scan, 'none');
  if (isSecretScalar(words, getCurrentSecrecy(scan))) {
    replace(scan, valueStart, valueStart + words.length, quotedMask);
    scan.hasValue = true;
  } else {
    maskPair(scan, valueStart, words);
  }
  return end;
}

/** Masks all words after the first secret key whose value is a secret scalar, and credentials in URLs. */
function maskPair(scan: Scan, start: number, token: string): void {
  const words = maskUrls(token);
  let end = words.length;
  let keyStart = 0;
  for (const { index } of words.matchAll(/[:=]/g)) {
    const secrecy = getSecrecyOfKey(removeEscapeAtEnd(words.slice(keyStart, index)));
    keyStart = index + 1;
    if (secrecy === 'none' || words.startsWith('//', keyStart)) continue;
    const value = words.slice(keyStart).replace(/^[\s:=>]+/, '');
    setSecrecy(scan, value === '' ? secrecy : scan.valueSecrecy);
    if (value.startsWith(maskedValue) || !isSecretScalar(value, secrecy)) continue;
    end = words.length - value.length;
    scan.valueSecrecy = secrecy;
    scan.hasValue = true;
    break;
  }
  const visibleWords = end < words.length ? words.slice(0, end) + maskedValue : words;
  if (visibleWords !== token) replace(scan, start, start + token.length, visibleWords);
}

/** Returns a key without the quotes, backslashes, spaces and tabs at its end. */
function removeEscapeAtEnd(key: string): string {
  let end = key.length;
  while (end > 0 && `'"\\ \t`.includes(key.charAt(end - 1))) end -= 1;
  return key.slice(0, end);
}

function replace(scan: Scan, start: number, end: number, replacement: string): void {
  scan.output.push(scan.text.slice(scan.copiedLength, start), replacement);
  scan.copiedLength = end;
}

function findEndOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '"') return index + 1;
    index += character === '\\' ? 2 : 1;
  }
  return text.length;
}

function countBackslashesBefore(text: string, index: number): number {
  let count = 0;
  while (text.charAt(index - count - 1) === '\\') count += 1;
  return count;
}

/**
 * Returns the end of a string with escaped quotes: `\"…\"`. A quote inside the string follows an odd number of further
 * backslashes, each of them escaped.
 */
function findEndOfEscapedString(text: string, start: number, backslashCount: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0) {
    const furtherCount = countBackslashesBefore(text, end) - backslashCount;
    const isInside = Math.floor(furtherCount / (backslashCount + 1)) % 2 === 1;
    if (furtherCount >= 0 && !isInside) return end + 1;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

function isFollowedByColon(text: string, index: number): boolean {
  let nextIndex = index;
  while (' \t\n\r'.includes(text.charAt(nextIndex)) && nextIndex < text.length) nextIndex += 1;
  return text.charAt(nextIndex) === ':';
}

function maskInsideString(token: string): string {
  if (!canContainSecret(token)) return token;
  const content = getStringContent(token);
  if (content === null) return maskUrls(token);
  const isYaml = content.includes('\n') && !isJson(content);
  const maskedContent = isYaml ? maskYaml(content) : maskText(content);
  return maskedContent === content ? token : closeAs(token, JSON.stringify(maskedContent));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the value of a string, closed or truncated; null if it is malformed. */
function getStringContent(token: string): string | null {
  const body = isClosed(token) ? token.slice(1, -1) : removeTruncatedEscape(token.slice(1));
  try {
    return JSON.parse(`"${body}"`) as string;
  } catch {
    return null;
  }
}

function isClosed(token: string): boolean {
  return token.length > 1 && token.endsWith('"') && !hasEscapeAtEnd(token.slice(0, -1));
}

/** Returns whether the text ends with an unescaped backslash. */
function hasEscapeAtEnd(text: string): boolean {
  return countBackslashesBefore(text, text.length) % 2 === 1;
}

function removeTruncatedEscape(body: string): string {
  const escape = /\\(?:u[\da-f]{0,3})?$/i.exec(body);
  return escape && hasEscapeAtEnd(body.slice(0, escape.index + 1))
    ? body.slice(0, escape.index)
    : body;
}

function closeAs(token: string, maskedText: string): string {
  return isClosed(token) ? maskedText : maskedText.slice(0, -1);
}

type Mask = (text: string) => string;

/** Marks among the tokens of the lexer: before a scalar, before a document, after an unclosed flow collection. */
const [scalarMark, documentMark, flowEndMark] = ['\u001F', '\u0002', '\u0018'];
/** Maximum depth of YAML inside YAML scalars. {@link maskText} masks deeper scalars. */
const maximumDepth = 2;

/**
 * Masks the secrets in a YAML text in linear time; see {@link maskYaml}. Works on tokens to mask malformed texts too.
 * Masks a value with an anchor if one of its aliases is under a secret key.
 */
function maskYamlTokens(text: string, depth = 0): string {
  const maskInside: Mask = (content) => {
    if (!canContainSecret(content)) return content;
    const isYaml = depth < maximumDepth && content.includes('\n');
    return isYaml ? maskYamlTokens(content, depth + 1) : maskText(content);
  };
  const read = (getSecrecy: (name: string) => Secrecy) => {
    const scan = new YamlScan(getSecrecy, maskInside);
    for (const token of new Lexer().lex(text)) scan.read(token);
    return scan.end();
  };
  const firstResult = read(() => 'none');
  if (firstResult.secretAnchors.size === 0) return firstResult.output;
  const secondResult = read((name) => firstResult.secretAnchors.get(name) ?? 'none');
  // A secret anchored value may contain aliases, whose anchors are then at least as secret. If so, masks all anchored
  // values.
  const hasSecretAlias = secondResult.secretAnchors
    .entries()
    .some(([name, secrecy]) => firstResult.secretAnchors.get(name) !== secrecy);
  return hasSecretAlias ? read(() => 'all').output : secondResult.output;
}

/** The document, a surrounding key of a block mapping, or a surrounding flow collection. */
interface Frame {
  /** Column of the key; -1 for a document and a flow collection. */
  column: number;
  isFlow: boolean;
  /** Secrecy that the members of a flow collection inherit from it, regardless of their keys. */
  inheritedSecrecy: Secrecy;
  /** Secrecy of the next value. */
  secrecy: Secrecy;
}

/** A scalar or an alias, until the next token shows whether it is a key. */
interface PendingNode {
  /** Index of the node in the output. */
  index: number;
  token: string;
}

/** Reads tokens in their order and writes them with masked secrets. */
class YamlScan {
  readonly #getSecrecyOfAnchor: (name: string) => Secrecy;
  readonly #maskInside: Mask;
  readonly #output: string[] = [];
  readonly #secretAnchors = new Map<string, Secrecy>();
  /** Secrecy of the values under each anchored scalar if an alias uses it as a key, by anchor. */
  readonly #secrecyByAnchor = new Map<string, Secrecy>();
  #frames: Frame[] = [makeRootFrame()];
  #column = 0;
  /** Column of the current node, including its anchor and tag. */
  #nodeColumn: number | null = null;
  #pendingNode: PendingNode | null = null;
  #anchor: string | null = null;
  /** Index of the header of a block scalar in the output, until the scalar follows. */
  #headerIndex: number | null = null;
  #isScalar = false;
  #isExplicitKey = false;
  /** Whether the previous node is a key with its colon. Only the value of this key can then follow. */
  #isAfterColon = false;

  constructor(getSecrecy: (name: string) => Secrecy, maskInside: Mask) {
    this.#getSecrecyOfAnchor = getSecrecy;
    this.#maskInside = maskInside;
  }

  /**
   * Returns the masked text, and the secrecy of the aliases under secret keys, by anchor. Call it after the last token.
   */
  end(): { output: string; secretAnchors: ReadonlyMap<string, Secrecy> } {
    this.#writePendingNode();
    return { output: this.#output.join(''), secretAnchors: this.#secretAnchors };
  }

  read(token: string): void {
    if (this.#isScalar) {
      this.#isScalar = false;
      if (this.#headerIndex === null) this.#readScalar(token);
      else this.#readBlockScalar(token, this.#headerIndex);
      this.#advance(token);
    } else if (token === scalarMark) {
      this.#isScalar = true;
    } else if (token === documentMark || token === flowEndMark) {
      this.#writePendingNode();
      this.#frames =
        token === flowEndMark ? this.#frames.filter(({ isFlow }) => !isFlow) : [makeRootFrame()];
    } else {
      this.#output.push(token);
      this.#readIndicator(token);
      this.#advance(token);
    }
  }

  #advance(token: string): void {
    this.#column = token.endsWith('\n') ? 0 : this.#column + token.length;
  }

  #readIndicator(token: string): void {
    switch (token.charAt(0)) {
      case ' ':
      case '\t':
        break;
      case '\r':
      case '\n':
        this.#readNewline();
        break;
      case '"':
      case "'":
      case '*':
        this.#output.pop();
        this.#readScalar(token);
        break;
      case '&':
      case '!':
        this.#readProperty(token);
        break;
      case '|':
      case '>':
        this.#headerIndex = this.#output.length - 1;
        break;
      case ':':
        this.#readColon();
        break;
      case '-':
        this.#readDash(token);
        break;
      case '?':
        this.#startNode();
        this.#isExplicitKey = true;
        this.#nodeColumn = this.#column;
        break;
      case '{':
      case '[':
        this.#open();
        break;
      case '}':
      case ']':
        this.#close();
        break;
      case ',':
        this.#writePendingNode();
        this.#startNode();
        this.#top.secrecy = this.#top.inheritedSecrecy;
        break;
      default:
        this.#output[this.#output.length - 1] = maskText(token);
    }
  }

  get #top(): Frame {
    return this.#frames.at(-1) ?? makeRootFrame();
  }

  #readNewline(): void {
    if (this.#top.isFlow) return;
    this.#writePendingNode();
    this.#startNode();
  }

  #startNode(): void {
    this.#nodeColumn = null;
    this.#isAfterColon = false;
  }

  #readProperty(token: string): void {
    this.#nodeColumn ??= this.#column;
    if (!token.startsWith('&')) return;
    this.#anchor = token.slice(1);
    this.#top.secrecy = getHigherSecrecy(this.#top.secrecy, this.#getSecrecyOfAnchor(this.#anchor));
  }

  #readDash(token: string): void {
    this.#writePendingNode();
    this.#startNode();
    if (token === '---') this.#frames = [makeRootFrame()];
    else this.#leaveKeys(this.#column + 1);
  }

  /** Leaves the keys at this column or to the right of it. */
  #leaveKeys(column: number): void {
    while (!this.#top.isFlow && this.#top.column >= column) this.#frames.pop();
  }

  #open(): void {
    this.#writePendingNode();
    this.#startNode();
    const { secrecy } = this.#top;
    this.#frames.push({ column: -1, isFlow: true, inheritedSecrecy: secrecy, secrecy });
  }

  #close(): void {
    this.#writePendingNode();
    const index = this.#frames.findLastIndex(({ isFlow }) => isFlow);
    if (index > 0) this.#frames.length = index;
  }

  #readScalar(token: string): void {
    this.#writePendingNode();
    this.#nodeColumn ??= this.#column;
    this.#pendingNode = { index: this.#output.push(token) - 1, token };
    if (this.#anchor !== null)
      this.#secrecyByAnchor.set(this.#anchor, getSecrecyOfKey(getText(token)));
    this.#anchor = null;
    if (this.#isExplicitKey) this.#readColon();
  }

  #readColon(): void {
    const key = this.#pendingNode;
    // In malformed text a second key may be a value.
    if (this.#isAfterColon) this.#writePendingNode();
    else if (key !== null) this.#output[key.index] = maskText(key.token);
    this.#pendingNode = null;
    this.#isExplicitKey = false;
    this.#isAfterColon = true;
    const column = this.#nodeColumn ?? this.#column;
    this.#nodeColumn = null;
    if (key === null) return;
    if (!this.#top.isFlow) this.#leaveKeys(column);
    const { isFlow, inheritedSecrecy, secrecy } = this.#top;
    const outerSecrecy = isFlow ? inheritedSecrecy : secrecy;
    const keySecrecy = getHigherSecrecy(outerSecrecy, this.#getSecrecy(key.token));
    if (isFlow) this.#top.secrecy = keySecrecy;
    else this.#frames.push({ column, isFlow, inheritedSecrecy: outerSecrecy, secrecy: keySecrecy });
  }

  #getSecrecy(key: string): Secrecy {
    if (key.startsWith('*')) return this.#secrecyByAnchor.get(key.slice(1)) ?? 'none';
    return getSecrecyOfKey(getText(key));
  }

  /**
   * Writes a pending scalar as a value, with masked secrets. Adds a pending alias under a secret key to the secret
   * anchors.
   */
  #writePendingNode(): void {
    const value = this.#pendingNode;
    this.#pendingNode = null;
    if (value === null) return;
    const { secrecy } = this.#top;
    if (!value.token.startsWith('*')) {
      this.#output[value.index] = this.#maskScalar(value.token, secrecy);
    } else if (secrecy !== 'none') {
      const name = value.token.slice(1);
      this.#secretAnchors.set(
        name,
        getHigherSecrecy(this.#secretAnchors.get(name) ?? 'none', secrecy),
      );
    }
  }

  #maskScalar(token: string, secrecy: Secrecy): string {
    const content = getText(token);
    if (isSecretScalar(content, secrecy)) return quotedMask;
    if (content === token) return maskText(token);
    const maskedContent = this.#maskInside(content);
    return maskedContent === content ? token : JSON.stringify(maskedContent);
  }

  #readBlockScalar(body: string, headerIndex: number): void {
    this.#headerIndex = null;
    if (isSecretScalar(body.trim(), this.#top.secrecy)) {
      this.#output.length = headerIndex;
      this.#output.push(quotedMask, body.endsWith('\n') ? '\n' : '');
    } else {
      this.#output.push(this.#maskInside(body));
    }
  }
}

function makeRootFrame(): Frame {
  return { column: -1, isFlow: false, inheritedSecrecy: 'none', secrecy: 'none' };
}

/** Returns the value of a plain or quoted scalar. */
function getText(scalar: string): string {
  const type = { '"': 'double-quoted-scalar', "'": 'single-quoted-scalar' }[scalar.charAt(0)];
  if (type === undefined) return scalar;
  const token = { type, source: scalar, offset: 0, indent: 0 } as CST.FlowScalar;
  return CST.resolveAsScalar(token, false, () => {})?.value ?? scalar;
}
