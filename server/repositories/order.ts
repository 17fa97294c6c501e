import { sql, type RawBuilder } from 'kysely';
import type { StoredInteger } from '#server/db/schema.ts';
import type { Database } from '#server/db/database.ts';

/** Columns of lists that hold integers. */
const integerColumns = new Set([
  'seed',
  'iterations',
  'evaluations',
  'runtime_millis',
  'function_id',
  'dimension',
  'evals_to_target',
]);

/** Columns of lists that hold times. */
const timeColumns = new Set(['start_time', 'end_time', 'created_at', 'started_at', 'finished_at']);

/**
 * What a list is ordered by for a column, named with its table: numbers as numbers, times as instants, texts by
 * code point; NULL where the column holds nothing of its kind.
 */
export function columnOrder(
  { dialect }: Database,
  table: 'r' | 'e' | 'm' | 't',
  column: string,
): RawBuilder<unknown> {
  const name = `${table}.${column}`;
  if (column === 'best_fitness') return dialect.finiteNumber(sql.ref<number | null>(name));
  if (integerColumns.has(column)) return dialect.integer(sql.ref<StoredInteger | null>(name));
  const text = sql.ref<string>(name);
  return dialect.byCodePoint(timeColumns.has(column) ? instantKey(text) : text);
}

/**
 * A stored time as a text that orders as the instants do: alone, `…16.5Z` sorts before `…16Z`, since a point comes
 * before a Z. {@link timeOfKey} turns it back.
 */
export function instantKey(time: RawBuilder<string>): RawBuilder<string> {
  return sql<string>`replace(${time}, 'Z', '!')`;
}

/** The {@link instantKey} of a time that was read. */
export function keyOfTime(time: string): string {
  return time.replace(/Z$/, '!');
}

/** The stored time of an {@link instantKey}. */
export function timeOfKey(key: string): string {
  return key.replace(/!$/, 'Z');
}
