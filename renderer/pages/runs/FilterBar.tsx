import { For, type JSX } from 'solid-js';
import type { Facets } from '#shared/schemas/service.ts';
import { Select, type SelectOption } from '#renderer/components/Select.tsx';
import { TextField } from '#renderer/components/TextField.tsx';
import { formatDay } from '#renderer/components/time.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { createCommittedText } from '#renderer/state/committed-text.ts';
import { isDecimal, type FacetFilter, type FilterName, type RunsView } from './filters.ts';
import { toFieldTime, toWireTime } from './local-time.ts';
import { RangeEnd, RangeFilter } from './RangeFilter.tsx';

interface FilterBarProps {
  view: RunsView;
  facets: Facets | undefined;
  /** Sets filters, '' to drop one; `replace` keeps the history entry, for typing. */
  onFilter: (changed: Partial<Record<FilterName, string>>, replace?: boolean) => void;
}

const facetLists = {
  algorithm: { label: 'Algorithm', list: 'algorithms' },
  model: { label: 'Model', list: 'models' },
  problem: { label: 'Problem', list: 'problems' },
  status: { label: 'Status', list: 'statuses' },
} as const;

/** All filters of the explorer; each applies as it changes. */
export function FilterBar(props: FilterBarProps): JSX.Element {
  return (
    <div class="filters" role="search" aria-label="Filter runs">
      <SearchField {...props} />
      <For each={Object.keys(facetLists) as FacetFilter[]}>
        {(name) => (
          <Select
            label={facetLists[name].label}
            value={props.view[name]}
            options={facetOptions(props.facets, name)}
            onChange={(value) => props.onFilter({ [name]: value })}
          />
        )}
      </For>
      <StartedFilter {...props} />
      <BestFilter {...props} />
    </div>
  );
}

function facetOptions(facets: Facets | undefined, name: FacetFilter): SelectOption[] {
  const { list } = facetLists[name];
  const values = facets?.[list] ?? [];
  return [
    { value: '', label: 'any' },
    ...values.map((value) => ({
      value,
      label: value,
      count: facets?.runCounts[list][value] ?? 0,
    })),
  ];
}

function SearchField(props: FilterBarProps): JSX.Element {
  const field = createCommittedText(
    () => props.view.q,
    (q) => props.onFilter({ q }, props.view.q !== ''),
    250,
  );
  let input: HTMLInputElement | undefined;
  useCommands([{ keys: '/', description: 'Search', run: () => input?.select() }]);
  return (
    <TextField
      ref={(element: HTMLInputElement) => (input = element)}
      class="search"
      label="Search runs"
      labelHidden
      icon="search"
      keyHint="/"
      placeholder="Search ids, names, parameters"
      maxLength={200}
      value={field.text()}
      onInput={(text) => field.type(text)}
      onChange={() => field.flush()}
    />
  );
}

function StartedFilter(props: FilterBarProps): JSX.Element {
  const summary = (): string => {
    const { from, to } = props.view;
    if (from && to) return `${formatDay(from)} – ${formatDay(to)}`;
    if (from) return `from ${formatDay(from)}`;
    return to ? `to ${formatDay(to)}` : 'any';
  };
  return (
    <RangeFilter
      label="Started"
      summary={summary()}
      onClear={() => props.onFilter({ from: '', to: '' })}
    >
      <For each={['from', 'to'] as const}>
        {(end) => (
          <RangeEnd
            label={end === 'from' ? 'From (your time)' : 'To (your time)'}
            kind="time"
            value={toFieldTime(props.view[end])}
            check={() => undefined}
            onCommit={(text) => props.onFilter({ [end]: toWireTime(text) })}
          />
        )}
      </For>
    </RangeFilter>
  );
}

function BestFilter(props: FilterBarProps): JSX.Element {
  const summary = (): string => {
    const { minBest, maxBest } = props.view;
    if (minBest === '' && maxBest === '') return 'any';
    return `${minBest || 'min'} – ${maxBest || 'max'}`;
  };
  const check = (text: string): string | undefined =>
    text.trim() === '' || isDecimal(text) ? undefined : 'Not a number, such as 0.5 or 1e-3';
  return (
    <RangeFilter
      label="Best"
      summary={summary()}
      onClear={() => props.onFilter({ minBest: '', maxBest: '' })}
    >
      <For each={['minBest', 'maxBest'] as const}>
        {(end) => (
          <RangeEnd
            label={end === 'minBest' ? 'At least' : 'At most'}
            kind="number"
            value={props.view[end]}
            check={check}
            onCommit={(text) => props.onFilter({ [end]: text })}
          />
        )}
      </For>
    </RangeFilter>
  );
}
