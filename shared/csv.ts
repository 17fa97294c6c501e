import { guardFormula } from './formula.ts';

/** A value in a table; null or undefined = there is none. */
export type CsvValue = string | number | boolean | null | undefined;

/** A line of CSV (RFC 4180: commas, CRLF) of these values. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

/**
 * One field of a line, quoted where it must be. Numbers have all their digits, infinite ones are `Inf` and `-Inf`,
 * as R and pandas read them; NaN and a missing value are an empty field. Text that a spreadsheet would take for a
 * formula gets a leading apostrophe, and U+FFFD in place of NUL, at which readers end a text.
 */
export function csvField(value: CsvValue): string {
  const text = csvText(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text of {@link csvField} before it is quoted. */
export function csvText(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guardFormula(value).replaceAll('\0', '\u{FFFD}');
  return typeof value === 'number' ? csvNumber(value) : String(value);
}

function csvNumber(value: number): string {
  if (Number.isNaN(value)) return '';
  return Number.isFinite(value) ? String(value) : `${value < 0 ? '-' : ''}Inf`;
}
