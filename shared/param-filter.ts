import { isDecimal, isInteger } from './decimal.ts';

/** Comparison operators of a filter; `~` means "contains". */
export const paramOperators = ['=', '!=', '<', '<=', '>', '>=', '~'] as const;
export type ParamOperator = (typeof paramOperators)[number];

/** Maximum number of filters on parameters in one list, and maximum length of a filter in characters. */
export const maximumParamFilters = 20;
export const maximumParamFilterLength = 1000;

/** Maximum number of values in one filter. */
const maximumValues = 100;

/** A value that a filter compares with. */
export interface ParamValue {
  text: string;
  /**
   * The value of a decimal number without quotes, so that `50` equals `50.0`. Null for other texts, for integers that a
   * number cannot represent exactly, for infinite numbers, and after `~`.
   */
  number: number | null;
}

/** A filter on one parameter. It matches if the comparison is true of any value; `!=` must be true of all values. */
export interface ParamFilter {
  /** The path of a flattened parameter, or its last key. */
  path: string;
  operator: ParamOperator;
  values: readonly ParamValue[];
}

const spacedOperator = /^(?<path>.*?)\s(?<operator>!=|<=|>=|=|<|>|~)(?:\s+(?<value>.*))?$/s;
const bareOperator = /^(?<path>.*?)(?<operator>!=|<=|>=|=|<|>|~)(?<value>.*)$/s;

/**
 * Parses `<path> <op> <value>`: `populationSize > 50`, `problem.type = onemax`, `name ~ long`. The operator is the
 * first one between spaces, else the first one. After `=` and `!=`, a JSON list contains up to 100 values (`= [50, 100]`
 * matches any of them, `!= [50, 100]` none of them), and a JSON string is a text that would otherwise have another
 * meaning (`= "50"`). `<`, `<=`, `>` and `>=` need a finite number; `~` needs a text that is not blank. Removes
 * whitespace around values. If the filter is invalid, returns an error message that follows the name of the field:
 * `has no operator …`.
 */
export function parseParamFilter(text: string): ParamFilter | string {
  const parts = (spacedOperator.exec(text) ?? bareOperator.exec(text))?.groups;
  if (!parts) return `has no operator (${paramOperators.join(' ')}) in "${text}"`;
  const path = parts['path']?.trim() ?? '';
  const value = parts['value']?.trim() ?? '';
  const operator = parts['operator'] as ParamOperator;
  if (path === '') return `has no path before ${operator} in "${text}"`;
  if (value === '') return `has no value after ${operator} in "${text}"`;
  const values = readValues(operator, value);
  return typeof values === 'string' ? values : { path, operator, values };
}

function readValues(operator: ParamOperator, value: string): ParamValue[] | string {
  if (operator === '~') return [{ text: value, number: null }];
  if (operator === '=' || operator === '!=') return readJson(value) ?? [parseValue(value)];
  const number = isDecimal(value) ? Number(value) : NaN;
  if (!Number.isFinite(number)) return `needs a finite number after ${operator}, not "${value}"`;
  return [{ text: value, number }];
}

/** Returns the values of a JSON text, or an error message; null for a text that does not begin like JSON. */
function readJson(value: string): ParamValue[] | string | null {
  if (!/^["[]/.test(value)) return null;
  const items = parseItems(value);
  const isReadable = Array.isArray(items) && items.length > 0 && items.every(isScalar);
  if (!isReadable) {
    return `needs a list such as [50, 100] or ["a", "b"], or one text in double quotes, not ${value}`;
  }
  if (items.length > maximumValues) return `takes at most ${maximumValues} values after = and !=`;
  return items.map((item) =>
    typeof item === 'number' || typeof item === 'bigint'
      ? parseValue(String(item))
      : { text: String(item), number: null },
  );
}

function parseItems(value: string): unknown {
  try {
    return [JSON.parse(value, reviveInteger) as unknown].flat();
  } catch {
    return undefined;
  }
}

/** Returns an integer beyond 2^53 as a bigint with all digits. */
function reviveInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? '';
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
  return isRounded && isInteger(source) ? BigInt(source) : value;
}

function isScalar(item: unknown): item is string | number | boolean | bigint {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof item);
}

/** Returns the value of a text. Whole numbers beyond 2^53 are only text, because a double would round them. */
function parseValue(text: string): ParamValue {
  const number = isDecimal(text) ? Number(text) : NaN;
  const isExact = Number.isSafeInteger(number) || !isInteger(text);
  return { text, number: Number.isFinite(number) && isExact ? number : null };
}
