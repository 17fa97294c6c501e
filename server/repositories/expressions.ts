import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { int8 } from '#server/db/expressions.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import type { InstantRange } from '#shared/schemas/common.ts';

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

/** Where a page begins; beyond 2^53 no table has rows, so that is far enough for any page. */
export function pageOffset(page: number, size: number): RawBuilder<number> {
  return int8(Math.min(page * size, Number.MAX_SAFE_INTEGER));
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

/** The number, or null where the column holds none, text, or one that is not finite. */
export function finiteOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/**
 * The integer, or null where the column holds none, text or a fraction. A decimal string is an integer that
 * the driver could not write as a number; text that looks like one is never left in an integer column.
 */
export function integerOf(value: unknown): StoredInteger | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  return typeof value === 'string' && /^-?\d{16,19}$/.test(value) ? value : null;
}

/** The text, with an empty one where a column that should hold one holds NULL. */
export function textOf(value: string | null): string {
  return value ?? '';
}
