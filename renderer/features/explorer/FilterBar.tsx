import { createMemo, For, Match, Show, Switch, type JSX } from 'solid-js';
import type { Facets } from '#shared/schemas/service.ts';
import { ChoiceFilter } from './ChoiceFilter.tsx';
import type { ListState } from './list-state.ts';
import { ParamFilter } from './ParamFilter.tsx';
import { numberRange, RangeFilter, timeRange } from './RangeFilter.tsx';
import './explorer.css';
import { maximumSearchLength } from '#shared/words.ts';
import { focusRows } from '#renderer/ui/table/row-keys.ts';
import { TextField } from '#renderer/ui/TextField.tsx';
import { useCommands } from '#renderer/state/commands.ts';
import { createCommittedText } from '#renderer/state/committed-text.ts';

interface FilterBarProps {
  list: ListState;
  facets: Facets | undefined;
  /** Label of the bar for screen readers: "Filter runs". */
  label: string;
}

/** The filters of a list; each applies immediately. */
export function FilterBar(props: FilterBarProps): JSX.Element {
  const values = (name: string): readonly string[] => props.list.values()[name] ?? [];
  const first = (name: string): string => values(name)[0] ?? '';
  const range = (label: string, names: readonly [string, string]) => ({
    label,
    names,
    value: first,
    onFilter: props.list.filter,
  });
  return (
    <div class="filter-bar" role="search" aria-label={props.label}>
      <For each={props.list.filters}>
        {(filter) => (
          <Switch>
            <Match when={filter.kind === 'search' && filter}>
              {(search) => (
                <SearchField
                  label={search().label}
                  placeholder={search().placeholder}
                  value={first('q')}
                  onSearch={(q) =>
                    props.list.filter({ q: q || undefined }, first('q') ? 'replace' : 'push')
                  }
                />
              )}
            </Match>
            <Match when={filter.kind === 'choice' && filter}>
              {(choice) => {
                const options = createMemo(() => choice().options(props.facets));
                const selection = () => values(choice().name);
                return (
                  <Show when={!choice().isOptional || options().length + selection().length > 0}>
                    <ChoiceFilter
                      label={choice().label}
                      options={options()}
                      selection={selection()}
                      onChange={(next) => props.list.filter({ [choice().name]: next })}
                    />
                  </Show>
                );
              }}
            </Match>
            <Match when={filter.kind === 'times' && filter}>
              {(times) => <RangeFilter {...range(times().label, ['from', 'to'])} {...timeRange} />}
            </Match>
            <Match when={filter.kind === 'numbers' && filter}>
              {(numbers) => (
                <RangeFilter {...range(numbers().label, numbers().names)} {...numberRange} />
              )}
            </Match>
            <Match when={filter.kind === 'params'}>
              <ParamFilter
                conditions={values('param')}
                onChange={(param) => props.list.filter({ param })}
              />
            </Match>
          </Switch>
        )}
      </For>
    </div>
  );
}

interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** The active search. */
  value: string;
  onSearch: (q: string) => void;
}

/** The search of a list, focused with `/`; it applies when typing pauses, and ArrowDown moves to the rows. */
function SearchField(props: SearchFieldProps): JSX.Element {
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
