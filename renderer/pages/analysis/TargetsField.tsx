import type { JSX } from 'solid-js';
import { parseTargets, targetsMessage } from '#shared/targets.ts';
import { TextField } from '#renderer/components/TextField.tsx';
import { createCommittedText } from '#renderer/state/committed-text.ts';
import { asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import './targets-field.css';

const restMillis = 500;

interface TargetsFieldProps {
  label: string;
  /** Shown while the field is empty: which targets are meant then. */
  placeholder: string;
  /** The targets in force, as they were typed. */
  value: string;
  onChange: (text: string) => void;
}

/** Targets typed in place: numbers between commas, or powers of ten as from..to:count. What is neither changes nothing. */
export function TargetsField(props: TargetsFieldProps): JSX.Element {
  const field = createCommittedText(
    () => props.value,
    (text) => {
      if (faultOf(text) === undefined) props.onChange(text);
    },
    restMillis,
  );
  return (
    <TextField
      class="targets-field"
      label={props.label}
      placeholder={props.placeholder}
      spellcheck={false}
      autocomplete="off"
      maxLength={1000}
      value={field.text()}
      error={faultOf(field.text())}
      onInput={(text) => field.type(text)}
      onChange={() => field.flush()}
    />
  );
}

/** The targets that are typed, as a signal in the address; '' for none. */
export function createTargets() {
  return createUrlSignal('targets', asText());
}

/** The targets as the service takes them: none where the text is none. */
export function targetsOf(text: string): readonly string[] {
  return text === '' || faultOf(text) !== undefined ? [] : [text];
}

function faultOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || parseTargets([trimmed])) return undefined;
  return `Targets ${targetsMessage}.`;
}
