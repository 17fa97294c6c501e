import { parseDecimal } from '#shared/decimal.ts';

/** A property of an algorithm or run as a file states it. */
export type FlatAttribute = string | number | boolean;

/** Longer names and values are cut: databases index them, and an index takes no more. */
const longestText = 500;

/** Text for people: at most 500 characters, without control characters, which no database or page should meet. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, longestText);
}

/** Largest number of an instance or dimension that the database takes. */
const largestNumber = 2 ** 31 - 1;

/** A whole number from 0 to 2^31 − 1; null for anything else. */
export function smallNatural(value: unknown): number | null {
  const isNatural = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= largestNumber;
  return isNatural ? Number(value) : null;
}

/** A text as the number it prints, else as the text. */
export function attributeOf(text: string): FlatAttribute {
  const plain = plainText(text);
  return parseDecimal(plain) ?? plain;
}
