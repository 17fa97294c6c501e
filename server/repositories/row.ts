import { sql, type AliasedRawBuilder, type Expression } from 'kysely';
import type { StoredInteger, Tables } from '#server/db/schema.ts';

/** The tables by the names that queries give them. */
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

/** A column of a table, or of the counters of run-counts.ts. */
type ColumnName =
  | {
      [Name in keyof TableNames]: `${Name}.${keyof Tables[TableNames[Name]] & string}`;
    }[keyof TableNames]
  | `c.${'total' | 'completed' | 'failed' | 'stopped' | 'running'}_runs`;

/** What is selected for a field of a row, and how the stored value is read. */
interface Field<Value> {
  source: Expression<unknown>;
  read: (stored: unknown) => Value;
}

type Source = ColumnName | Expression<unknown>;

/** Makes the field that a function reads from a column or an expression. */
function fieldOf<Value>(read: (stored: unknown) => Value) {
  return (source: Source): Field<Value> => ({
    source: typeof source === 'string' ? sql.ref(source) : source,
    read,
  });
}

/** A text, see {@link textOf}. */
export const text = fieldOf(textOf);

/** A text or null. */
export const nullableText = fieldOf((stored) => (stored === null ? null : textOf(stored)));

/** A finite number or null, see {@link finiteOf}. */
export const number = fieldOf(finiteOf);

/** An integer as the nearest double, or null, see {@link doubleOf}. */
export const double = fieldOf(doubleOf);

/** An integer to show, or what stands in its place, see {@link shownIntegerOf}. */
export const shownInteger = fieldOf(shownIntegerOf);

/** An integer that every row has; what else stands in its place is shown, and empty for NULL. */
export const requiredInteger = fieldOf((stored) => shownIntegerOf(stored) ?? '');

/** A whole number of 32 bits that every row has; 0 where a careless writer stored something else. */
export const smallInteger = fieldOf((stored) =>
  Number.isSafeInteger(stored) ? Number(stored) : 0,
);

/** Whether a condition holds, where `case` makes 1 of it. */
export const flag = fieldOf((stored) => stored === 1);

/** A number of rows, 0 where a join found none to count. */
export const count = fieldOf((stored) => Number(stored ?? 0));

/**
 * The one list of a row's fields: `columns` selects them under their names, `read` makes of a selected row what they
 * are, in their order and without other columns.
 */
export function rowOf<const Fields extends Record<string, Field<unknown>>>(fields: Fields) {
  type Row = { [Name in keyof Fields]: ReturnType<Fields[Name]['read']> };
  const entries = Object.entries(fields);
  return {
    columns: entries.map(([name, { source }]): AliasedRawBuilder<unknown, string> =>
      sql`${source}`.as(name),
    ),
    read: (stored: Readonly<Record<string, unknown>>): Row => {
      // Object.fromEntries takes three times as long.
      const row: Record<string, unknown> = {};
      for (const [name, { read }] of entries) row[name] = read(stored[name]);
      return row as Row;
    },
  };
}

/** The number, or null where the column holds none, text, or one that is not finite. */
export function finiteOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/**
 * The integer, or null where the column holds none, text or a fraction. A string is an integer that could not
 * be written as a number without loss; text that looks like one is never left in an integer column.
 */
export function integerOf(value: unknown): StoredInteger | null {
  if (typeof value === 'string') return longInteger.test(value) ? value : null;
  if (typeof value !== 'number' || !Number.isInteger(value)) return null;
  return Number.isSafeInteger(value) ? value : String(value);
}

const longInteger = /^-?\d{16,21}$/;

/** The {@link integerOf} as the nearest double, which beyond 2^53 is enough for a mean; null where there is none. */
export function doubleOf(value: unknown): number | null {
  const integer = integerOf(value);
  return integer === null ? null : Number(integer);
}

/** Characters that are read of a text in the place of an integer: more than is shown, so that a cut hides no secret. */
const readLength = 4_000;

/**
 * The integer, or in words what a careless writer stored in its place (`abc`, `1.5`, `-Infinity`) at
 * most its first {@link readLength} characters; null where the column holds NULL.
 */
export function shownIntegerOf(value: unknown): StoredInteger | null {
  if (value === null) return null;
  return integerOf(value) ?? textOf(value).slice(0, readLength);
}

/** The text, or what else a careless writer stored, written out; an empty one for NULL. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String((value as number | null) ?? '');
}
