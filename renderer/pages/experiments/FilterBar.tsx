import { For, type JSX } from 'solid-js';
import { experimentStatuses } from '#shared/words.ts';
import type { Facets } from '#shared/schemas/service.ts';
import { facetOptions } from '#renderer/components/explorer/facet-options.ts';
import { SearchField } from '#renderer/components/explorer/SearchField.tsx';
import { TimeFilter } from '#renderer/components/explorer/TimeFilter.tsx';
import { Select } from '#renderer/components/Select.tsx';
import type { ExperimentsView, FilterName } from './filters.ts';

interface FilterBarProps {
  view: ExperimentsView;
  facets: Facets | undefined;
  /** Sets filters, '' to drop one; `replace` keeps the history entry, for typing. */
  onFilter: (changed: Partial<Record<FilterName, string>>, replace?: boolean) => void;
}

const facetLists = { algorithm: 'algorithms', model: 'models', problem: 'problems' } as const;
const facetLabels = { algorithm: 'Algorithm', model: 'Model', problem: 'Problem' } as const;
const statusOptions = facetOptions(experimentStatuses);

/** All filters of the list of experiments; each applies as it changes. */
export function FilterBar(props: FilterBarProps): JSX.Element {
  return (
    <div class="filters" role="search" aria-label="Filter experiments">
      <SearchField
        label="Search experiments"
        placeholder="Search ids, names, runs, parameters"
        value={props.view.q}
        onSearch={(q, replace) => props.onFilter({ q }, replace)}
      />
      <For each={Object.keys(facetLists) as (keyof typeof facetLists)[]}>
        {(name) => (
          <Select
            label={facetLabels[name]}
            value={props.view[name]}
            options={facetOptions(props.facets?.[facetLists[name]] ?? [])}
            onChange={(value) => props.onFilter({ [name]: value })}
          />
        )}
      </For>
      <Select
        label="Status"
        value={props.view.status}
        options={statusOptions}
        onChange={(status) => props.onFilter({ status })}
      />
      <TimeFilter
        label="Created"
        from={props.view.from}
        to={props.view.to}
        onFilter={(changed) => props.onFilter(changed)}
      />
    </div>
  );
}
