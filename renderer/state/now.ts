import { createEffect, createSignal, onCleanup, type Accessor } from 'solid-js';
import { getServiceTime } from './service-clock.ts';

/**
 * Returns the current time of the service's clock in milliseconds since 1970, updated every second while `isTicking`;
 * otherwise the time of the last update.
 */
export function createNow(isTicking: Accessor<boolean>): Accessor<number> {
  const [now, setNow] = createSignal(getServiceTime());
  createEffect(() => {
    if (!isTicking()) return;
    setNow(getServiceTime());
    const timer = setInterval(() => setNow(getServiceTime()), 1000);
    onCleanup(() => clearInterval(timer));
  });
  return now;
}
