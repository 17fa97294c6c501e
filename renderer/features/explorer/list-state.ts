import { createMemo, type Accessor } from 'solid-js';
import type { QueryValue } from '#renderer/api/client.ts';
import { asChoice, asNumber } from '#renderer/state/url-kinds.ts';
import { createUrlSignal, useUrl, type UrlChanges } from '#renderer/state/url.ts';
import {
  getChips,
  readFilters,
  getClearingChanges,
  type Chip,
  type Filter,
  type FilterValues,
} from './filters.ts';
import type { Trials } from './trials.ts';

/** Page sizes. */
export const pageSizes = [10, 25, 50, 100] as const;

/** State of a list in the URL: its filters, its page, and whether COCO trials are included. */
export interface ListState {
  filters: readonly Filter[];
  values: Accessor<FilterValues>;
  chips: Accessor<readonly Chip[]>;
  /** Starts at 1. */
  page: Accessor<number>;
  setPage: (page: number) => void;
  size: Accessor<number>;
  setSize: (size: number) => void;
  trials: Accessor<Trials>;
  setTrials: (trials: Trials) => void;
  /** Changes filters and goes to the first page; continued typing adds nothing to the history. */
  filter: (changes: UrlChanges, history?: 'push' | 'replace') => void;
  clear: () => void;
  /** Goes to the last page when rows were deleted while a later page was shown. */
  correctPage: (page: number) => void;
  /** Filters and page as the service takes them; its pages start at 0. */
  query: Accessor<Readonly<Record<string, QueryValue>>>;
}

/** Creates the state of a list; all of it is in the URL. */
export function createListState(filters: readonly Filter[], defaultSize: number): ListState {
  const url = useUrl();
  const values = createMemo(() => readFilters(filters, url.texts));
  const [page, setPage] = createUrlSignal('page', asNumber(1, isPage));
  const [size, setSize] = createUrlSignal('size', asNumber(defaultSize, isPageSize), ['page']);
  const [trials, setTrials] = createUrlSignal(
    'trials',
    asChoice(['exclude', 'include', 'only'], 'exclude'),
    ['page'],
  );
  const chips = createMemo(() => getChips(filters, values()));
  const query = createMemo(() => ({ ...values(), page: page() - 1, size: size() }));
  return {
    filters,
    values,
    chips,
    page,
    setPage,
    size,
    setSize,
    trials,
    setTrials,
    filter: (changes, history = 'push') => url.write({ ...changes, page: undefined }, history),
    clear: () => url.write(getClearingChanges(filters), 'push'),
    correctPage: (last) => url.write({ page: last === 1 ? undefined : String(last) }, 'replace'),
    query,
  };
}

function isPage(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value < 1e9;
}

function isPageSize(value: number): boolean {
  return pageSizes.some((size) => size === value);
}
