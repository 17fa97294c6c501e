import { createMemo, type Accessor } from 'solid-js';

/**
 * Returns the last value that was truthy; undefined before. The parts of a `Show` or `Match` whose charts are in the
 * archive of a page read this one: those of its condition throw when they are read after it became false.
 */
export function createLastValue<Value>(
  value: Accessor<Value | null | undefined | false>,
): Accessor<Value | undefined> {
  return createMemo<Value | undefined>((previousValue) => value() || previousValue);
}
