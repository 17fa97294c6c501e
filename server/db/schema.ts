import type { Generated } from 'kysely';
import type { newErtColumn, TableName, tableDefinitions } from './tables.ts';

/**
 * A 64-bit integer as both drivers return it: a number within ±(2^53−1), otherwise a decimal string, because a number
 * would lose digits. Writes accept both.
 */
export type StoredInteger = number | string;

/**
 * The runner's tables for Kysely, by the declarations of {@link tableDefinitions}. The types are the declared types,
 * which SQLite does not enforce: a numeric column may contain text (see {@link DatabaseDialect.selectFiniteNumber}).
 * The runner's ERT is in an additional column of `coco_aggregates`, whose name differs between databases ({@link
 * Database.ertColumn}). Read it with `sql.ref<number | null>(database.ertColumn)`.
 */
export type Tables = { [Name in TableName]: Row<(typeof tableDefinitions)[Name]['columns']> };

type Row<Columns> = {
  -readonly [Column in keyof Columns as Exclude<Column, typeof newErtColumn>]: Cell<
    Columns[Column]
  >;
};

/** The type of a column with this declaration. */
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
