import type { JSX } from 'solid-js';

interface CheckProps {
  checked: boolean;
  onChange: (isChecked: boolean) => void;
  /** Why it cannot be changed now; undefined when it can. The checkbox stays focusable and shows the reason. */
  disabledReason?: string | undefined;
  /** Its label. */
  children: JSX.Element;
}

/** A checkbox with its label. */
export function Check(props: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.checked}
        aria-disabled={props.disabledReason === undefined ? undefined : true}
        aria-description={props.disabledReason}
        onClick={(event) => props.disabledReason !== undefined && event.preventDefault()}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.children}
    </label>
  );
}
