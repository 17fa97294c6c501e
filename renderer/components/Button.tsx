import { splitProps, type JSX } from 'solid-js';
import { Icon, type IconName } from './Icon.tsx';

interface ButtonProps extends JSX.ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary` for the one main action of a view, `quiet` without a frame, `danger` for what destroys. */
  kind?: 'plain' | 'primary' | 'quiet' | 'danger';
  size?: 'small' | 'normal';
  icon?: IconName;
  /** For toggles: whether it is switched on. */
  pressed?: boolean | undefined;
}

/** A button that never submits a form by itself. */
export function Button(props: ButtonProps): JSX.Element {
  const [own, rest] = splitProps(props, ['kind', 'size', 'icon', 'pressed', 'class', 'children']);
  return (
    <button
      type="button"
      {...rest}
      aria-pressed={own.pressed}
      class={`button button-${own.kind ?? 'plain'} button-${own.size ?? 'normal'} ${own.class ?? ''}`}
    >
      {own.icon && <Icon name={own.icon} size={14} />}
      {own.children}
    </button>
  );
}
