import { createMemo, on, type Accessor } from 'solid-js';

/** Returns the arguments of the data of a query: while `data` are those of previous arguments, the previous ones. */
export function createArgumentsOfData<Arguments>(
  data: Accessor<unknown>,
  current: Accessor<Arguments>,
): Accessor<Arguments> {
  // Previous data stay the same object until the new data arrive.
  return createMemo(on(data, () => current()));
}
