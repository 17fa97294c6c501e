/** A value in the configuration of an experiment; whole numbers beyond 2^53 are bigints. */
export type ConfigValue =
  null | boolean | number | bigint | string | ConfigValue[] | { [key: string]: ConfigValue };

/** A section of a configuration, or the whole of one. */
export interface ConfigObject {
  [key: string]: ConfigValue;
}

/** In these sections the members of `params` stand directly below the section, in the paths of parameters. */
export const collapsedSections: ReadonlySet<string> = new Set([
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

/**
 * The configuration in a stored `config_json`, with every digit of its whole numbers; empty for a text that
 * is not a JSON object.
 */
export function parseConfig(text: string): ConfigObject {
  try {
    const parsed: unknown = /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
    return isConfigObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** The value at a path of keys; undefined where an object or a key is missing. */
export function valueAt(config: unknown, path: readonly string[]): unknown {
  let value = config;
  for (const key of path) {
    value = isConfigObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** Whether the value is an object, and no array. */
export function isConfigObject(value: unknown): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reviver of `JSON.parse` that returns whole numbers beyond 2^53 as bigints, with every digit. */
export function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? '';
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
