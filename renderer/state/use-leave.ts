import { useLocation } from '@solidjs/router';
import { createEffect, on } from 'solid-js';

/** Calls a function on every navigation to another page, while the calling component is mounted. */
export function useLeave(act: () => void): void {
  const location = useLocation();
  createEffect(on(() => location.pathname, act, { defer: true }));
}
