import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { maximumWithoutSearch, getNamesMatching } from './matching.ts';
import { TextField } from './TextField.tsx';

interface SearchableListProps {
  /** Name of the choices, in the plural: "algorithms". */
  of: string;
  /** The choices by name, each once. */
  items: readonly string[];
  /** Returns how a choice is shown, which the search finds too; default: itself. */
  getName?: ((name: string) => string) | undefined;
  /** The item of the list. */
  children: (name: string) => JSX.Element;
}

/** A list of choices; a longer one has a field that searches their names, in any case. */
export function SearchableList(props: SearchableListProps): JSX.Element {
  const [text, setText] = createSignal('');
  const matches = createMemo(() =>
    props.items.filter((name) => {
      const visibleName = props.getName?.(name) ?? name;
      return getNamesMatching([name, visibleName], text()).length > 0;
    }),
  );
  return (
    <>
      <Show when={props.items.length > maximumWithoutSearch}>
        <TextField
          label={`Search ${props.of}`}
          labelHidden
          icon="search"
          placeholder={`Search ${props.items.length} ${props.of}`}
          value={text()}
          onInput={setText}
        />
      </Show>
      <ul class="choice-list">
        <For each={matches()}>{(name) => <li>{props.children(name)}</li>}</For>
      </ul>
      <Show when={matches().length === 0 && text() !== ''}>
        <p class="muted">Nothing matches “{text().trim()}”.</p>
      </Show>
    </>
  );
}
