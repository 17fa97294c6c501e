import { isDecimal, isInteger } from './decimal.ts';

/** How a filter compares a parameter; `~` is "contains". */
export const paramOperators = ['=', '!=', '<', '<=', '>', '>=', '~'] as const;
export type ParamOperator = (typeof paramOperators)[number];

/** Most filters on parameters that one list takes, and the longest of them in characters. */
export const maximumParamFilters = 20;
export const maximumParamFilterLength = 1000;

/** Most values that one filter lists. */
const maximumValues = 100;

/** A value that a filter compares with. */
export interface ParamValue {
  text: string;
  /** Of a bare decimal number, so that `50` equals `50.0`; null for other texts, quoted ones among them. */
  number: number | null;
}

/** A filter on one parameter: it holds when the comparison is true of any of the values, `!=` of all. */
export interface ParamFilter {
  /** The path of a flattened parameter, or its last key. */
  path: string;
  operator: ParamOperator;
  values: readonly ParamValue[];
}

const spacedOperator = /^(?<path>.*?)\s(?<operator>!=|<=|>=|=|<|>|~)(?:\s+(?<value>.*))?$/s;
const bareOperator = /^(?<path>.*?)(?<operator>!=|<=|>=|=|<|>|~)(?<value>.*)$/s;

/**
 * Reads `<path> <op> <value>`: `populationSize > 50`, `problem.type = onemax`, `name ~ long`. The operator is the
 * first one between spaces, or else the first one. After `=` and `!=` a JSON list stands for several values (`= [50,
 * 100]` is any of them, `!= [50, 100]` none of them), a JSON text for a text that would read as something else
 * (`= "50"`). After `<`, `<=`, `>`, `>=` only a finite number may stand; after `~` any text, as it is. What does not
 * fit comes back as a sentence about the part that is wrong.
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
  if (operator === '=' || operator === '!=') return readJson(value) ?? [valueOf(value)];
  const number = isDecimal(value) ? Number(value) : NaN;
  if (!Number.isFinite(number)) return `needs a finite number after ${operator}, not "${value}"`;
  return [{ text: value, number }];
}

/** The values that a text in JSON stands for; null for a text that is not meant as JSON. */
function readJson(value: string): ParamValue[] | string | null {
  if (!/^["[]/.test(value)) return null;
  const items = parsed(value);
  const isReadable = Array.isArray(items) && items.length > 0 && items.every(isScalar);
  if (!isReadable) {
    return `needs a list such as [50, 100] or ["a", "b"], or one text in double quotes, not ${value}`;
  }
  if (items.length > maximumValues) return `takes at most ${maximumValues} values after = and !=`;
  return items.map((item) =>
    typeof item === 'number' ? valueOf(String(item)) : { text: String(item), number: null },
  );
}

function parsed(value: string): unknown {
  try {
    return [JSON.parse(value) as unknown].flat();
  } catch {
    return undefined;
  }
}

function isScalar(item: unknown): item is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof item);
}

/** Whole numbers beyond 2^53, which a double would round, compare digit by digit as text. */
function valueOf(text: string): ParamValue {
  const number = isDecimal(text) ? Number(text) : NaN;
  const isExact = Number.isSafeInteger(number) || !isInteger(text);
  return { text, number: Number.isFinite(number) && isExact ? number : null };
}
