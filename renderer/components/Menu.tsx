import { DropdownMenu } from '@kobalte/core/dropdown-menu';
import type { JSX } from 'solid-js';

interface MenuProps {
  /** Names the button for screen readers. */
  label: string;
  /** What the choices are, for screen readers: "Theme". */
  of: string;
  /** The button's look and content. */
  class: string;
  title?: string;
  button: JSX.Element;
  placement?: 'top-start' | 'bottom-end';
  /** Told that it is closed, before the button gets the focus; preventing that leaves it where it is. */
  onClosed?: (event: Event) => void;
  /** `DropdownMenu.Item`s, or a group of them. */
  children: JSX.Element;
}

/** A button that opens a menu. The page behind stays readable; Escape, Tab and a click elsewhere close it. */
export function Menu(props: MenuProps): JSX.Element {
  return (
    <DropdownMenu gutter={4} placement={props.placement ?? 'bottom-end'} modal={false}>
      <DropdownMenu.Trigger class={props.class} aria-label={props.label} title={props.title}>
        {props.button}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <div role="region" aria-label={`${props.of} choices`}>
          <DropdownMenu.Content class="menu" onCloseAutoFocus={(event) => props.onClosed?.(event)}>
            {props.children}
          </DropdownMenu.Content>
        </div>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}
