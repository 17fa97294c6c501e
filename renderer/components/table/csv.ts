import { startsFormula } from '#shared/formula.ts';
import type { CellValue, TableColumn } from './types.ts';

/**
 * A table as CSV (RFC 4180: CRLF, quotes doubled), headings first. A missing value and NaN are an empty
 * field, an infinite number is "Inf" or "-Inf" as the service writes it. Text that a spreadsheet would take for a formula gets a leading apostrophe; numbers stay numbers.
 */
export function csvOf(
  headings: readonly string[],
  rows: readonly (readonly CellValue[])[],
): string {
  return lines(headings, rows)
    .map((fields) => `${fields.map(csvField).join(',')}\r\n`)
    .join('');
}

/** A table as tab-separated text to paste, headings first; tabs and line ends inside a value become blanks. */
export function tsvOf(
  headings: readonly string[],
  rows: readonly (readonly CellValue[])[],
): string {
  return lines(headings, rows)
    .map((fields) => fields.map((field) => field.replace(/[\t\r\n]+/g, ' ')).join('\t'))
    .join('\n');
}

/** Headings and values of some rows in these columns and their further fields, for {@link csvOf} and {@link tsvOf}. */
export function tableFields<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): [headings: string[], rows: CellValue[][]] {
  const fields = columns.flatMap((column) => [column, ...(column.fields ?? [])]);
  return [
    fields.map(({ header }) => header),
    rows.map((row) => fields.map(({ value }) => value(row))),
  ];
}

function lines(headings: readonly string[], rows: readonly (readonly CellValue[])[]): string[][] {
  return [headings.map(guardFormula), ...rows.map((row) => row.map(fieldText))];
}

function fieldText(value: CellValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'boolean' ? String(value) : guardFormula(value);
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return '';
  return Number.isFinite(value) ? String(value) : `${value < 0 ? '-' : ''}Inf`;
}

const plainNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function guardFormula(text: string): string {
  return startsFormula(text) && !plainNumber.test(text) ? `'${text}` : text;
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
