import type { QueryOf } from '#renderer/api/client.ts';
import { parseSort } from '#renderer/components/table/columns.ts';
import type { TableSort } from '#renderer/components/table/types.ts';
import { isWireTime } from './local-time.ts';

export const pageSizes = [10, 25, 50, 100] as const;
export const defaultPageSize = 25;

/** How COCO trials, which are runs of their own, take part; left out until asked for. */
export type Trials = 'exclude' | 'include' | 'only';

/** Filters by one whole value, which the facets list. */
export const facetFilters = ['algorithm', 'model', 'problem', 'status'] as const;
export type FacetFilter = (typeof facetFilters)[number];

/** The names of all filters in the URL, trials excepted. */
export const filterNames = ['q', ...facetFilters, 'from', 'to', 'minBest', 'maxBest'] as const;
export type FilterName = (typeof filterNames)[number];

/** What the explorer shows, as the URL says it. Text filters are '' when absent. */
export interface RunsView extends Record<FilterName, string> {
  trials: Trials;
  /** From 1. */
  page: number;
  size: number;
  sort: TableSort;
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
export function parseView(search: Partial<Record<string, string | string[]>>): RunsView {
  const text = (name: string): string => {
    const value = search[name];
    return (typeof value === 'string' ? value : '').trim();
  };
  const number = (name: string): string => (isDecimal(text(name)) ? text(name) : '');
  const time = (name: string): string => (isWireTime(text(name)) ? text(name) : '');
  const trials = text('trials');
  const size = pageSizes.find((known) => String(known) === text('size'));
  return {
    q: text('q').slice(0, 200),
    algorithm: text('algorithm'),
    model: text('model'),
    problem: text('problem'),
    status: text('status'),
    from: time('from'),
    to: time('to'),
    minBest: number('minBest'),
    maxBest: number('maxBest'),
    trials: trials === 'include' || trials === 'only' ? trials : 'exclude',
    page: /^[1-9]\d{0,8}$/.test(text('page')) ? Number(text('page')) : 1,
    size: size ?? defaultPageSize,
    sort: parseSort(text('sort'), Object.keys(sortKeys)) ?? initialSort,
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
