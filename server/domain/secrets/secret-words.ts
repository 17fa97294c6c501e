/** Replacement of a secret. */
export const maskedValue = '***';

/** Fragments that make a key a secret's, in lower case; the same list narrows searches in SQL. */
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

/** Letters written as escapes, which may be those of a secret word. */
export const escapedLetters = ['\\u00', '\\x'] as const;

/** A text without any of these holds no secret: the words, the end of the user info of a URL, escapes. */
export const suspiciousParts = [...secretWords, ...escapedLetters, '@'] as const;

const secretWordPattern = secretWords.map((word) => word.replace('.', '\\.')).join('|');
const anySecretWord = new RegExp(secretWordPattern, 'i');
const lastSecretWord = new RegExp(`(?:${secretWordPattern})$`, 'i');
/** What a parser says of the text that it read. An `invalid token` may be one that somebody logged in with. */
const parsersToken = /\b(?:un)?expected token$/i;
const sign = /\\u00|\\x/i;
const schemeEnd = /:(?:\\?\/){2}/;
/** All of a word up to its last `@`; begins at the beginning of the word only, so that it reads the word once. */
const wordToLastAt = /(?<![^\s"])[^\s"]*@/g;
/** User info; with a colon in it, it ends at the last `@`, as a password may have any character. */
const userInfo = /(:(?:\\?\/){2})(?:[^:/?#@]*@|[^:/?#@]*:[^]*@)/g;
const parameter = /([?&])([\w.-]*)=([^&\s"]*)/g;

/**
 * How much of a value under a key is secret: nothing; its texts, where a secret word is part of the
 * key (`passwordHint`, but also the measured `token_mean_length`, whose number is none); or its numbers
 * too, where the key ends with one (`dbPassword`).
 */
export type Secrecy = 'none' | 'texts' | 'all';

/** Returns the {@link Secrecy} of values under a key, ignoring case. */
export function secrecyOfKey(key: string): Secrecy {
  if (!anySecretWord.test(key) || parsersToken.test(key)) return 'none';
  return lastSecretWord.test(key) ? 'all' : 'texts';
}

/**
 * The {@link Secrecy} of values under paths of keys with dots between: that of the most secret
 * key, or of the whole path, as a key may have dots itself.
 */
export function secrecyOfPath(...paths: string[]): Secrecy {
  const plain = paths.map((path) => path.replaceAll(/\[\d+\]/g, ''));
  const keys = plain.flatMap((path) => [path, ...path.split('.')]);
  const found = new Set(keys.map(secrecyOfKey));
  if (found.has('all')) return 'all';
  return found.has('texts') ? 'texts' : 'none';
}

/** The higher of two secrecies. */
export function stronger(one: Secrecy, other: Secrecy): Secrecy {
  if (one === 'all' || other === 'all') return 'all';
  return one === 'none' ? other : one;
}

/** Whether a scalar, as it is written without quotes, is to be hidden under a key of this secrecy. */
export function isSecretScalar(written: string, secrecy: Secrecy): boolean {
  if (secrecy === 'none' || /^(?:true|false|null|~|)$/i.test(written)) return false;
  return secrecy === 'all' || !Number.isFinite(Number(written));
}

/** Whether a text can hold a secret at all; false for nearly all, and then nothing needs to be parsed. */
export function mayHoldSecret(text: string): boolean {
  return anySecretWord.test(text) || mayHoldUserInfo(text) || sign.test(text);
}

/** Whether a text may have a URL with credentials before its host. */
export function mayHoldUserInfo(text: string): boolean {
  return text.includes('@') && schemeEnd.test(text);
}

/**
 * The text with the credentials of every URL in it hidden: the user info before the host, whatever
 * characters it has but white space and `"`, and parameters such as `?password=…`. Takes slashes escaped as
 * in JSON.
 */
export function maskUrls(text: string): string {
  const masked = mayHoldUserInfo(text)
    ? text.replace(wordToLastAt, (word) => word.replace(userInfo, `$1${maskedValue}@`))
    : text;
  if (!masked.includes('=')) return masked;
  return masked.replace(parameter, (written, before: string, key: string) =>
    secrecyOfKey(key) === 'none' ? written : `${before}${key}=${maskedValue}`,
  );
}
