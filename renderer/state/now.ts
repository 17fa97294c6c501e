import { createEffect, createSignal, onCleanup, type Accessor } from 'solid-js';

/**
 * The time now, in milliseconds since 1970, told anew every second while `isTicking`; the time of the last
 * telling otherwise.
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
