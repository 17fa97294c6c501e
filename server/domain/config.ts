/** Value in the configuration of an experiment. Integers beyond 2^53 are bigints. */
export type ConfigValue =
  null | boolean | number | bigint | string | ConfigValue[] | { [key: string]: ConfigValue };

/** A section of a configuration, or a complete configuration. */
export interface ConfigObject {
  [key: string]: ConfigValue;
}

/** Sections whose `params` are flattened: paths of parameters omit `params`. */
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

/** Parses a stored `config_json`, with all digits of its integers; empty for text that is not a JSON object. */
export function parseConfig(text: string): ConfigObject {
  try {
    const value: unknown = /\d{16}/.test(text)
      ? JSON.parse(text, reviveIntegers)
      : JSON.parse(text);
    return isConfigObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns the value at a path of keys; undefined if an object or a key is missing. */
export function getValueAt(config: unknown, path: readonly string[]): unknown {
  let value = config;
  for (const key of path) {
    value = isConfigObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** Returns whether the value is an object and not an array. */
export function isConfigObject(value: unknown): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Revives numbers for `JSON.parse`. Returns integers beyond 2^53 as bigints with all digits. */
export function reviveIntegers(
  _key: string,
  value: unknown,
  context?: { source?: string },
): unknown {
  const source = context?.source ?? '';
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
