import { isDecimal } from './syntax.ts';

/**
 * Returns the text with a leading apostrophe if a spreadsheet would read it as a formula. Such a text starts with `=`,
 * `+`, `-`, `@` or one of the full-width characters `＝＋－＠`, also after whitespace or NUL; or with a tab or a line
 * break. Returns decimal numbers unchanged.
 */
export function guardFormula(text: string): string {
  return isFormula(text) && !isDecimal(text) ? `'${text}` : text;
}

function isFormula(text: string): boolean {
  return /^[\s\0]*[=+\-@＝＋－＠]/.test(text) || /^[\t\r\n]/.test(text);
}

/** A value in a table. Null and undefined are missing values. */
export type CsvValue = string | number | boolean | null | undefined;

/** Returns a line of CSV (RFC 4180: commas, CRLF). */
export function formatCsvLine(values: readonly CsvValue[]): string {
  return `${values.map(formatCsvField).join(',')}\r\n`;
}

/**
 * Returns one field of a line, in quotes if necessary. Numbers have all their digits. Infinite numbers are `Inf` and
 * `-Inf`, which R and pandas can read. NaN and missing values are empty fields. Text that a spreadsheet would read as a
 * formula gets a leading apostrophe. U+FFFD replaces NUL, because some programs truncate text at NUL.
 */
export function formatCsvField(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return formatCsvNumber(value);
  if (typeof value === 'string' && plainText.test(value)) return value;
  const text = formatCsvValue(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Matches most of the texts that need neither quotes nor an apostrophe. */
const plainText = /^[A-Za-z0-9][\w.:/-]*$/;

/** Returns the text of {@link formatCsvField} without quotes. */
export function formatCsvValue(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guardFormula(value).replaceAll('\0', '\u{FFFD}');
  return typeof value === 'number' ? formatCsvNumber(value) : String(value);
}

function formatCsvNumber(value: number): string {
  if (Number.isNaN(value)) return '';
  return Number.isFinite(value) ? String(value) : `${value < 0 ? '-' : ''}Inf`;
}
