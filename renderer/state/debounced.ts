import { createEffect, createSignal, onCleanup, type Accessor } from 'solid-js';

/** Returns the value once it has been unchanged for `delayMillis`; initially the first value. */
export function createDebounced<Value>(
  value: Accessor<Value>,
  delayMillis: number,
): Accessor<Value> {
  const [settled, setSettled] = createSignal(value());
  createEffect(() => {
    const next = value();
    const timer = setTimeout(() => setSettled(() => next), delayMillis);
    onCleanup(() => clearTimeout(timer));
  });
  return settled;
}
