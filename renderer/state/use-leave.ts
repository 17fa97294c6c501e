import { useLocation } from '@solidjs/router';
import { createEffect, on } from 'solid-js';

/** Does something whenever one page is left for another, while the calling component lives. */
export function useLeave(act: () => void): void {
  const location = useLocation();
  createEffect(on(() => location.pathname, act, { defer: true }));
}
