const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const integer = /^[+-]?\d+$/;

/** Returns whether a text is a decimal number (`5`, `-.5`, `1.`, `1e-3`) of any size, without whitespace around it. */
export function isDecimal(text: string): boolean {
  return decimal.test(text);
}

/** Returns whether a text is an integer in decimal digits, with or without a sign. */
export function isInteger(text: string): boolean {
  return integer.test(text);
}

/**
 * Returns the finite number that a text contains as a decimal, ignoring whitespace around it; undefined for any other
 * text.
 */
export function parseDecimal(text: string): number | undefined {
  const value = Number(text);
  return isDecimal(text.trim()) && Number.isFinite(value) ? value : undefined;
}

/**
 * Returns the finite number in a numeric field that may contain text; null for null and undefined, for text that is not
 * a decimal (such as blank text), and for values that are not finite.
 */
export function readNumber(value: number | string | null | undefined): number | null {
  if (typeof value === 'string') return parseDecimal(value) ?? null;
  return Number.isFinite(value) ? (value ?? null) : null;
}

/**
 * Returns at most `maximumLength` UTF-16 code units from the start of a text, without half of a surrogate pair at the
 * end.
 */
export function getTextStart(text: string, maximumLength: number): string {
  return text.slice(0, maximumLength).replace(/[\uD800-\uDBFF]$/, '');
}

/** Returns the milliseconds since 1970 of a stored time; NaN for an invalid or missing time. */
export function toMillis(time: string | null | undefined): number {
  return Date.parse(time ?? '');
}

/**
 * Returns a stored time with `!` instead of the Z at its end, so such texts sort in the order of the instants, to the
 * nanosecond. With the Z, `…16.5Z` sorts before `…16Z`, because a point sorts before a Z. Of two texts for the same
 * instant, the text with fewer digits sorts first. Returns a text without a Z at its end unchanged.
 */
export function getTimeKey(time: string): string {
  return time.endsWith('Z') ? `${time.slice(0, -1)}!` : time;
}

/** Compares two stored times by their instants; see {@link getTimeKey}. Null and undefined come first. */
export function compareStoredTimes(
  a: string | null | undefined,
  b: string | null | undefined,
): number {
  if (a === b) return 0;
  const [keyA, keyB] = [getTimeKey(a ?? ''), getTimeKey(b ?? '')];
  return keyA === keyB ? 0 : keyA < keyB ? -1 : 1;
}

/**
 * Returns the milliseconds between two stored times; null if a time is invalid or missing, or if the end is earlier
 * than the start.
 */
export function computeMillisBetween(
  start: string | null | undefined,
  end: string | null | undefined,
): number | null {
  const millis = toMillis(end) - toMillis(start);
  return millis >= 0 ? millis : null;
}

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/i;

/**
 * Returns the first (`start`) or last (`end`) instant of an ISO 8601 text, in UTC with nine fractional digits and
 * without a zone. Returns null if the text is not a time, or if the instant is not in the years 0 to 9999. The
 * precision of the text determines its interval: the day of a date, the minute of `10:32Z`, the second of `10:32:16Z`,
 * or the tenth of a second of `10:32:16.2Z`. A text without an offset is in UTC. Ignores whitespace around the text.
 */
export function toInstantBound(text: string, edge: 'start' | 'end'): string | null {
  const match = instantPattern.exec(text.trim());
  if (!match) return null;
  const [, day, minutes, seconds, fraction = '', zone] = match;
  const isEnd = edge === 'end';
  const timeOfDay = `${minutes ?? (isEnd ? '23:59' : '00:00')}:${seconds ?? (isEnd ? '59' : '00')}`;
  const milliseconds = toMillis(`${day}T${timeOfDay}Z`);
  const isRealDate =
    !Number.isNaN(milliseconds) &&
    new Date(milliseconds).toISOString().slice(0, 19) === `${day}T${timeOfDay}`;
  if (!isRealDate) return null;
  const shiftedDate = new Date(milliseconds - parseOffsetMillis(zone));
  if (Number.isNaN(shiftedDate.getTime())) return null;
  const year = shiftedDate.getUTCFullYear();
  if (year < 0 || year > 9999) return null;
  return `${shiftedDate.toISOString().slice(0, 19)}.${fraction.padEnd(9, isEnd ? '9' : '0')}`;
}

