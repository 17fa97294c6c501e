import { DropdownMenu } from '@kobalte/core/dropdown-menu';
import { For, Show, type JSX } from 'solid-js';
import { Icon } from './Icon.tsx';

interface MenuProps {
  /** Label of the button for screen readers. */
  label: string;
  /** Name of the choices for screen readers: "Theme". */
  of: string;
  /** Class of the button. */
  class: string;
  title?: string;
  button: JSX.Element;
  placement?: 'top-start' | 'bottom-end';
  /** Called when it is closed, before the button gets the focus; preventing the event keeps the focus. */
  onClosed?: (event: Event) => void;
  /** Called when it is opened. */
  onOpened?: () => void;
  /** {@link MenuItem}s and {@link MenuChoices}. */
  children: JSX.Element;
}

/** A button that opens a menu. The page behind stays readable; Escape, Tab and a click elsewhere close it. */
export function Menu(props: MenuProps): JSX.Element {
  return (
    <DropdownMenu
      gutter={4}
      placement={props.placement ?? 'bottom-end'}
      modal={false}
      onOpenChange={(isOpen) => isOpen && props.onOpened?.()}
    >
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

interface MenuItemProps {
  onSelect: () => void;
  title?: string;
  /** Why it is disabled; undefined when it is enabled. A disabled item can have the focus and shows the reason. */
  disabledReason?: string | undefined;
  children: JSX.Element;
}

/** One action of a menu. */
export function MenuItem(props: MenuItemProps): JSX.Element {
  return (
    <DropdownMenu.Item
      class="menu-item"
      aria-disabled={props.disabledReason === undefined ? undefined : true}
      aria-description={props.disabledReason}
      closeOnSelect={props.disabledReason === undefined}
      onSelect={() => props.disabledReason === undefined && props.onSelect()}
    >
      <span class="menu-label clip" title={props.title}>
        {props.children}
      </span>
    </DropdownMenu.Item>
  );
}

interface MenuChoicesProps<Value extends string> {
  /** The labels of the choices, in order. */
  labels: Readonly<Record<Value, string>>;
  value: Value;
  onChoose: (value: Value) => void;
  /** Heading of the choices, where a menu has other items too; it then stays open. */
  title?: string;
}

/** A choice of one in a menu, the chosen one marked. */
export function MenuChoices<Value extends string>(props: MenuChoicesProps<Value>): JSX.Element {
  return (
    <DropdownMenu.RadioGroup value={props.value} onChange={(value) => props.onChoose(value)}>
      <Show when={props.title}>
        <DropdownMenu.GroupLabel class="menu-title">{props.title}</DropdownMenu.GroupLabel>
      </Show>
      <For each={Object.keys(props.labels) as Value[]}>
        {(value) => (
          <DropdownMenu.RadioItem
            class="menu-item"
            value={value}
            closeOnSelect={props.title === undefined}
          >
            <DropdownMenu.ItemIndicator class="menu-check">
              <Icon name="check" size={12} />
            </DropdownMenu.ItemIndicator>
            <span class="menu-label clip">{props.labels[value]}</span>
          </DropdownMenu.RadioItem>
        )}
      </For>
    </DropdownMenu.RadioGroup>
  );
}
