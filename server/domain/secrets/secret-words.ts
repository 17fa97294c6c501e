/** Replacement for a secret. */
export const maskedValue = '***';

/** Parts of secret keys, in lower case. SQL uses the same list to find values that may contain secrets. */
export const secretWords = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'apikey',
  'api-key',
  'api_key',
  'api.key',
] as const;

/** Prefixes of escaped letters, which may be part of a secret word. */
export const escapePrefixes = ['\\u00', '\\x'] as const;

/**
 * Suspicious parts of texts. Every text with a secret contains at least one of them: a secret word, an escape, or the
 * end of a URL's user info.
 */
export const suspiciousParts = [...secretWords, ...escapePrefixes, '@'] as const;

const secretWordPattern = secretWords.map((word) => word.replace('.', '\\.')).join('|');
const anySecretWord = new RegExp(secretWordPattern, 'i');
const lastSecretWord = new RegExp(`(?:${secretWordPattern})$`, 'i');
/** Messages of parsers about the text that they read. But an `invalid token` may be a credential. */
const parserMessage = /\b(?:un)?expected token$/i;
const escapePattern = /\\u00|\\x/i;
const schemeEnd = /:(?:\\?\/){2}/;
/** A word up to its last `@`; matches only at the start of the word, to read the word once. */
const wordToLastAt = /(?<![^\s"])[^\s"]*@/g;
/** User info; if it contains a colon, it ends at the last `@`, as a password may contain any character. */
const userInfo = /(:(?:\\?\/){2})(?:[^:/?#@]*@|[^:/?#@]*:[^]*@)/g;
const urlParameter = /([?&])([\w.-]*)=([^&\s"]*)/g;

/**
 * Kinds of values under a key that are secret: none; texts, if the key contains a secret word (`passwordHint`, but also
 * the metric `token_mean_length`, whose number is not secret); or also numbers, if the key ends with a secret word
 * (`dbPassword`).
 */
export type Secrecy = 'none' | 'texts' | 'all';

/**
 * Returns the {@link Secrecy} of values under a key, ignoring case; `none` for the message of a parser about a token.
 */
export function getSecrecyOfKey(key: string): Secrecy {
  if (!anySecretWord.test(key) || parserMessage.test(key)) return 'none';
  return lastSecretWord.test(key) ? 'all' : 'texts';
}

/**
 * Returns the {@link Secrecy} of values under dotted paths: that of the most secret key or of the whole path, as a key
 * may contain dots.
 */
export function getSecrecyOfPath(...paths: string[]): Secrecy {
  const plainPaths = paths.map((path) => path.replaceAll(/\[\d+\]/g, ''));
  const keys = plainPaths.flatMap((path) => [path, ...path.split('.')]);
  const secrecies = new Set(keys.map(getSecrecyOfKey));
  if (secrecies.has('all')) return 'all';
  return secrecies.has('texts') ? 'texts' : 'none';
}

/** Returns the higher one of two secrecies. */
export function getHigherSecrecy(a: Secrecy, b: Secrecy): Secrecy {
  if (a === 'all' || b === 'all') return 'all';
  return a === 'none' ? b : a;
}

/**
 * Returns whether a scalar, written without quotes, is a secret under a key of this secrecy. Returns false for
 * booleans, null, `~` and the empty text, and for blank text and finite numbers if only texts are secret.
 */
export function isSecretScalar(token: string, secrecy: Secrecy): boolean {
  if (secrecy === 'none' || /^(?:true|false|null|~|)$/i.test(token)) return false;
  return secrecy === 'all' || !Number.isFinite(Number(token));
}

/** Returns whether a text may contain a secret; false for most texts, which then need no parsing. */
export function canContainSecret(text: string): boolean {
  return anySecretWord.test(text) || canContainUserInfo(text) || escapePattern.test(text);
}

/** Returns whether a text may contain a URL with credentials before its host. */
export function canContainUserInfo(text: string): boolean {
  return text.includes('@') && schemeEnd.test(text);
}

/**
 * Masks the user info before the host of every URL in the text, with any characters except whitespace and `"`. Slashes
 * may have a backslash as in JSON. Masks the values of secret parameters such as `?password=…`, also outside of URLs.
 */
export function maskUrls(text: string): string {
  const maskedText = canContainUserInfo(text)
    ? text.replace(wordToLastAt, (word) => word.replace(userInfo, `$1${maskedValue}@`))
    : text;
  if (!maskedText.includes('=')) return maskedText;
  return maskedText.replace(urlParameter, (match, precedingText: string, key: string) =>
    getSecrecyOfKey(key) === 'none' ? match : `${precedingText}${key}=${maskedValue}`,
  );
}
