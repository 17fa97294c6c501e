import { compareNaturally } from '#shared/natural-order.ts';
import { isDecimal, parseDecimal } from '#shared/syntax.ts';
import type { CellValue, ChosenColumns, TableColumn, TableSort } from './types.ts';

/** Returns the columns with sortable headings; where the service sorts, those that it has a name for. */
export function makeSortableColumns<Row>(
  columns: readonly TableColumn<Row>[],
  isByService: boolean,
): TableColumn<Row>[] {
  return columns.filter(
    ({ sortable, sortBy }) => sortable !== false && (!isByService || sortBy !== undefined),
  );
}

/** Parses a sort from the URL (`best`, `-best`); null for an unknown column. */
export function parseSort(text: string | undefined, sortable: readonly string[]): TableSort | null {
  if (!text) return null;
  const column = text.replace(/^-/, '');
  if (!sortable.includes(column)) return null;
  return { column, direction: text.startsWith('-') ? 'desc' : 'asc' };
}

/** Returns the URL text of a sort: the column, with a leading minus when descending. */
export function formatSort(sort: TableSort): string {
  return sort.direction === 'desc' ? `-${sort.column}` : sort.column;
}

/** Returns the sort after a click on a heading: first direction, then the other, and back. */
export function getNextSort<Row>(current: TableSort | null, column: TableColumn<Row>): TableSort {
  if (current?.column === column.id) {
    return { column: column.id, direction: current.direction === 'asc' ? 'desc' : 'asc' };
  }
  const isDescending = column.descendingFirst ?? column.align === 'end';
  return { column: column.id, direction: isDescending ? 'desc' : 'asc' };
}

/** Returns the rows sorted by a column. The sort is stable; missing values and NaN come last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  { value }: TableColumn<Row>,
  direction: TableSort['direction'],
): Row[] {
  const sign = direction === 'desc' ? -1 : 1;
  const isMissing = (cell: CellValue): boolean => (cell ?? null) === null || Number.isNaN(cell);
  return [...rows].sort((one, other) => {
    const [first, second] = [value(one), value(other)];
    if (isMissing(first) || isMissing(second))
      return Number(isMissing(first)) - Number(isMissing(second));
    return sign * compareCells(first, second);
  });
}

/** URL text of the default columns. A table whose URL names no columns shows those that were chosen last. */
export const defaultColumnsText = 'default';

/** Parses the column ids of a URL text, in order; null when there are none, for the default ones. */
export function parseColumns(text: string | null | undefined): ChosenColumns {
  if (text === defaultColumnsText) return null;
  const ids = [...new Set((text ?? '').split(',').filter(Boolean))];
  return ids.length === 0 ? null : ids;
}

/** Returns the URL text of chosen columns; null for the default ones. */
export function formatColumns(columns: ChosenColumns): string | null {
  return columns === null ? null : columns.join(',');
}

/** Returns the id of a column that belongs to an item of the data; the name may contain any character. */
export function makeDataColumnId(kind: string, name: string): string {
  return `${kind}-${encodeURIComponent(name)}`;
}

/** Returns a choice that also states which columns of the data are hidden. */
export function addHiddenColumns<Row>(
  columns: readonly TableColumn<Row>[],
  shownIds: readonly string[],
): string[] {
  const hidden = columns.filter(({ id, isOfData }) => isOfData && !shownIds.includes(id));
  return [...shownIds, ...hidden.map(({ id }) => `-${id}`)];
}

/**
 * Returns the ids of the shown columns in order. Chosen ids that exist come first, in their order; fixed columns that
 * were not chosen lead. Columns of the data that the choice does not hide follow their neighbours. Without a choice:
 * all columns that are not hidden by default and fit a window of this width.
 */
export function makeShownColumns<Row>(
  columns: readonly TableColumn<Row>[],
  chosenColumns: ChosenColumns,
  windowPixels = Infinity,
): string[] {
  if (chosenColumns === null) {
    return columns
      .filter(
        ({ isHiddenByDefault, fromPixels }) =>
          !isHiddenByDefault && (fromPixels ?? 0) <= windowPixels,
      )
      .map(({ id }) => id);
  }
  const existing = new Set(columns.map((column) => column.id));
  const present = chosenColumns.filter((id) => existing.has(id));
  const missing = columns.filter((column) => column.fixed && !present.includes(column.id));
  const order = columns.map(({ id }) => id);
  return columns
    .filter(({ id, isOfData }) => isOfData && !chosenColumns.includes(`-${id}`))
    .reduce(
      (shown, { id }) => (shown.includes(id) ? shown : addColumn(shown, id, order)),
      [...missing.map((column) => column.id), ...present],
    );
}

