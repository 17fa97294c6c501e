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

/**
 * Row of a table. `cells` contains the values by the keys of their columns. `boldColumns` contains the keys of the
 * columns with a bold value.
 */
export interface Row {
  cells: Readonly<Record<string, Cell>>;
  boldColumns?: readonly string[];
  /** Keys of the columns with an asterisk, which the caption explains. Their values are not bold. */
  markedColumns?: readonly string[];
}

/**
 * Table for readers, which LaTeX prints. The tables of CSV (`csv-table.ts`) are separate, because they are for
 * programs: their columns come from the schema, and their values are exact. One description for both would need two
 * sets of columns. `shared/schemas/csv-tables.ts` contains the names of both.
 */
export interface Table {
  /** Name of the table in its label and, if the endpoint has the parameter `table`, in this parameter. */
  name: LatexTableName;
  /** Slug of the owner of the table, such as an experiment or a problem instance: letters, digits and hyphens. */
  owner: string;
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
  /** Sentences below the table. */
  notes?: readonly string[];
}

/**
 * Returns the label of a table or figure without `tab:` or `fig:`. Tables with another name or owner have another
 * label.
 */
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
 * Returns the text of a number as the pages show it. It is "∞" or "−∞" for infinities, and "–" for null and NaN.
 * P-values and shares must not be infinite. A number in a column of texts has the format of a statistic.
 */
export function printNumber(value: number | null, format: ColumnFormat): string {
  return numberFormats[format === 'text' ? 'statistic' : format](value);
}
