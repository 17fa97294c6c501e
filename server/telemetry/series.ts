import { finiteOf } from './json.ts';

/** Numbers by key, one per iteration; null where there is none. */
export type Series = Record<string, (number | null)[]>;

/** Most keys that are kept: the runner writes about 30. */
const maximumKeys = 256;

/**
 * The numbers of objects, one per iteration, by key, in the order in which the keys first occur. Keys that never hold
 * a finite number are left out, and those beyond 256.
 */
export function collectSeries(objects: readonly Readonly<Record<string, unknown>>[]): Series {
  const keys = new Set<string>();
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      if (keys.size < maximumKeys && finiteOf(value) !== null) keys.add(key);
    }
  }
  return Object.fromEntries(
    [...keys].map((key) => [key, objects.map((object) => finiteOf(ownValue(object, key)))]),
  );
}

function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
