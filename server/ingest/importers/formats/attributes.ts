/** A property of an algorithm or run as a file states it. */
export type FlatAttribute = string | number | boolean;

/** Text for people without control characters, which no database or page should meet. */
export function plainText(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim();
}

/** A text as the number it prints, else as the text. */
export function attributeOf(text: string): FlatAttribute {
  const plain = plainText(text);
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain);
  return isNumber && Number.isFinite(Number(plain)) ? Number(plain) : plain;
}
