import { Popover as KobaltePopover, type PopoverRootProps } from '@kobalte/core/popover';
import { splitProps, type JSX } from 'solid-js';
import { getControlsIn } from '#renderer/state/focus-guard.ts';

interface PopoverProps extends Pick<PopoverRootProps, 'placement' | 'open' | 'onOpenChange'> {
  /** Label of the popover for screen readers. */
  label: string;
  /** Class of the button that opens it. */
  buttonClass: string;
  /** Accessible name of the button; default: its text. */
  buttonName?: string | undefined;
  class?: string;
  button: JSX.Element;
  children: JSX.Element;
}

/**
 * A button that opens a small form next to it. Escape and a click elsewhere close it. Tab after its last control moves
 * to the control after the button, and Shift+Tab before its first one to the button.
 */
export function Popover(props: PopoverProps): JSX.Element {
  const [root] = splitProps(props, ['placement', 'open', 'onOpenChange']);
  let trigger: HTMLButtonElement | undefined;
  // The form is the last part of the document, so that Tab would leave the page.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Tab') return;
    const controls = getControlsIn(event.currentTarget as Element);
    if (document.activeElement !== (event.shiftKey ? controls[0] : controls.at(-1))) return;
    trigger?.focus();
    if (event.shiftKey) event.preventDefault();
  };
  return (
    <KobaltePopover gutter={4} preventScroll={false} {...root}>
      <KobaltePopover.Trigger
        ref={(node) => (trigger = node)}
        class={props.buttonClass}
        aria-label={props.buttonName}
      >
        {props.button}
      </KobaltePopover.Trigger>
      <KobaltePopover.Portal>
        <KobaltePopover.Content class={`popover ${props.class ?? ''}`} onKeyDown={onKeyDown}>
          <KobaltePopover.Title class="visually-hidden">{props.label}</KobaltePopover.Title>
          {props.children}
        </KobaltePopover.Content>
      </KobaltePopover.Portal>
    </KobaltePopover>
  );
}
