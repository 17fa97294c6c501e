import { createUniqueId, type JSX } from 'solid-js';
import { maximumReasonLength } from '#shared/words.ts';

/** Reason of a request: optional, limited in length; has the initial focus in a dialog. */
export function ReasonField(props: {
  value: string;
  onInput: (value: string) => void;
}): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label for={id}>Reason (optional)</label>
      <textarea
        autofocus
        id={id}
        class="field-area"
        rows={3}
        maxLength={maximumReasonLength}
        aria-describedby={`${id}-count`}
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <p id={`${id}-count`} class="muted field-note">
        {`${props.value.length} / ${maximumReasonLength}`}
      </p>
    </div>
  );
}
