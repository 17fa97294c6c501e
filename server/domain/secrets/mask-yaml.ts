import { CST, Lexer } from 'yaml';
import {
  isSecretScalar,
  maskedValue,
  mayHoldSecret,
  secrecyOfKey,
  stronger,
  type Secrecy,
} from './secret-words.ts';

type Mask = (text: string) => string;

const quotedMask = `"${maskedValue}"`;
/** What the lexer says of its tokens: a scalar comes, a document begins, a flow collection was not closed. */
const [scalarMark, documentMark, flowEndMark] = ['\u001F', '\u0002', '\u0018'];
/** YAML inside of YAML is read as such to this depth, and as plain text below. */
const maximumDepth = 2;

/**
 * A YAML text with its secrets hidden, by its tokens, so that malformed texts are treated alike, in a time that
 * grows with the length; `maskText` does scalars and comments. What an anchor names is hidden where one of its
 * aliases is under a secret key.
 */
export function maskYamlBy(text: string, maskText: Mask, depth = 0): string {
  const inside: Mask = (content) => {
    if (!mayHoldSecret(content)) return content;
    const isYaml = depth < maximumDepth && content.includes('\n');
    return isYaml ? maskYamlBy(content, maskText, depth + 1) : maskText(content);
  };
  const read = (secrecyOfAnchor: (name: string) => Secrecy) => {
    const scan = new YamlScan(secrecyOfAnchor, inside, maskText);
    for (const token of new Lexer().lex(text)) scan.read(token);
    return scan.end();
  };
  const first = read(() => 'none');
  if (first.exposed.size === 0) return first.output;
  const second = read((name) => first.exposed.get(name) ?? 'none');
  // An anchor that names aliases in turn.
  return second.exposed.size === first.exposed.size ? second.output : read(() => 'all').output;
}

/** A key of a block mapping, or a flow collection, around the present place. */
interface Frame {
  /** Where the key begins; -1 of a document and of a flow collection. */
  column: number;
  isFlow: boolean;
  /** Of a flow collection: what its members have before their keys. */
  inherited: Secrecy;
  /** Of what comes now. */
  secrecy: Secrecy;
}

/** A scalar or an alias: only the next token shows whether it is a key. */
interface Pending {
  /** Its position in the output. */
  index: number;
  written: string;
}

/** Reads tokens in their order and writes them, secrets hidden. */
class YamlScan {
  readonly #secrecyOfAnchor: (name: string) => Secrecy;
  readonly #maskInside: Mask;
  readonly #maskText: Mask;
  readonly #output: string[] = [];
  readonly #exposed = new Map<string, Secrecy>();
  /** Secrecy that named scalars have as keys. */
  readonly #named = new Map<string, Secrecy>();
  #frames: Frame[] = [rootFrame()];
  #column = 0;
  /** Where the present node with its anchor and tag begins. */
  #nodeColumn: number | null = null;
  #pending: Pending | null = null;
  #anchor: string | null = null;
  /** Position of the header of a block scalar in the output, until the scalar comes. */
  #header: number | null = null;
  #isScalar = false;
  #isExplicitKey = false;
  /** Whether a key with its colon came before in this place, where only its value can follow. */
  #isAfterColon = false;

  constructor(secrecyOfAnchor: (name: string) => Secrecy, maskInside: Mask, maskText: Mask) {
    this.#secrecyOfAnchor = secrecyOfAnchor;
    this.#maskInside = maskInside;
    this.#maskText = maskText;
  }

  /** The text, and the aliases that stand under secret keys. */
  end(): { output: string; exposed: ReadonlyMap<string, Secrecy> } {
    this.#settle();
    return { output: this.#output.join(''), exposed: this.#exposed };
  }

  read(token: string): void {
    if (this.#isScalar) {
      this.#isScalar = false;
      if (this.#header === null) this.#scalar(token);
      else this.#blockScalar(token, this.#header);
      this.#advance(token);
    } else if (token === scalarMark) {
      this.#isScalar = true;
    } else if (token === documentMark || token === flowEndMark) {
      this.#settle();
      this.#frames =
        token === flowEndMark ? this.#frames.filter(({ isFlow }) => !isFlow) : [rootFrame()];
    } else {
      this.#output.push(token);
      this.#indicator(token);
      this.#advance(token);
    }
  }

  #advance(token: string): void {
    this.#column = token.endsWith('\n') ? 0 : this.#column + token.length;
  }

  #indicator(token: string): void {
    switch (token.charAt(0)) {
      case ' ':
      case '\t':
        break;
      case '\r':
      case '\n':
        this.#newline();
        break;
      case '"':
      case "'":
      case '*':
        this.#output.pop();
        this.#scalar(token);
        break;
      case '&':
      case '!':
        this.#property(token);
        break;
      case '|':
      case '>':
        this.#header = this.#output.length - 1;
        break;
      case ':':
        this.#colon();
        break;
      case '-':
        this.#dash(token);
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
        this.#settle();
        this.#startNode();
        this.#top.secrecy = this.#top.inherited;
        break;
      default:
        this.#output[this.#output.length - 1] = this.#maskText(token);
    }
  }

