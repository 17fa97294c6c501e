import { toFinite } from './json.ts';

/** Numbers by key, one per iteration; null if missing. */
export type Series = Record<string, (number | null)[]>;

/** Maximum number of keys. The runner writes about 30. */
const maximumKeys = 256;

/**
 * Returns the numbers of objects, one per iteration, by key. Omits keys without any number, and those after the first
 * 256 with one. `toNumber` decides which values are numbers: by default the finite ones.
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
