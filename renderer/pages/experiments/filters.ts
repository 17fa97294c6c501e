import { experimentStatuses, maximumSearchLength } from '#shared/words.ts';
import type { QueryOf } from '#renderer/api/client.ts';
import type { Chip } from '#renderer/components/explorer/ChipBar.tsx';
import {
  defaultPageSize,
  urlPart,
  urlText,
  urlTime,
  urlTrials,
  type ListPart,
  type UrlSearch,
} from '#renderer/components/explorer/list-view.ts';
import type { Trials } from '#renderer/components/explorer/trials.ts';
import type { TableSort } from '#renderer/components/table/types.ts';
import { formatMinute } from '#renderer/components/time.ts';

/** The names of all filters in the URL, trials excepted. */
export const filterNames = ['q', 'algorithm', 'model', 'problem', 'status', 'from', 'to'] as const;
export type FilterName = (typeof filterNames)[number];

/** What the list shows, as the URL says it. Text filters are '' when absent. */
export interface ExperimentsView extends Record<FilterName, string>, ListPart {
  trials: Trials;
}

/** Columns that the service sorts by, with its names for them. */
export const sortKeys = {
  latest: 'latest_run_time',
  created: 'created_at',
  runs: 'total_runs',
  best: 'best_fitness',
  algorithm: 'algorithm_type',
  model: 'model_type',
  problem: 'problem_type',
} as const;

export const initialSort: TableSort = { column: 'latest', direction: 'desc' };

/**
 * The view that a URL's search part stands for. What makes no sense (size 7, a status that experiments
 * cannot have) is as if absent.
 */
export function parseView(search: UrlSearch): ExperimentsView {
  const status = urlText(search, 'status').toUpperCase();
  return {
    q: urlText(search, 'q').slice(0, maximumSearchLength),
    algorithm: urlText(search, 'algorithm'),
    model: urlText(search, 'model'),
    problem: urlText(search, 'problem'),
    status: experimentStatuses.find((one) => one === status) ?? '',
    from: urlTime(search, 'from'),
    to: urlTime(search, 'to'),
    trials: urlTrials(search),
    ...urlPart(search, '', Object.keys(sortKeys), { size: defaultPageSize, sort: initialSort }),
  };
}

/** The query of `/api/experiments` for a view. */
export function toQuery(view: ExperimentsView): QueryOf<'listExperiments'> {
  const { sort, page, size, trials } = view;
  return {
    ...Object.fromEntries(filterNames.map((name) => [name, view[name]])),
    trials,
    page: page - 1,
    size,
    sortBy: sortKeys[sort.column as keyof typeof sortKeys],
    sortDir: sort.direction,
  };
}

const words: Record<FilterName, (value: string) => string> = {
  q: (value) => `search: ${value}`,
  algorithm: (value) => `algorithm: ${value}`,
  model: (value) => `model: ${value}`,
  problem: (value) => `problem: ${value}`,
  status: (value) => `status: ${value}`,
  from: (value) => `created from ${formatMinute(value)}`,
  to: (value) => `created to ${formatMinute(value)}`,
};

/** One chip per filter that is on, in the order of the filter bar. */
export function chipsOf(view: ExperimentsView): Chip<FilterName>[] {
  return filterNames
    .filter((name) => view[name] !== '')
    .map((name) => ({ name, text: words[name](view[name]) }));
}

/** What to set in the URL to drop all filters and go to the first page. */
export function clearedFilters(): Record<string, undefined> {
  return Object.fromEntries([...filterNames, 'page'].map((name) => [name, undefined]));
}