  get #top(): Frame {
    return this.#frames.at(-1) ?? rootFrame();
  }

  #newline(): void {
    if (this.#top.isFlow) return;
    this.#settle();
    this.#startNode();
  }

  #startNode(): void {
    this.#nodeColumn = null;
    this.#isAfterColon = false;
  }

  #property(token: string): void {
    this.#nodeColumn ??= this.#column;
    if (!token.startsWith('&')) return;
    this.#anchor = token.slice(1);
    this.#top.secrecy = stronger(this.#top.secrecy, this.#secrecyOfAnchor(this.#anchor));
  }

  #dash(token: string): void {
    this.#settle();
    this.#startNode();
    if (token === '---') this.#frames = [rootFrame()];
    else this.#leave(this.#column + 1);
  }

  /** Leaves the keys that begin at this column or to the right of it. */
  #leave(column: number): void {
    while (!this.#top.isFlow && this.#top.column >= column) this.#frames.pop();
  }

  #open(): void {
    this.#settle();
    this.#startNode();
    const { secrecy } = this.#top;
    this.#frames.push({ column: -1, isFlow: true, inherited: secrecy, secrecy });
  }

  #close(): void {
    this.#settle();
    const at = this.#frames.findLastIndex(({ isFlow }) => isFlow);
    if (at > 0) this.#frames.length = at;
  }

  #scalar(written: string): void {
    this.#settle();
    this.#nodeColumn ??= this.#column;
    this.#pending = { index: this.#output.push(written) - 1, written };
    if (this.#anchor !== null) this.#named.set(this.#anchor, secrecyOfKey(textOf(written)));
    this.#anchor = null;
    if (this.#isExplicitKey) this.#colon();
  }

  #colon(): void {
    const key = this.#pending;
    // Malformed: a second key in the place of a value, which it may be.
    if (this.#isAfterColon) this.#settle();
    this.#pending = null;
    this.#isExplicitKey = false;
    this.#isAfterColon = true;
    const column = this.#nodeColumn ?? this.#column;
    this.#nodeColumn = null;
    if (key === null) return;
    if (!this.#top.isFlow) this.#leave(column);
    const { isFlow, inherited, secrecy } = this.#top;
    const around = isFlow ? inherited : secrecy;
    const here = stronger(around, this.#secrecyOf(key.written));
    if (isFlow) this.#top.secrecy = here;
    else this.#frames.push({ column, isFlow, inherited: around, secrecy: here });
  }

  #secrecyOf(key: string): Secrecy {
    if (key.startsWith('*')) return this.#named.get(key.slice(1)) ?? 'none';
    return secrecyOfKey(textOf(key));
  }

  /** What was pending is no key: a value, hidden where it is secret. */
  #settle(): void {
    const value = this.#pending;
    this.#pending = null;
    if (value === null) return;
    const { secrecy } = this.#top;
    if (!value.written.startsWith('*')) {
      this.#output[value.index] = this.#shown(value.written, secrecy);
    } else if (secrecy !== 'none') {
      const name = value.written.slice(1);
      this.#exposed.set(name, stronger(this.#exposed.get(name) ?? 'none', secrecy));
    }
  }

  #shown(written: string, secrecy: Secrecy): string {
    const content = textOf(written);
    if (isSecretScalar(content, secrecy)) return quotedMask;
    if (content === written) return this.#maskText(written);
    const masked = this.#maskInside(content);
    return masked === content ? written : JSON.stringify(masked);
  }

  #blockScalar(body: string, header: number): void {
    this.#header = null;
    if (isSecretScalar(body.trim(), this.#top.secrecy)) {
      this.#output.length = header;
      this.#output.push(quotedMask, body.endsWith('\n') ? '\n' : '');
    } else {
      this.#output.push(this.#maskInside(body));
    }
  }
}

function rootFrame(): Frame {
  return { column: -1, isFlow: false, inherited: 'none', secrecy: 'none' };
}

/** Returns the value of a plain or quoted scalar. */
function textOf(written: string): string {
  const type = { '"': 'double-quoted-scalar', "'": 'single-quoted-scalar' }[written.charAt(0)];
  if (type === undefined) return written;
  const token = { type, source: written, offset: 0, indent: 0 } as CST.FlowScalar;
  return CST.resolveAsScalar(token, false, () => {})?.value ?? written;
}
