import type { JSX } from 'solid-js';
import { maximumSearchLength } from '#shared/words.ts';
import { TextField } from '#renderer/components/TextField.tsx';
import { useCommands } from '#renderer/state/commands.ts';
import { createCommittedText } from '#renderer/state/committed-text.ts';

interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** The search in force. */
  value: string;
  /** A search typed in full; `replace` keeps the history entry. */
  onSearch: (q: string, replace: boolean) => void;
}

/** The search of a list, reached with `/`; it applies when the typing rests. */
export function SearchField(props: SearchFieldProps): JSX.Element {
  const field = createCommittedText(
    () => props.value,
    (q) => props.onSearch(q, props.value !== ''),
    250,
  );
  let input: HTMLInputElement | undefined;
  useCommands([{ keys: '/', description: 'Search', run: () => input?.select() }]);
  return (
    <TextField
      ref={(element: HTMLInputElement) => (input = element)}
      class="search"
      label={props.label}
      labelHidden
      icon="search"
      keyHint="/"
      placeholder={props.placeholder}
      maxLength={maximumSearchLength}
      value={field.text()}
      onInput={(text) => field.type(text)}
      onChange={() => field.flush()}
    />
  );
}
