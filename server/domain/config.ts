/** Value in the configuration of an experiment. An integer in digits is a bigint if it is outside ±(2^53 − 1). */
export type ConfigValue =
  null | boolean | number | bigint | string | ConfigValue[] | { [key: string]: ConfigValue };

/** A section of a configuration, or a complete configuration. */
export interface ConfigObject {
  [key: string]: ConfigValue;
}

/** Sections whose `params` are flattened: the paths of their parameters omit `params`. */
export const flattenedSections: ReadonlySet<string> = new Set([
  'representation',
  'problem',
  'algorithm',
  'model',
  'selection',
  'replacement',
  'constraints',
  'localSearch',
  'restart',
  'niching',
]);

/** Maximum depth of a configuration, because recursive functions visit its values. The runner writes about 6 levels. */
const maximumDepth = 500;

/**
 * Matches the start of an integer in JSON that a double may round. Does not match the digits of fractions, because
 * parsing with a reviver takes 20 times as long, and many parameters are fractions with all digits of a double.
 */
const longInteger = /(?<![\d.])\d{16}/;

/**
 * Parses a stored `config_json`, with all digits of its integers. Returns an empty object for text that is not a JSON
 * object, and for a JSON object with more than {@link maximumDepth} levels.
 */
export function parseConfig(text: string): ConfigObject {
  try {
    const value: unknown = longInteger.test(text)
      ? JSON.parse(text, reviveIntegers)
      : JSON.parse(text);
    return isConfigObject(value) && !isTooDeep(text) ? value : {};
  } catch {
    return {};
  }
}

/** Returns whether a valid JSON text has more than {@link maximumDepth} levels. Ignores brackets in strings. */
function isTooDeep(text: string): boolean {
  // Almost all configurations have fewer brackets.
  if (text.split('{').length + text.split('[').length <= maximumDepth) return false;
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > maximumDepth) return true;
  }
  return false;
}

/** Returns the value at a path of keys; undefined if an object or a key is missing. */
export function getValueAt(config: unknown, path: readonly string[]): unknown {
  let value = config;
  for (const key of path) {
    value = isConfigObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** Returns whether the value is an object, neither null nor an array. */
export function isConfigObject(value: unknown): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Revives numbers for `JSON.parse`. Returns an integer in digits outside ±(2^53 − 1) as a bigint with all digits, and
 * any other value unchanged.
 */
export function reviveIntegers(
  _key: string,
  value: unknown,
  context?: { source?: string },
): unknown {
  const source = context?.source ?? '';
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
