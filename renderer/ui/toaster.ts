import { createSignal } from 'solid-js';

export interface ToastMessage {
  id: number;
  text: string;
  kind: 'done' | 'failure';
}

const [toasts, setToasts] = createSignal<readonly ToastMessage[]>([]);
const shownMillis = 4000;
let count = 0;

/** The visible toasts, oldest first. */
export const shownToasts = toasts;

/** Shows a short message for 4 seconds; a failure stays until it is dismissed. */
export function showToast(text: string, kind: ToastMessage['kind'] = 'done'): void {
  count += 1;
  const id = count;
  setToasts((previous) => [...previous, { id, text, kind }]);
  if (kind === 'done') setTimeout(() => dismissToast(id), shownMillis);
}

/** Removes a toast; does nothing for an unknown id. */
export function dismissToast(id: number): void {
  setToasts((previous) => previous.filter((toast) => toast.id !== id));
}
