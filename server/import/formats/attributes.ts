import { parseDecimal } from '#shared/decimal.ts';
import { getTextStart } from '#shared/text-start.ts';

/** The value of an attribute of an algorithm or run. */
export type FlatAttribute = string | number | boolean;

/** Maximum length of names and values in characters, because databases index them and limit index entries. */
const maximumTextLength = 500;

/** Returns a text with spaces instead of control characters, trimmed and truncated to 500 characters. */
export function toPlainText(text: string): string {
  const plainText = text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return getTextStart(plainText, maximumTextLength);
}

/** Largest number of an instance or dimension that the database can store. */
const maximumNumber = 2 ** 31 - 1;

/** Returns a whole number from 0 to 2^31 − 1; null for anything else. */
export function parseSmallNatural(value: unknown): number | null {
  const isNatural = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maximumNumber;
  return isNatural ? Number(value) : null;
}

/** Returns the decimal number that a text represents; any other text as {@link toPlainText} returns it. */
export function parseAttribute(text: string): FlatAttribute {
  const plainText = toPlainText(text);
  return parseDecimal(plainText) ?? plainText;
}
