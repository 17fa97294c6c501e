import { sql, type Expression, type OrderByItemBuilder, type RawBuilder } from 'kysely';

/** Order modifier for `orderBy(column, nullsLast('desc'))`: NULLs after all values in either direction. */
export function nullsLast(direction: 'asc' | 'desc') {
  return (item: OrderByItemBuilder): OrderByItemBuilder => item[direction]().nullsLast();
}

/** Length of a text in bytes of UTF-8; NULL for NULL. */
export function byteLength(text: Expression<string | null>): RawBuilder<number | null> {
  return sql<number | null>`octet_length(${text})`;
}

/** Longer texts are not read: SQLite's driver and a string of JavaScript hold 512 MB, and a page is made of several. */
const longestReadBytes = 268_435_456;

/** The text, NULL where it is longer than 256 MiB; tells without reading it. */
export function readable(text: Expression<string | null>): RawBuilder<string | null> {
  return sql<
    string | null
  >`case when octet_length(${text}) <= ${sql.lit(longestReadBytes)} then ${text} end`;
}

/**
 * The first `characters` characters of a text; NULL for NULL. As a character is at least one byte, this is
 * never too short for {@link cutToBytes} with the same number.
 */
export function textPrefix(
  text: Expression<string | null>,
  characters: number,
): RawBuilder<string | null> {
  return sql<string | null>`substr(${text}, 1, ${characters})`;
}

/** The longest beginning of `text` of whole characters that takes at most `bytes` bytes of UTF-8. */
export function cutToBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

/**
 * A whole number as a 64-bit value, for a comparison with an integer column of any width: bare, PostgreSQL
 * takes it for the width of the column and fails when it does not fit.
 */
export function int8(value: number | string): RawBuilder<number> {
  return sql<number>`cast(${value} as bigint)`;
}
