import { For, Match, Switch, type JSX } from 'solid-js';
import type { Facets } from '#shared/schemas/service.ts';
import { decimalProblem } from '#renderer/state/decimal.ts';
import { ChoiceFilter } from './ChoiceFilter.tsx';
import type { Filter } from './filters.ts';
import type { ListState } from './list-state.ts';
import { ParamFilter } from './ParamFilter.tsx';
import { PopoverFilter, RangeEnd } from './PopoverFilter.tsx';
import { SearchField } from './SearchField.tsx';
import { TimeFilter } from './TimeFilter.tsx';

interface FilterBarProps {
  list: ListState;
  facets: Facets | undefined;
  /** Names the bar for screen readers: "Filter runs". */
  label: string;
}

type Of<Kind extends Filter['kind']> = Extract<Filter, { kind: Kind }>;

/** The filters of a list; each applies as it changes. */
export function FilterBar(props: FilterBarProps): JSX.Element {
  const values = (name: string): readonly string[] => props.list.values()[name] ?? [];
  const first = (name: string): string => values(name)[0] ?? '';
  return (
    <div class="filters" role="search" aria-label={props.label}>
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
              {(choice) => (
                <ChoiceFilter
                  label={choice().label}
                  options={choice().options(props.facets)}
                  chosen={values(choice().name)}
                  onChange={(chosen) => props.list.filter({ [choice().name]: chosen })}
                />
              )}
            </Match>
            <Match when={filter.kind === 'times' && filter}>
              {(times) => (
                <TimeFilter
                  label={times().label}
                  from={first('from')}
                  to={first('to')}
                  onFilter={(changed) => props.list.filter(changed)}
                />
              )}
            </Match>
            <Match when={filter.kind === 'numbers' && filter}>
              {(numbers) => <NumberFilter filter={numbers()} list={props.list} />}
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

function NumberFilter(props: { filter: Of<'numbers'>; list: ListState }): JSX.Element {
  const value = (name: string): string => props.list.values()[name]?.[0] ?? '';
  const summary = (): string => {
    const [least, most] = props.filter.names.map(value);
    return least || most ? `${least || 'min'} – ${most || 'max'}` : 'any';
  };
  const set = (names: readonly string[], text: string): void =>
    props.list.filter(Object.fromEntries(names.map((name) => [name, text || undefined])));
  return (
    <PopoverFilter
      label={props.filter.label}
      summary={summary()}
      onClear={() => set(props.filter.names, '')}
    >
      <For each={props.filter.names}>
        {(name, end) => (
          <RangeEnd
            label={end() === 0 ? 'At least' : 'At most'}
            kind="number"
            value={value(name)}
            check={decimalProblem}
            onCommit={(text) => set([name], text)}
          />
        )}
      </For>
    </PopoverFilter>
  );
}