/** Returns the shown ids with one more, after the nearest shown column that precedes it in `order`. */
export function addColumn(
  columnIds: readonly string[],
  id: string,
  order: readonly string[],
): string[] {
  const before = order.slice(0, order.indexOf(id)).findLast((other) => columnIds.includes(other));
  const place = before === undefined ? 0 : columnIds.indexOf(before) + 1;
  return columnIds.toSpliced(place, 0, id);
}

/** Returns the order after moving one id a step earlier (−1) or later (1); unchanged at the ends. */
export function moveColumn(columnIds: readonly string[], id: string, step: -1 | 1): string[] {
  const from = columnIds.indexOf(id);
  const to = from + step;
  if (from < 0 || to < 0 || to >= columnIds.length) return [...columnIds];
  const moved = columnIds.filter((other) => other !== id);
  moved.splice(to, 0, id);
  return moved;
}

/**
 * Returns the ids of constant columns: all values are equal (missing ones equal each other). None for fewer than two
 * rows; never a fixed column.
 */
export function getConstantColumnIds<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): string[] {
  const first = rows[0];
  if (first === undefined || rows.length < 2) return [];
  return columns
    .filter((column) => !column.fixed)
    .filter((column) => {
      const value = column.value(first) ?? null;
      return rows.every((row) => Object.is(column.value(row) ?? null, value));
    })
    .map((column) => column.id);
}

/** Returns the alignment of a column; `auto` is `end` when every value of the rows is a number. */
export function getAlignment<Row>(
  { align, value }: TableColumn<Row>,
  rows: readonly Row[],
): 'start' | 'end' {
  if (align !== 'auto') return align ?? 'start';
  const values = rows.map(value).filter((cell) => (cell ?? '') !== '');
  return values.length > 0 && values.every((cell) => isDecimal(String(cell))) ? 'end' : 'start';
}

/**
 * Compares two values of a column: numbers and texts of decimal numbers (integers beyond 2^53 exactly) by size, before
 * other text; that in natural order, with case ignored. Neither side may be missing or NaN.
 */
export function compareCells(one: CellValue, other: CellValue): number {
  const [first, second] = [asNumber(one), asNumber(other)];
  if (first !== null && second !== null) return first < second ? -1 : Number(first > second);
  if (first !== null || second !== null) return first !== null ? -1 : 1;
  return compareNaturally(String(one).toLowerCase(), String(other).toLowerCase());
}

function asNumber(value: CellValue): number | bigint | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return null;
  return /^-?\d{16,21}$/.test(value) ? BigInt(value) : (parseDecimal(value) ?? null);
}

/** Maximum number of rows whose texts decide the widths and decimals of the columns. */
const maximumMeasuredRows = 5_000;

/**
 * Returns the rows whose texts decide the widths and decimals of the columns: all rows, or of more than
 * {@link maximumMeasuredRows} evenly spaced ones with the first and the last, because formatting a million rows would
 * block the page for half a minute.
 */
export function getMeasuredRows<Row>(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= maximumMeasuredRows) return rows;
  const step = (rows.length - 1) / (maximumMeasuredRows - 1);
  return Array.from({ length: maximumMeasuredRows }, (_, index) =>
    Math.round(index * step),
  ).flatMap((position) => rows[position] ?? []);
}

/**
 * Returns the decimal point of a printed number with the digits after it; '' for none; null for any other text, such as
 * "∞".
 */
function getDecimals(text: string): string | null {
  return /^−?[\d\u2009]+((?:\.\d+)?)$/.exec(text)?.[1] ?? null;
}

/** Returns the longest decimals among the printed numbers of a column: ".375"; '' where none has any. */
export function getLongestDecimals(texts: readonly string[]): string {
  return texts.reduce((longest, text) => {
    const decimals = getDecimals(text) ?? '';
    return decimals.length > longest.length ? decimals : longest;
  }, '');
}

/**
 * Returns the invisible text after a right-aligned number that puts its decimal point below those of the column, whose
 * longest decimals are `longest`: "40" gets ".00" in a column with "38.25". '' for texts that are no
 * plain numbers.
 */
export function getPadding(text: string, longest: string): string {
  const decimals = getDecimals(text);
  return decimals === null ? '' : longest.slice(decimals.length);
}

/** Returns the index of the longest text, the first of ties; 0 without texts. */
export function findLongest(texts: readonly string[]): number {
  return texts.reduce(
    (longest, text, index) => (text.length > (texts[longest]?.length ?? 0) ? index : longest),
    0,
  );
}
