import {
  formatCount,
  formatFitness,
  formatPValue,
  formatRuntime,
  formatShare,
  formatStatistic,
} from '#shared/number-format.ts';
import type { LatexTableName } from '#shared/schemas/answer-tables.ts';

/** How a column prints its numbers. `text` columns contain names and the like. */
export type ColumnFormat =
  'text' | 'count' | 'runtime' | 'fitness' | 'pValue' | 'share' | 'statistic';

/** Null = no value. Infinity is a value. */
export type Cell = string | number | null;

/** A column of a table. */
export interface Column {
  key: string;
  header: string;
  format: ColumnFormat;
}

/** A row: its cells by the key of their column. `best` lists the columns with a bold value. */
export interface Row {
  cells: Readonly<Record<string, Cell>>;
  best?: readonly string[];
  /** Columns with an asterisk, which the caption explains. */
  marked?: readonly string[];
}

/**
 * A table for readers, as LaTeX prints it. It is separate from the tables of CSV (`csv-table.ts`), which are for programs:
 * those have all fields of the schema with exact values and are written while the answer is read, so that one description
 * for both would need two sets of columns anyway. Both have their names in `shared/schemas/answer-tables.ts`.
 */
export interface Table {
  /** Name by which the parameter `table` requests it. */
  name: LatexTableName;
  /** Experiment, problem instance or other thing that the table is about; letters, digits and hyphens. */
  owner: string;
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
  /** Sentences below the table. */
  notes?: readonly string[];
}

/** Returns the label of a table or figure, which is unique in a document. */
export function labelOf({ name, owner }: Pick<Table, 'name' | 'owner'>): string {
  return `${name}-${owner}`;
}

const numberFormats: Record<Exclude<ColumnFormat, 'text'>, (value: number | null) => string> = {
  count: formatCount,
  runtime: formatRuntime,
  fitness: formatFitness,
  pValue: formatPValue,
  share: formatShare,
  statistic: formatStatistic,
};

/** Returns the text of a number as on the pages: "∞" for an infinite value, "–" for none. */
export function printNumber(value: number | null, format: ColumnFormat): string {
  return numberFormats[format === 'text' ? 'statistic' : format](value);
}
