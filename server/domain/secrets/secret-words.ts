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
/**
 * Matches messages of parsers about the text that they read. Does not match `invalid token`, which may be a credential.
 */
const parserMessage = /\b(?:un)?expected token$/i;
const escapePattern = /\\u00|\\x/i;
const schemeEnd = /:(?:\\?\/){2}/;
/** Matches a word up to its last `@`, but only from the start of the word, to read each word once. */
const wordToLastAt = /(?<![^\s"])[^\s"]*@/g;
/**
 * Matches `://` and user info. User info with a colon ends at the last `@`, because a password may contain any
 * character.
 */
const userInfo = /(:(?:\\?\/){2})(?:[^:/?#@]*@|[^:/?#@]*:[^]*@)/g;
const urlParameter = /([?&])([\w.-]*)=([^&\s"]*)/g;

/**
 * Values under a key that are secret. `none`: no values. `texts`: texts but not numbers, because the key contains a
 * secret word (`passwordHint`, but also the metric `token_mean_length`, whose number is not secret). `all`: numbers
 * too, because the key ends with a secret word (`dbPassword`).
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
 * Returns the {@link Secrecy} of values under dotted paths: the highest secrecy of the keys and of the whole paths,
 * because a key may contain dots. Ignores indices of arrays such as `[0]`.
 */
export function getSecrecyOfPath(...paths: string[]): Secrecy {
  const plainPaths = paths.map((path) => path.replaceAll(/\[\d+\]/g, ''));
  const keys = plainPaths.flatMap((path) => [path, ...path.split('.')]);
  const secrecies = new Set(keys.map(getSecrecyOfKey));
  if (secrecies.has('all')) return 'all';
  return secrecies.has('texts') ? 'texts' : 'none';
}

/** Returns the higher of two secrecies: `all` is higher than `texts`, and `texts` is higher than `none`. */
export function getHigherSecrecy(a: Secrecy, b: Secrecy): Secrecy {
  if (a === 'all' || b === 'all') return 'all';
  return a === 'none' ? b : a;
}

/**
 * Returns whether a scalar, written without quotes, is a secret under a key of this secrecy. Returns false for
 * booleans, null, `~` and the empty text. If only texts are secret, also returns false for blank text and finite
 * numbers.
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
 * Masks the user info before the host of every URL in the text. A password may contain any characters except whitespace
 * and `"`. User info with `:`, `/`, `?`, `#` or `@` in the name of the user remains unmasked, because a URL does not
 * permit them there. A backslash may precede each slash, as in JSON. Masks the values of secret parameters such as
 * `?password=…`, also outside of URLs.
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
