import { startsFormula } from '#shared/formula.ts';
import type { Cell, Table } from './table.ts';

/**
 * The table as CSV (RFC 4180: commas, CRLF, a header line). Numbers are written with all their digits,
 * infinite ones as "Inf" and "-Inf", missing ones as nothing. Text that a spreadsheet would take for a
 * formula gets a leading apostrophe.
 */
export function writeCsv(table: Pick<Table, 'columns' | 'rows'>): string {
  const header = table.columns.map((column) => column.header);
  const rows = table.rows.map(({ cells }) => table.columns.map(({ key }) => cells[key] ?? null));
  return [header, ...rows].map((line) => `${line.map(csvField).join(',')}\r\n`).join('');
}

/** One field of a CSV line, quoted where it must be. */
export function csvField(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return csvNumber(value);
  const harmless = startsFormula(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) || harmless !== harmless.trim()
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless;
}

function csvNumber(value: number): string {
  if (Number.isNaN(value)) return '';
  return Number.isFinite(value) ? String(value) : `${value < 0 ? '-' : ''}Inf`;
}
