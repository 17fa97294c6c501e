import { For, type JSX } from 'solid-js';
import { dismissToast, shownToasts } from './toaster.ts';

/** Region of the toasts; announced politely to screen readers. */
export function ToastRegion(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      <For each={shownToasts()}>
        {(toast) => (
          <div class={`toast toast-${toast.kind}`}>
            <span>{toast.text}</span>
            <button
              type="button"
              class="toast-dismiss"
              aria-label="Dismiss"
              onClick={() => dismissToast(toast.id)}
            >
              ×
            </button>
          </div>
        )}
      </For>
    </div>
  );
}
