import type { Generated } from 'kysely';
import type { newErtColumn, TableName, tableDefinitions } from './tables.ts';

/**
 * A 64-bit integer as both drivers hand it out: a number inside ±(2^53−1), a decimal string outside, so
 * that nothing is rounded. Either form, or a bigint, may be written.
 */
export type StoredInteger = number | string;

/**
 * The runner's tables, as Kysely sees them: by the declarations of {@link tableDefinitions}. Types say what the
 * columns are declared to hold: SQLite enforces none of it, so a row may carry text in a numeric column (see
 * {@link DatabaseDialect.finiteNumber}). The runner's own ERT stands in one more column of `coco_aggregates`, whose
 * name is the database's own ({@link Database.ertColumn}): read it with `sql.ref<number | null>(database.ertColumn)`.
 */
export type Tables = { [Name in TableName]: Row<(typeof tableDefinitions)[Name]['columns']> };

type Row<Columns> = {
  -readonly [Column in keyof Columns as Exclude<Column, typeof newErtColumn>]: Cell<
    Columns[Column]
  >;
};

/** What a column holds that is declared so. */
type Cell<Declaration> = Declaration extends 'ID'
  ? Generated<number>
  : Declaration extends `${string} ${'NOT NULL' | 'PRIMARY KEY'}${string}`
    ? Value<Declaration>
    : Value<Declaration> | null;

type Value<Declaration> = Declaration extends `TEXT${string}`
  ? string
  : Declaration extends `BIGINT${string}`
    ? StoredInteger
    : number;
