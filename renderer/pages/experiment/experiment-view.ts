import {
  urlPart,
  urlText,
  type ListPart,
  type UrlSearch,
} from '#renderer/components/explorer/list-view.ts';
import { askedObjective, type AskedObjective } from '#renderer/pages/analysis/objective.ts';
import type { ConfigurationFormat } from '#renderer/components/configuration/SourceCard.tsx';
import type { QueryOf } from '#renderer/api/client.ts';
import type { TableSort } from '#renderer/components/table/types.ts';

/** The tabs of an experiment's page, in order. */
export const experimentTabs = ['analysis', 'problem', 'runs', 'config'] as const;
export type ExperimentTab = (typeof experimentTabs)[number];

/** What the address of an experiment's page says; what it says wrongly is as if it were not said. */
export interface ExperimentView {
  tab: ExperimentTab;
  objective: AskedObjective;
  /** Of the table of runs. */
  runs: ListPart;
  configFormat: ConfigurationFormat;
  paramSearch: string;
}

/** Runs on a page while the URL does not say. */
export const usualRunsSize = 50;

export const initialRunsSort: TableSort = { column: 'started', direction: 'desc' };

/** Columns of the runs that the service sorts by, with its names for them. */
export const runSortKeys = {
  started: 'start_time',
  best: 'best_fitness',
  runtime: 'runtime_millis',
  status: 'status',
  seed: 'seed',
} as const;

/** The view that an address stands for. */
export function parseExperimentView(search: UrlSearch): ExperimentView {
  return {
    tab: experimentTabs.find((tab) => tab === urlText(search, 'tab')) ?? 'analysis',
    objective: askedObjective(search),
    runs: urlPart(search, '', Object.keys(runSortKeys), {
      size: usualRunsSize,
      sort: initialRunsSort,
    }),
    configFormat: urlText(search, 'format') === 'json' ? 'json' : 'yaml',
    paramSearch: urlText(search, 'find'),
  };
}

/** The query of `/api/experiments/{id}/runs` for the table's part. */
export function toRunsQuery({ page, size, sort }: ListPart): QueryOf<'listExperimentRuns'> {
  return {
    page: page - 1,
    size,
    sortBy: runSortKeys[sort.column as keyof typeof runSortKeys],
    sortDir: sort.direction,
  };
}
