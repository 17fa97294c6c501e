import {
  formatCount,
  formatFitness,
  formatPValue,
  formatRuntime,
  formatShare,
  formatStatistic,
} from '#shared/number-format.ts';
import type { LatexTableName } from '#shared/schemas/csv-tables.ts';

/** Number format of a column. `text` is for columns of names and other texts. */
export type ColumnFormat =
  'text' | 'count' | 'runtime' | 'fitness' | 'pValue' | 'share' | 'statistic';

/** Value of a cell; null for no value. Infinity is a value. */
export type Cell = string | number | null;

/** Column of a table. */
export interface Column {
  key: string;
  header: string;
  format: ColumnFormat;
}

/** Row of a table: its cells by the key of their column. `boldColumns` are those with a bold value. */
export interface Row {
  cells: Readonly<Record<string, Cell>>;
  boldColumns?: readonly string[];
  /** Columns with an asterisk, which the caption explains. Their values are not bold. */
  markedColumns?: readonly string[];
}

/**
 * Table for readers, which LaTeX prints. It is separate from the tables of CSV (`csv-table.ts`), which are for
 * programs: their columns come from the schema, with exact values. One description for both would need two sets of
 * columns. The names of both are in `shared/schemas/csv-tables.ts`.
 */
export interface Table {
  /** Name of the table in its label and, if the endpoint has it, in the parameter `table` of a request. */
  name: LatexTableName;
  /** Slug of the owner of the table, such as an experiment or a problem instance: letters, digits and hyphens. */
  owner: string;
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
  /** Sentences below the table. */
  notes?: readonly string[];
}

/** Returns the label of a table or figure without `tab:` or `fig:`. It differs for another name or owner. */
export function getLabel({ name, owner }: Pick<Table, 'name' | 'owner'>): string {
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

/**
 * Returns the text of a number as on the pages: "∞" and "−∞" for infinities, except in p-values and shares, which must
 * be finite; "–" for null and NaN. A number in a column of texts has the format of a statistic.
 */
export function printNumber(value: number | null, format: ColumnFormat): string {
  return numberFormats[format === 'text' ? 'statistic' : format](value);
}
