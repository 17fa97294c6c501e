import type { JSX } from 'solid-js';
import { maximumSearchLength } from '#shared/words.ts';
import { focusRows } from '#renderer/ui/table/row-keys.ts';
import { TextField } from '#renderer/ui/TextField.tsx';
import { useCommands } from '#renderer/state/commands.ts';
import { createCommittedText } from '#renderer/state/committed-text.ts';

interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** The active search. */
  value: string;
  onSearch: (q: string) => void;
}

/** The search of a list, focused with `/`; it applies when typing pauses, and ArrowDown moves to the rows. */
export function SearchField(props: SearchFieldProps): JSX.Element {
  const field = createCommittedText(
    () => props.value,
    (q) => props.onSearch(q),
    250,
  );
  let input: HTMLInputElement | undefined;
  useCommands([{ keys: '/', description: 'Search', run: () => input?.select() }]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    field.flush();
    focusRows();
  };
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
      onKeyDown={onKeyDown}
    />
  );
}
