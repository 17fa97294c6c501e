import { createEffect, createSignal, onCleanup, type Accessor } from 'solid-js';

/** The value once it has stayed the same for `delayMillis`; at first the first value, at once. */
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
