import {
  formatCount,
  formatFitness,
  formatPValue,
  formatRuntime,
  formatShare,
  formatStatistic,
} from '#shared/number-format.ts';

/** How the values of a column are printed; `text` ones are names and the like. */
export type ColumnFormat =
  'text' | 'count' | 'runtime' | 'fitness' | 'pValue' | 'share' | 'statistic';

/** Null = there is no value; Infinity is one. */
export type Cell = string | number | null;

/** A column of a table. */
export interface Column {
  key: string;
  header: string;
  format: ColumnFormat;
}

/** A row: its cells by the key of their column, and the columns in which it has the best value, or one with a mark. */
export interface Row {
  cells: Readonly<Record<string, Cell>>;
  best?: readonly string[];
  /** Shown with an asterisk, which the caption explains. */
  marked?: readonly string[];
}

/** A table as plain text and numbers, for any kind of file. */
export interface Table {
  /** Distinct among the tables of a document; letters, digits and hyphens. */
  id: string;
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
  /** Sentences that belong under the table. */
  notes?: readonly string[];
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
 * The text of a number as it is printed everywhere: "∞" for an infinite value, "–" for none. Text in a
 * column of numbers is not formatted.
 */
export function printNumber(value: number | null, format: ColumnFormat): string {
  return numberFormats[format === 'text' ? 'statistic' : format](value);
}
