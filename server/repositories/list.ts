import {
  sql,
  type Expression,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { int8, nullsLast } from '#server/db/expressions.ts';
import type { InstantRange } from '#shared/schemas/common.ts';

/** A part of a list: where it begins and how long it is. */
export interface Part {
  page: number;
  size: number;
  /** Rows before it, in place of what `page` says. */
  offset?: number;
}

/** One page of a list: where it begins, how long it is, and whether it ascends. */
export interface Selection extends Part {
  sortDir: 'asc' | 'desc';
}

/** One page of the rows of a query: by these keys in turn, NULLs last, and then by the id. */
export function pageOf<DB, Names extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Names, Row>,
  keys: readonly Expression<unknown>[],
  id: Expression<unknown>,
  { sortDir, ...part }: Selection,
): SelectQueryBuilder<DB, Names, Row> {
  return keys
    .reduce<SelectQueryBuilder<DB, Names, Row>>(
      (ordered, sortKey) => ordered.orderBy(sortKey, nullsLast(sortDir)),
      query,
    )
    .orderBy(id, sortDir)
    .limit(part.size)
    .offset(int8(rowsBefore(part)));
}

/** How many rows of a list come before a part. Beyond 2^53 no table has rows, so that is far enough for any page. */
export function rowsBefore({ page, size, offset = page * size }: Part): number {
  return Math.min(offset, Number.MAX_SAFE_INTEGER);
}

/** How many rows a query gives. */
export function countOf<DB, Names extends keyof DB>(
  query: SelectQueryBuilder<DB, Names, object>,
): Promise<number> {
  return query
    .select(sql<number>`count(*)`.as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirst()
    .then((row) => row?.total ?? 0);
}

/** Whether a text contains one of the parts, without regard to case. */
export function containsAny(
  dialect: DatabaseDialect,
  text: Expression<string | null>,
  parts: readonly string[],
): RawBuilder<SqlBool> {
  const found = parts.map((part) => dialect.containsText(text, part));
  return sql<SqlBool>`(${sql.join(found, sql` or `)})`;
}

/** Whether a column's whole text is one of the values, without regard to case; no values: no condition. */
export function isAnyOf(
  dialect: DatabaseDialect,
  column: string,
  values: readonly string[],
): RawBuilder<SqlBool>[] {
  if (values.length === 0) return [];
  const text = sql.ref<string | null>(column);
  const equal = values.map((value) => dialect.equalsText(text, value));
  return [sql<SqlBool>`(${sql.join(equal, sql` or `)})`];
}

/**
 * Whether a stored time (`YYYY-MM-DDTHH:MM:SS[.fraction]Z`, 0 to 9 digits) lies in the range, to the
 * nanosecond. Text order alone is wrong inside a second, where `…16.5Z` sorts before `…16Z`: so the `Z`
 * goes, and with it the trailing zeros of the lower bound, after which the texts order as the times do.
 * The comparison by whole seconds before it lets an index narrow the rows.
 */
export function isInRange(
  dialect: DatabaseDialect,
  time: Expression<string>,
  { from, to }: InstantRange,
): RawBuilder<SqlBool>[] {
  const stored = dialect.byCodePoint(time);
  const bare = dialect.byCodePoint(sql<string>`rtrim(${time}, 'Z')`);
  const conditions: RawBuilder<SqlBool>[] = [];
  if (from !== undefined) {
    const exact = from.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
    conditions.push(sql`(${stored} >= ${from.slice(0, 19)} and ${bare} >= ${exact})`);
  }
  if (to !== undefined) {
    // '[' comes right after 'Z', so this takes in every time of that second.
    conditions.push(sql`(${stored} < ${`${to.slice(0, 19)}[`} and ${bare} <= ${to})`);
  }
  return conditions;
}
