import { createSignal, Show, type JSX } from 'solid-js';
import { useEvent } from '#renderer/state/use-event.ts';

interface Tip {
  reason: string;
  left: number;
  top: number;
}

/**
 * Shows why a control is disabled, next to the focused, hovered or tapped control; Escape hides it. Screen readers read
 * the same text as the control's description.
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
  // Before the control below handles the key.
  const hide = ({ key }: KeyboardEvent): void => void (key === 'Escape' && setTip(null));
  (['focusin', 'pointerover', 'click'] as const).forEach((name) => useEvent(name, show));
  useEvent('keydown', hide, document, { capture: true });
  return (
    <Show when={tip()}>
      {(content) => (
        <div
          class="reason-tip"
          aria-hidden="true"
          style={{
            left: `min(${content().left}px, 100vw - 300px)`,
            top: `min(${content().top + 4}px, 100vh - 60px)`,
          }}
        >
          {content().reason}
        </div>
      )}
    </Show>
  );
}
