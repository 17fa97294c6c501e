import { toFinite } from './json.ts';

/** Numbers by key, one per iteration; a missing number is null. */
export type Series = Record<string, (number | null)[]>;

/** Maximum number of keys. The runner writes about 30. */
const maximumKeys = 256;

/**
 * Returns the numbers of objects by key; each object is an iteration. Omits keys without any number, and all keys after
 * the first 256 keys with a number. `toNumber` returns the number of a value, or null: by default, only finite numbers
 * count.
 */
export function collectSeries(
  objects: readonly Readonly<Record<string, unknown>>[],
  toNumber: (value: unknown) => number | null = toFinite,
): Series {
  const keys = new Set<string>();
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      if (keys.size < maximumKeys && toNumber(value) !== null) keys.add(key);
    }
  }
  return Object.fromEntries(
    [...keys].map((key) => [key, objects.map((object) => toNumber(getOwnValue(object, key)))]),
  );
}

function getOwnValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
