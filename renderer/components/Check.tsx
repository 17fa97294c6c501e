import type { JSX } from 'solid-js';

interface CheckProps {
  checked: boolean;
  onChange: (isChecked: boolean) => void;
  /** Why it cannot be changed now; undefined when it can. The box stays reachable and says so. */
  disabledReason?: string | undefined;
  /** What it stands for. */
  children: JSX.Element;
}

/** A box that is ticked or not, with its words. */
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
