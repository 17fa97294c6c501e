import {
  sql,
  type Expression,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { castInt8, orderNullsLast } from '#server/db/queries.ts';
import type { InstantRange } from '#shared/schemas/common.ts';

/** The number of a page of a list, from 0, and its maximum number of rows. */
export interface PageRequest {
  page: number;
  size: number;
}

/** The id of a row of a list. */
export type ListId = string | number;

/** The order of a list, and the page to return. Without a page, a query returns the whole list. */
export interface ListOptions {
  sortDir: 'asc' | 'desc';
  pageRequest?: PageRequest | undefined;
}

/**
 * Returns the query sorted by these keys, NULLs last, then by id, all in `sortDir`. With a page, the query selects only
 * that page.
 */
export function sortRows<DB, Names extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Names, Row>,
  keys: readonly Expression<unknown>[],
  id: Expression<unknown>,
  { sortDir, pageRequest }: ListOptions,
): SelectQueryBuilder<DB, Names, Row> {
  const sortedQuery = keys
    .reduce<SelectQueryBuilder<DB, Names, Row>>(
      (orderedQuery, sortKey) => orderedQuery.orderBy(sortKey, orderNullsLast(sortDir)),
      query,
    )
    .orderBy(id, sortDir);
  return pageRequest
    ? sortedQuery.limit(pageRequest.size).offset(castInt8(countRowsBefore(pageRequest)))
    : sortedQuery;
}

/** Returns the offset of a page in its list: `page` × `size`, at most 2^53 − 1, which no table reaches. */
export function countRowsBefore({ page, size }: PageRequest): number {
  return Math.min(page * size, Number.MAX_SAFE_INTEGER);
}

/**
 * Returns a row for each of `ids`, in the order of `ids`. Omits ids without a row. An id that occurs again takes the
 * next row with this id.
 */
export function sortByIds<Row>(
  ids: readonly ListId[],
  rows: readonly Row[],
  getId: (row: Row) => ListId,
): Row[] {
  // Tables of other programs may contain an id twice.
  const rowsById = Map.groupBy(rows, (row) => String(getId(row)));
  return ids.flatMap((id) => rowsById.get(String(id))?.shift() ?? []);
}

/** Returns the number of rows of a query. */
export function countRows<DB, Names extends keyof DB>(
  query: SelectQueryBuilder<DB, Names, object>,
): Promise<number> {
  return query
    .select(sql<number>`count(*)`.as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirst()
    .then((row) => row?.total ?? 0);
}

/** Returns the condition that a text contains one of the substrings, ignoring case. `substrings` must not be empty. */
export function containsAny(
  dialect: DatabaseDialect,
  text: Expression<string | null>,
  substrings: readonly string[],
): RawBuilder<SqlBool> {
  const conditions = substrings.map((substring) => dialect.containsText(text, substring));
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

/** Returns the condition that the text of a column is one of the values, ignoring case; no condition without values. */
export function listValueConditions(
  dialect: DatabaseDialect,
  column: string,
  values: readonly string[],
): RawBuilder<SqlBool>[] {
  if (values.length === 0) return [];
  const text = sql.ref<string | null>(column);
  const equalityConditions = values.map((value) => dialect.equalsText(text, value));
  return [sql<SqlBool>`(${sql.join(equalityConditions, sql` or `)})`];
}

/**
 * Returns the conditions that a stored time (`YYYY-MM-DDTHH:MM:SS[.fraction]Z`, 0 to 9 digits) is in the range, to the
 * nanosecond; no condition for a range without ends. Within a second, the order of texts differs from that of times:
 * `…16.5Z` sorts before `…16Z`. The conditions therefore omit the `Z`, and the trailing zeros of the lower bound. A
 * comparison by whole seconds lets an index narrow the rows first.
 */
export function listRangeConditions(
  dialect: DatabaseDialect,
  time: Expression<string>,
  { from, to }: InstantRange,
): RawBuilder<SqlBool>[] {
  const orderedTime = dialect.orderByCodePoint(time);
  const bareTime = dialect.orderByCodePoint(sql<string>`rtrim(${time}, 'Z')`);
  const conditions: RawBuilder<SqlBool>[] = [];
  if (from !== undefined) {
    const exactTime = from.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
    conditions.push(sql`(${orderedTime} >= ${from.slice(0, 19)} and ${bareTime} >= ${exactTime})`);
  }
  if (to !== undefined) {
    // '[' follows 'Z' directly, so the first comparison includes every time of that second.
    conditions.push(sql`(${orderedTime} < ${`${to.slice(0, 19)}[`} and ${bareTime} <= ${to})`);
  }
  return conditions;
}
