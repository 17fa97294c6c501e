import { sql, type RawBuilder } from 'kysely';
import type { StoredInteger } from '#server/db/schema.ts';
import type { Database } from '#server/db/database.ts';

/** Integer columns by which clients can sort lists, except `id`. */
const integerColumns = new Set([
  'seed',
  'iterations',
  'evaluations',
  'runtime_millis',
  'function_id',
  'dimension',
  'evals_to_target',
]);

/** Time columns by which clients can sort lists. */
const timeColumns = new Set(['start_time', 'end_time', 'created_at', 'started_at', 'finished_at']);

/**
 * Returns the sort key of a list for a column of a table: numbers as numbers, times as instants, texts by code point.
 * The key is NULL for a text or another invalid value in a column of numbers.
 */
export function orderByColumn(
  { dialect }: Database,
  table: 'r' | 'e' | 'm' | 't',
  column: string,
): RawBuilder<unknown> {
  const name = `${table}.${column}`;
  if (column === 'best_fitness') return dialect.selectFiniteNumber(sql.ref<number | null>(name));
  if (integerColumns.has(column)) return dialect.selectInteger(sql.ref<StoredInteger | null>(name));
  const text = sql.ref<string>(name);
  return dialect.orderByCodePoint(timeColumns.has(column) ? selectTimeKey(text) : text);
}

/**
 * Returns a stored time as a text that sorts as the instants do. The stored text `…16.5Z` sorts before `…16Z`, because
 * a point sorts before a Z. {@link getTimeOfKey} is the inverse; `getTimeKey` does the same outside of SQL.
 */
export function selectTimeKey(time: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`replace(${time}, 'Z', '!')`;
}

/** Returns the stored time of a key of {@link selectTimeKey}. */
export function getTimeOfKey(key: string): string {
  return key.replace(/!$/, 'Z');
}
