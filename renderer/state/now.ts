import { createEffect, createSignal, onCleanup, type Accessor } from 'solid-js';

/**
 * Returns the current time in milliseconds since 1970, updated every second while `isTicking`; otherwise the time of
 * the last update.
 */
export function createNow(isTicking: Accessor<boolean>): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  createEffect(() => {
    if (!isTicking()) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    onCleanup(() => clearInterval(timer));
  });
  return now;
}
