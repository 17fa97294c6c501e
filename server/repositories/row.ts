import { getTextStart } from '#shared/syntax.ts';
import { sql, type AliasedRawBuilder, type Expression } from 'kysely';
import type { StoredInteger, Tables } from '#server/db/schema.ts';

/** The tables by their aliases in {@link ColumnName}. */
interface TableNames {
  a: 'coco_aggregates';
  e: 'experiments';
  i: 'iterations';
  f: 'coco_reference_results';
  g: 'coco_optimizer_configs';
  k: 'checkpoints';
  m: 'coco_campaigns';
  o: 'run_objectives';
  p: 'experiment_params';
  q: 'control_requests';
  r: 'runs';
  t: 'coco_trials';
  v: 'events';
}

/** A column of a table, or of the counters in run-counts.ts. */
type ColumnName =
  | {
      [Name in keyof TableNames]: `${Name}.${keyof Tables[TableNames[Name]] & string}`;
    }[keyof TableNames]
  | `c.${'total' | 'completed' | 'failed' | 'stopped' | 'running'}_runs`;

/** The selected expression of a field, and the function that reads its stored value. */
interface Field<Value> {
  expression: Expression<unknown>;
  readValue: (value: unknown) => Value;
}

type ColumnOrExpression = ColumnName | Expression<unknown>;

/** Returns a function that makes a field from a column or an expression; `readValue` reads its stored value. */
function makeField<Value>(readValue: (value: unknown) => Value) {
  return (columnOrExpression: ColumnOrExpression): Field<Value> => ({
    expression:
      typeof columnOrExpression === 'string' ? sql.ref(columnOrExpression) : columnOrExpression,
    readValue,
  });
}

/** Selects a text; see {@link readText}. */
export const selectText = makeField(readText);

/** Selects a text or null. */
export const selectNullableText = makeField((value) => (value === null ? null : readText(value)));

/** Selects a finite number or null; see {@link toFinite}. */
export const selectNumber = makeField(toFinite);

/** Selects an integer as the nearest double, or null; see {@link toDouble}. */
export const selectDouble = makeField(toDouble);

/** Selects an integer, or the start of a stored text, or null; see {@link readExactInteger}. */
export const selectExactInteger = makeField(readExactInteger);

/** Selects an integer that every row has, or the start of a stored text, or an empty text for NULL. */
export const selectRequiredInteger = makeField((value) => readExactInteger(value) ?? '');

/** Selects an integer that every row has; 0 for an integer outside ±(2^53 − 1) and for any other value. */
export const selectSmallInteger = makeField((value) =>
  Number.isSafeInteger(value) ? Number(value) : 0,
);

/** Selects the result of a `case` as a boolean: true for 1, false for any other value. */
export const selectFlag = makeField((value) => value === 1);

/** Selects a number, for example of rows; 0 for NULL. */
export const selectCount = makeField((value) => Number(value ?? 0));

/**
 * Returns the definition of a row with these fields. `columns` selects them under their names. `read` converts a
 * selected row to the fields, in their order and without other columns.
 */
export function makeRow<const Fields extends Record<string, Field<unknown>>>(fields: Fields) {
  type Row = { [Name in keyof Fields]: ReturnType<Fields[Name]['readValue']> };
  const entries = Object.entries(fields);
  return {
    columns: entries.map(([name, { expression }]): AliasedRawBuilder<unknown, string> =>
      sql`${expression}`.as(name),
    ),
    read: (storedRow: Readonly<Record<string, unknown>>): Row => {
      // Object.fromEntries takes three times as long.
      const row: Record<string, unknown> = {};
      for (const [name, { readValue }] of entries) row[name] = readValue(storedRow[name]);
      return row as Row;
    },
  };
}

/** Returns a finite number unchanged; null for any other value. */
export function toFinite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/**
 * Returns the integer, or null for missing values, text and fractions. A number outside ±(2^53 − 1) becomes a string. A
 * string of 16 to 21 digits is an integer; it stays a string, because a number may lose precision. Other strings are
 * text, because SQLite converts short integers in an integer column.
 */
export function toInteger(value: unknown): StoredInteger | null {
  if (typeof value === 'string') return longInteger.test(value) ? value : null;
  if (typeof value !== 'number' || !Number.isInteger(value)) return null;
  return Number.isSafeInteger(value) ? value : String(value);
}

const longInteger = /^-?\d{16,21}$/;

/** Returns the integer of {@link toInteger} as the nearest double; null if there is none. */
export function toDouble(value: unknown): number | null {
  const integer = toInteger(value);
  return integer === null ? null : Number(integer);
}

/**
 * Maximum length, in UTF-16 code units, of a text that {@link readExactInteger} returns instead of an integer. It
 * exceeds the length of displayed texts, so truncation leaves no part of a secret unmasked.
 */
const maximumTextLength = 4_000;

/**
 * Returns the integer, or another value as text (`abc`, `1.5`, `-Infinity`), truncated to {@link maximumTextLength};
 * null for NULL.
 */
export function readExactInteger(value: unknown): StoredInteger | null {
  if (value === null) return null;
  return toInteger(value) ?? getTextStart(readText(value), maximumTextLength);
}

/** Returns the text, or a value of another type as text; an empty text for NULL. */
export function readText(value: unknown): string {
  return typeof value === 'string' ? value : String((value as number | null) ?? '');
}
