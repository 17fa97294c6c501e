import {
  sql,
  type Expression,
  type OrderByItemBuilder,
  type RawBuilder,
  type Compilable,
  type CompiledQuery,
} from 'kysely';
import type { Database } from './database.ts';

/**
 * Returns the order modifier for `orderBy(column, orderNullsLast('desc'))`, which sorts NULLs last in either direction.
 */
export function orderNullsLast(direction: 'asc' | 'desc') {
  return (item: OrderByItemBuilder): OrderByItemBuilder => item[direction]().nullsLast();
}

/** Returns the length of a text in bytes, in the encoding of the database (usually UTF-8); NULL for NULL. */
export function selectByteLength(text: Expression<string | null>): RawBuilder<number | null> {
  return sql<number | null>`octet_length(${text})`;
}

/**
 * Maximum length of a text that {@link selectReadableText} returns, in bytes. SQLite's driver and a JavaScript string
 * have a limit of about 512 MiB, and a page contains several texts.
 */
const maximumReadBytes = 268_435_456;

/** Returns the text; NULL for NULL and for a text longer than 256 MiB. Computes the length without reading the text. */
export function selectReadableText(text: Expression<string | null>): RawBuilder<string | null> {
  return sql<
    string | null
  >`case when octet_length(${text}) <= ${sql.lit(maximumReadBytes)} then ${text} end`;
}

/**
 * Returns the first `characters` characters of a text; NULL for NULL. The prefix is never too short for {@link
 * truncateToBytes} with the same number, because a character has at least one byte.
 */
export function selectTextPrefix(
  text: Expression<string | null>,
  characters: number,
): RawBuilder<string | null> {
  return sql<string | null>`substr(${text}, 1, ${characters})`;
}

/** Returns the longest prefix of `text` that consists of whole characters and has at most `bytes` bytes of UTF-8. */
export function truncateToBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

/**
 * Returns a whole number as a 64-bit value, for LIMIT, OFFSET, and comparisons with an integer column of any width. In
 * a comparison without the cast, PostgreSQL uses the width of the column and fails if the number does not fit.
 */
export function castInt8(value: number | string): RawBuilder<number> {
  return sql<number>`cast(${value} as bigint)`;
}

/** Runs `work` on batches of at most `size` items, one batch after the other, and returns the results in order. */
export async function runInBatches<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (batch: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: (readonly Result[])[] = [];
  for (let start = 0; start < items.length; start += size) {
    results.push(await work(items.slice(start, start + size)));
  }
  return results.flat();
}

type Value = string | readonly (string | number)[];

/** Placeholder for a value during the compilation of a query. */
class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/**
 * Returns a query that compiles its statement once for each database, because compiling takes three times as long as
 * running the statement. `build` receives a placeholder for each value and must pass it to the query unchanged. It must
 * pass the placeholder of a list to {@link DatabaseDialect.isAmong}. The query resolves with the rows.
 */
export function createPreparedQuery<const Values extends readonly Value[], Row>(
  build: (database: Database, ...values: Values) => Compilable<Row>,
): (database: Database, ...values: Values) => Promise<Row[]> {
  const compiledQueries = new WeakMap<Database['kysely'], CompiledQuery<Row>>();
  return async (database, ...values) => {
    const { kysely } = database;
    let query = compiledQueries.get(kysely);
    if (query === undefined) {
      // Kysely treats each placeholder as a value.
      const placeholders = values.map((_, index) => new Placeholder(index)) as unknown as Values;
      query = build(database, ...placeholders).compile();
      compiledQueries.set(kysely, query);
    }
    const parameters = query.parameters.map((value) =>
      value instanceof Placeholder ? values[value.index] : value,
    );
    return (await kysely.executeQuery<Row>({ ...query, parameters })).rows;
  };
}