function parseOffsetMillis(zone: string | undefined): number {
  if (!zone || zone.toUpperCase() === 'Z') return 0;
  const digits = zone.replace(':', '');
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  return (digits.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

/** Maximum number of targets in one request. */
export const maximumTargets = 500;

/** Error message for invalid targets. */
export const targetsMessage =
  'must be numbers (10,1,1e-8) or powers of ten as from..to:count (2..-8:51), ' +
  `at most ${maximumTargets}`;

/**
 * Parses targets. Each text has items separated by commas: numbers, or `from..to:count` for powers of ten with evenly
 * spaced exponents. Returns the targets without duplicates, largest first; an empty array if there are no texts.
 * Returns null if an item is invalid, if a target is not finite, or if there are more than {@link maximumTargets}
 * targets, including duplicates.
 */
export function parseTargets(texts: readonly string[]): number[] | null {
  const targets = texts.flatMap((text) => text.split(',')).flatMap(parseTargetItem);
  const isValid = targets.every(Number.isFinite) && targets.length <= maximumTargets;
  return isValid ? [...new Set(targets)].sort((a, b) => b - a) : null;
}

/** Returns the targets of one item; `[NaN]` for an invalid item. */
function parseTargetItem(text: string): number[] {
  const range = /^([+-]?\d+(?:\.\d+)?)\.\.([+-]?\d+(?:\.\d+)?):(\d{1,3})$/.exec(text.trim());
  if (range) return listPowersOfTen(Number(range[1]), Number(range[2]), Number(range[3]));
  return [isDecimal(text.trim()) ? Number(text) : NaN];
}

/**
 * Returns `count` powers of ten with evenly spaced exponents from `from` to `to`: only 10^`from` for a count of 1, and
 * `[NaN]` for a count of 0.
 */
export function listPowersOfTen(from: number, to: number, count: number): number[] {
  if (count === 0) return [NaN];
  return Array.from({ length: count }, (_, index) =>
    count === 1 ? 10 ** from : 10 ** (from + ((to - from) * index) / (count - 1)),
  );
}

/** Comparison operators of a filter; `~` means "contains". */
export const paramOperators = ['=', '!=', '<', '<=', '>', '>=', '~'] as const;
/** A comparison operator of a filter. */
export type ParamOperator = (typeof paramOperators)[number];

/** Maximum number of filters on parameters in one list. */
export const maximumParamFilters = 20;
/** Maximum length of a filter on a parameter, in UTF-16 code units. */
export const maximumParamFilterLength = 1000;

/** Maximum number of values in one filter. */
const maximumValues = 100;

/** A value with which a filter compares a parameter. */
export interface ParamValue {
  text: string;
  /**
   * The value of a decimal number without quotes, so `50` equals `50.0`. It is null for other texts, for numbers that
   * are not finite, and after `~`. After `=` and `!=`, it is also null for integers in digits outside ±(2^53 − 1).
   */
  number: number | null;
}

/** A filter on one parameter. It matches if the comparison is true for any value; `!=` must be true for all values. */
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
 * first one between spaces. If there is none between spaces, it is the first one in the text. After `=` and `!=`, a
 * JSON list contains 1 to 100 values: `= [50, 100]` matches each of these values, and `!= [50, 100]` matches all
 * others. A JSON string is a text that would otherwise have another meaning (`= "50"`). `<`, `<=`, `>` and `>=` need a
 * finite number; `~` needs a text that is not blank. Removes whitespace around path and value. If the filter is
 * invalid, returns an error message that follows the name of the field: `has no operator …`.
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

/** Returns the values of a JSON list or string, or an error message; null for a text that begins with neither. */
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

/** Returns an integer in digits outside ±(2^53 − 1) as a bigint, and any other value unchanged. */
function reviveInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? '';
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
  return isRounded && isInteger(source) ? BigInt(source) : value;
}

function isScalar(item: unknown): item is string | number | boolean | bigint {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof item);
}

/**
 * Returns the value of a text. Integers in digits outside ±(2^53 − 1) are only text, because a double may round them.
 */
function parseValue(text: string): ParamValue {
  const number = isDecimal(text) ? Number(text) : NaN;
  const isExact = Number.isSafeInteger(number) || !isInteger(text);
  return { text, number: Number.isFinite(number) && isExact ? number : null };
}
