import { maximumSearchLength } from '#shared/words.ts';
import type { QueryOf } from '#renderer/api/client.ts';
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

/** Filters by one whole value, which the facets list. */
export const facetFilters = ['algorithm', 'model', 'problem', 'status'] as const;
export type FacetFilter = (typeof facetFilters)[number];

/** The names of all filters in the URL, trials excepted. */
export const filterNames = ['q', ...facetFilters, 'from', 'to', 'minBest', 'maxBest'] as const;
export type FilterName = (typeof filterNames)[number];

/** What the explorer shows, as the URL says it. Text filters are '' when absent. */
export interface RunsView extends Record<FilterName, string>, ListPart {
  trials: Trials;
}

/** Columns that the service sorts by, with its names for them. */
export const sortKeys = {
  started: 'start_time',
  best: 'best_fitness',
  runtime: 'runtime_millis',
  status: 'status',
} as const;

export const initialSort: TableSort = { column: 'started', direction: 'desc' };

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Whether a text is a finite decimal number, as the service takes it. */
export function isDecimal(text: string): boolean {
  return decimal.test(text.trim()) && Number.isFinite(Number(text));
}

/** The view that a URL's search part stands for. What makes no sense (size 7, page −1) is as if absent. */
export function parseView(search: UrlSearch): RunsView {
  const number = (name: string): string => {
    const text = urlText(search, name);
    return isDecimal(text) ? text : '';
  };
  return {
    q: urlText(search, 'q').slice(0, maximumSearchLength),
    algorithm: urlText(search, 'algorithm'),
    model: urlText(search, 'model'),
    problem: urlText(search, 'problem'),
    status: urlText(search, 'status'),
    from: urlTime(search, 'from'),
    to: urlTime(search, 'to'),
    minBest: number('minBest'),
    maxBest: number('maxBest'),
    trials: urlTrials(search),
    ...urlPart(search, '', Object.keys(sortKeys), { size: defaultPageSize, sort: initialSort }),
  };
}

/** The query of `/api/runs` for a view, with parameter paths to show as columns. */
export function toQuery(view: RunsView, params: readonly string[]): QueryOf<'listRuns'> {
  const { sort, page, size, trials } = view;
  return {
    ...Object.fromEntries(filterNames.map((name) => [name, view[name]])),
    trials,
    page: page - 1,
    size,
    sortBy: sortKeys[sort.column as keyof typeof sortKeys],
    sortDir: sort.direction,
    params: params.join(','),
  };
}

/** Whether anything but the trials narrows the list. */
export function hasFilters(view: RunsView): boolean {
  return filterNames.some((name) => view[name] !== '');
}

/** What to set in the URL to drop all filters and go to the first page. */
export function clearedFilters(): Record<string, undefined> {
  return Object.fromEntries([...filterNames, 'page'].map((name) => [name, undefined]));
}
