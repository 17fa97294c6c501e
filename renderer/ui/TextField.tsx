import { createUniqueId, Show, splitProps, type JSX } from 'solid-js';
import { Icon, type IconName } from './Icon.tsx';

interface TextFieldProps extends Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onInput'> {
  label: string;
  /** Shows the label to screen readers only. */
  labelHidden?: boolean;
  icon?: IconName;
  /** A shortcut that focuses the field, shown at the right. */
  keyHint?: string;
  /** Error in the value; marks the field as invalid. */
  error?: string | undefined;
  onInput: (value: string) => void;
}

/** A labelled input of one line. */
export function TextField(props: TextFieldProps): JSX.Element {
  const id = createUniqueId();
  const [own, rest] = splitProps(props, [
    'label',
    'labelHidden',
    'icon',
    'keyHint',
    'error',
    'onInput',
    'class',
  ]);
  return (
    <div class={`field ${own.class ?? ''}`}>
      <label for={id} classList={{ 'visually-hidden': own.labelHidden === true }}>
        {own.label}
      </label>
      <div class="field-box">
        <Show when={own.icon}>{(name) => <Icon name={name()} size={14} />}</Show>
        <input
          {...rest}
          id={id}
          aria-invalid={own.error ? 'true' : undefined}
          aria-describedby={own.error ? `${id}-error` : undefined}
          onInput={(event) => own.onInput(event.currentTarget.value)}
        />
        <Show when={own.keyHint}>
          <kbd aria-hidden="true">{own.keyHint}</kbd>
        </Show>
      </div>
      <Show when={own.error}>
        <p id={`${id}-error`} class="field-error">
          {own.error}
        </p>
      </Show>
    </div>
  );
}
