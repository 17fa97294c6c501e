import type { JSX } from 'solid-js';
import { parseTargets, targetsMessage } from '#shared/targets.ts';
import { CommittedField } from '#renderer/components/CommittedField.tsx';
import { asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import './targets-field.css';

interface TargetsFieldProps {
  label: string;
  /** Shown while the field is empty: which targets are meant then. */
  placeholder: string;
  /** The targets in force, as they were typed. */
  value: string;
  onCommit: (text: string) => void;
}

/** Targets typed in place: numbers between commas, or powers of ten as from..to:count. What is neither changes nothing. */
export function TargetsField(props: TargetsFieldProps): JSX.Element {
  return (
    <CommittedField
      {...props}
      class="targets-field"
      spellcheck={false}
      autocomplete="off"
      maxLength={1000}
      check={faultOf}
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
