/** What stands where a secret was. */
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

/** The words as one regular expression source. */
export const secretWordPattern = secretWords.map((word) => word.replace('.', '\\.')).join('|');

const anySecretWord = new RegExp(secretWordPattern, 'i');
const lastSecretWord = new RegExp(`(?:${secretWordPattern})$`, 'i');
const userInfo = /(:(?:\\?\/){2})[^\s/?#"'<>\\]*@/g;
const parameter = /([?&;])([\w.-]*)=([^&;#\s"'\\<>]*)/g;
const hint = new RegExp(`${secretWordPattern}|${userInfo.source}|\\\\u00`, 'i');

/**
 * How much is secret of what stands under a key: nothing; its texts, where a secret word is part of the
 * key (`passwordHint`, but also the measured `token_mean_length`, whose number is none); or its numbers
 * too, where the key ends with one (`dbPassword`).
 */
export type Secrecy = 'none' | 'texts' | 'all';

/** The {@link Secrecy} of what stands under a key, without regard to case. */
export function secrecyOfKey(key: string): Secrecy {
  if (!anySecretWord.test(key)) return 'none';
  return lastSecretWord.test(key) ? 'all' : 'texts';
}

/** Whether a scalar, as it is written without quotes, is to be hidden under a key of this secrecy. */
export function isSecretScalar(written: string, secrecy: Secrecy): boolean {
  if (secrecy === 'none' || /^(?:true|false|null|~|)$/i.test(written)) return false;
  return secrecy === 'all' || !Number.isFinite(Number(written));
}

/** Whether a text can hold a secret at all; false for nearly all, and then nothing needs to be parsed. */
export function mayHoldSecret(text: string): boolean {
  return hint.test(text);
}

/**
 * The text with the credentials of every URL in it hidden: the user info before the host, and parameters
 * such as `?password=…`. Takes slashes escaped as in JSON. Null stays null.
 */
export function maskUrls<Text extends string | null>(text: Text): Text | string {
  if (text === null || !(text.includes(':') || text.includes('='))) return text;
  return text
    .replace(userInfo, `$1${maskedValue}@`)
    .replace(parameter, (written, before: string, key: string) =>
      anySecretWord.test(key) ? `${before}${key}=${maskedValue}` : written,
    );
}
