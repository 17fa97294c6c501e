import type { JSX } from 'solid-js';
import { parseTargets, targetsMessage } from '#shared/syntax.ts';
import { CommittedField } from '#renderer/ui/CommittedField.tsx';
import { asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import './targets-field.css';

interface TargetsFieldProps {
  label: string;
  /** Text of the empty field: the default targets, or examples. */
  placeholder: string;
  /** The current targets, as typed. */
  value: string;
  onCommit: (text: string) => void;
}

/** Field for targets: comma-separated numbers, or powers of ten as from..to:count. Anything else changes nothing. */
export function TargetsField(props: TargetsFieldProps): JSX.Element {
  return (
    <CommittedField
      {...props}
      class="targets-field"
      spellcheck={false}
      autocomplete="off"
      maxLength={1000}
      check={getFault}
    />
  );
}

/** Returns the typed targets as a signal in the URL; '' for none. */
export function createTargets() {
  return createUrlSignal('targets', asText());
}

/** Returns the targets for the service; none for an invalid text. */
export function getTargets(text: string): readonly string[] {
  return text === '' || getFault(text) !== undefined ? [] : [text];
}

function getFault(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || parseTargets([trimmed])) return undefined;
  return `Targets ${targetsMessage}.`;
}
