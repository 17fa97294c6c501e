import { isDecimal } from '#shared/decimal.ts';
import type { Columns } from './columns.ts';

/** The numbers of a row that are read; `exact` holds the digits of evaluations beyond 2^53. */
export interface DataRow {
  evaluations: number;
  value: number;
  exact: string | null;
}

const largestInteger = 2n ** 63n - 1n;

/**
 * The evaluations and the value of a row; null where one of them is missing, no finite number, or where the
 * evaluations are no whole number that the database can hold. Loggers print evaluations as `1.16044e+06` too.
 */
export function parseRow(line: string, columns: Columns): DataRow | null {
  const value = numberAt(line, columns.value);
  const functionEvaluations = numberAt(line, columns.evaluations);
  const constraints =
    columns.constraintEvaluations === -1 ? 0 : numberAt(line, columns.constraintEvaluations);
  const evaluations = functionEvaluations + constraints;
  if (!Number.isFinite(value) || !Number.isInteger(evaluations) || evaluations < 0) return null;
  if (Number.isSafeInteger(evaluations)) return { evaluations, value, exact: null };
  const digits = fieldAt(line, columns.evaluations);
  const exact = exactCount(digits, constraints);
  return exact === null ? null : { evaluations, value, exact };
}

/** The digits of a count that a double cannot hold; null beyond 2^63 − 1. */
export function exactCount(digits: string, added = 0): string | null {
  const count = /^\d+$/.test(digits) ? BigInt(digits) : BigInt(Number(digits));
  const sum = count + BigInt(added);
  return sum > largestInteger ? null : String(sum);
}

/** The number in a column; NaN where there is none. */
function numberAt(line: string, column: number): number {
  const text = fieldAt(line, column);
  return isDecimal(text) ? Number(text) : Number.NaN;
}

const space = 32;

/** The text in a column; columns are parted by blanks or tabs, any number of them. Empty where there is none. */
function fieldAt(line: string, column: number): string {
  let end = 0;
  for (let index = 0; end < line.length; index += 1) {
    let start = end;
    while (start < line.length && line.charCodeAt(start) <= space) start += 1;
    end = start;
    while (end < line.length && line.charCodeAt(end) > space) end += 1;
    if (index === column) return line.slice(start, end);
  }
  return '';
}
