import { createSignal } from 'solid-js';

export interface ToastMessage {
  id: number;
  text: string;
  kind: 'done' | 'failure';
}

const [toasts, setToasts] = createSignal<readonly ToastMessage[]>([]);
const shownMillis = 4000;
let count = 0;

/** The messages now shown, oldest first. */
export const shownToasts = toasts;

/** Shows a short message for 4 seconds; a failure stays until it is dismissed. */
export function showToast(text: string, kind: ToastMessage['kind'] = 'done'): void {
  count += 1;
  const id = count;
  setToasts((shown) => [...shown, { id, text, kind }]);
  if (kind === 'done') setTimeout(() => dismissToast(id), shownMillis);
}

/** Takes a message away; one already gone is no error. */
export function dismissToast(id: number): void {
  setToasts((shown) => shown.filter((toast) => toast.id !== id));
}
