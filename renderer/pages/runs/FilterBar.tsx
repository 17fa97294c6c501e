import { For, type JSX } from 'solid-js';
import type { Facets } from '#shared/schemas/service.ts';
import { facetOptions } from '#renderer/components/explorer/facet-options.ts';
import { RangeEnd, RangeFilter } from '#renderer/components/explorer/RangeFilter.tsx';
import { SearchField } from '#renderer/components/explorer/SearchField.tsx';
import { TimeFilter } from '#renderer/components/explorer/TimeFilter.tsx';
import { Select, type SelectOption } from '#renderer/components/Select.tsx';
import { isDecimal, type FacetFilter, type FilterName, type RunsView } from './filters.ts';

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
      <SearchField
        label="Search runs"
        placeholder="Search ids, names, parameters"
        value={props.view.q}
        onSearch={(q, replace) => props.onFilter({ q }, replace)}
      />
      <For each={Object.keys(facetLists) as FacetFilter[]}>
        {(name) => (
          <Select
            label={facetLists[name].label}
            value={props.view[name]}
            options={optionsOf(props.facets, name)}
            onChange={(value) => props.onFilter({ [name]: value })}
          />
        )}
      </For>
      <TimeFilter
        label="Started"
        from={props.view.from}
        to={props.view.to}
        onFilter={props.onFilter}
      />
      <BestFilter {...props} />
    </div>
  );
}

function optionsOf(facets: Facets | undefined, name: FacetFilter): SelectOption[] {
  const { list } = facetLists[name];
  return facetOptions(facets?.[list] ?? [], facets?.runCounts[list] ?? {});
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
