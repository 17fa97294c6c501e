import {
  formatCount,
  formatFitness,
  formatPValue,
  formatShare,
  formatStatistic,
} from '#shared/number-format.ts';

/** How the values of a column are printed; `text` ones are names and the like. */
export type ColumnFormat = 'text' | 'count' | 'fitness' | 'pValue' | 'share' | 'statistic';

/** Null = there is no value; Infinity is one. */
export type Cell = string | number | null;

/** A column of a table. */
export interface Column {
  key: string;
  header: string;
  format: ColumnFormat;
}

/** A row: its cells by the key of their column, and the columns in which it has the best value. */
export interface Row {
  cells: Readonly<Record<string, Cell>>;
  best?: readonly string[];
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

/**
 * The rows with the column's best finite value marked as such: the smallest or the largest, every one of
 * them when several share it. Nothing is marked when fewer than two rows have a value.
 */
export function markBest(rows: readonly Row[], key: string, best: 'min' | 'max'): Row[] {
  const values = rows.map(({ cells }) => cells[key] ?? null).filter(isFiniteNumber);
  const winner = best === 'min' ? Math.min(...values) : Math.max(...values);
  if (values.length < 2) return [...rows];
  return rows.map((row) => (row.cells[key] === winner ? addBest(row, key) : row));
}

function isFiniteNumber(value: Cell): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function addBest(row: Row, key: string): Row {
  return { cells: row.cells, best: [...(row.best ?? []), key] };
}
