import { splitProps, type JSX } from 'solid-js';
import { Icon, type IconName } from './Icon.tsx';

interface ButtonProps extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  /** `primary` for the main action of a view, `quiet` without a frame, `danger` for destructive actions. */
  kind?: 'plain' | 'primary' | 'quiet' | 'danger';
  size?: 'small' | 'normal';
  icon?: IconName;
  /** For toggles: whether it is on. */
  pressed?: boolean | undefined;
  /** Why it is disabled; undefined when it is enabled. A disabled button stays focusable and shows the reason. */
  disabledReason?: string | undefined;
  onClick?: (event: MouseEvent) => void;
}

/** A button that does not submit forms by default. A disabled one shows its reason and keeps the focus. */
export function Button(props: ButtonProps): JSX.Element {
  const [own, rest] = splitProps(props, [
    'kind',
    'size',
    'icon',
    'pressed',
    'disabledReason',
    'onClick',
    'class',
    'children',
  ]);
  const onClick = (event: MouseEvent): void => {
    if (own.disabledReason === undefined) own.onClick?.(event);
    else event.preventDefault();
  };
  return (
    <button
      type="button"
      {...rest}
      aria-pressed={own.pressed}
      aria-disabled={own.disabledReason === undefined ? undefined : true}
      aria-description={own.disabledReason}
      class={`button button-${own.kind ?? 'plain'} button-${own.size ?? 'normal'} ${own.class ?? ''}`}
      onClick={onClick}
    >
      {own.icon && <Icon name={own.icon} size={14} />}
      {own.children}
    </button>
  );
}
