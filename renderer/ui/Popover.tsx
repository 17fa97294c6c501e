import { Popover as KobaltePopover, type PopoverRootProps } from '@kobalte/core/popover';
import { splitProps, type JSX } from 'solid-js';

interface PopoverProps extends Pick<
  PopoverRootProps,
  'placement' | 'open' | 'onOpenChange' | 'modal'
> {
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

/** A button that opens a small form next to it. Escape and a click elsewhere close it. */
export function Popover(props: PopoverProps): JSX.Element {
  const [root] = splitProps(props, ['placement', 'open', 'onOpenChange', 'modal']);
  return (
    <KobaltePopover gutter={4} preventScroll={false} {...root}>
      <KobaltePopover.Trigger class={props.buttonClass} aria-label={props.buttonName}>
        {props.button}
      </KobaltePopover.Trigger>
      <KobaltePopover.Portal>
        <KobaltePopover.Content class={`popover ${props.class ?? ''}`}>
          <KobaltePopover.Title class="visually-hidden">{props.label}</KobaltePopover.Title>
          {props.children}
        </KobaltePopover.Content>
      </KobaltePopover.Portal>
    </KobaltePopover>
  );
}
