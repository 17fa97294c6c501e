import { createSignal, onCleanup, onMount, Show, type JSX } from 'solid-js';

interface Tip {
  reason: string;
  left: number;
  top: number;
}

/**
 * Shows why a control does nothing, beside the one that has the focus, is pointed at or was tapped; Escape takes
 * it away. Screen readers hear the same as the control's description.
 */
export function ReasonTip(): JSX.Element {
  const [tip, setTip] = createSignal<Tip | null>(null);
  const show = ({ target }: Event): void => {
    const control = target instanceof Element ? target.closest('[aria-disabled]') : null;
    const reason = control?.getAttribute('aria-description');
    if (!control || !reason) return void setTip(null);
    const { left, bottom } = control.getBoundingClientRect();
    setTip({ reason, left, top: bottom });
  };
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') setTip(null);
  };
  onMount(() => {
    const showing = ['focusin', 'pointerover', 'click'] as const;
    showing.forEach((type) => document.addEventListener(type, show));
    document.addEventListener('keydown', onKeyDown, true);
    onCleanup(() => {
      showing.forEach((type) => document.removeEventListener(type, show));
      document.removeEventListener('keydown', onKeyDown, true);
    });
  });
  return (
    <Show when={tip()}>
      {(shown) => (
        <div
          class="reason-tip"
          aria-hidden="true"
          style={{
            left: `min(${shown().left}px, 100vw - 300px)`,
            top: `min(${shown().top + 4}px, 100vh - 60px)`,
          }}
        >
          {shown().reason}
        </div>
      )}
    </Show>
  );
}
