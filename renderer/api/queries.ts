import { keepPreviousData, type Query, QueryClient, useQueryClient } from '@tanstack/solid-query';
import { createEffect, createMemo, on, type Accessor } from 'solid-js';
import type { EndpointName } from '#shared/addresses.ts';
import type { Answer } from '#shared/api.ts';
import { asProblem, call, type CallOptions, type ProblemError } from './client.ts';
import { freshness, type Freshness } from './freshness.ts';
import { createQueryResult } from './query-result.ts';

/** What a page reads of a query; every member is reactive and never suspends the page. */
export interface QueryState<Data> {
  /** The newest data, kept while the next is fetched; undefined before the first. */
  readonly data: Data | undefined;
  /** The failure of the newest fetch; with `data` present that data is the last good one. */
  readonly error: ProblemError | undefined;
  /** No data yet and none refused: the first fetch is under way. */
  readonly isLoading: boolean;
  /** `data` belongs to the former arguments (page, filter) and the new ones are on their way. */
  readonly isPlaceholder: boolean;
  readonly retry: () => void;
}

/** A query's own word on when it is fetched; see {@link freshness} for what holds without one. */
export interface QueryOptions<Data = unknown> extends Partial<Freshness<Data>> {
  /** False holds the query back. */
  enabled?: boolean;
  /** Something else that is shown; when that changes, this is out of date. Undefined while it is unknown. */
  changesWith?: string | undefined;
}

/** A query with its key and how to fetch it. */
export interface LiveQuery<Data> extends QueryOptions<Data> {
  key: readonly unknown[];
  fetchData: (signal: AbortSignal, cached: Data | undefined) => Promise<Data>;
}

/** Client whose queries are fetched once and again only when woken: nothing polls by itself. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Parts of one page that ask for the same within a second share one answer.
        staleTime: 1000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: false,
        networkMode: 'always',
      },
    },
  });
}

/** The query of one endpoint. `options` is reactive: other arguments fetch anew. */
export function useEndpoint<Name extends EndpointName>(
  name: Name,
  options: Accessor<Omit<CallOptions<Name>, 'signal'> & QueryOptions<Answer<Name>>> = () => ({}),
): QueryState<Answer<Name>> {
  return useLiveQuery<Answer<Name>>(() => {
    const { params, query, ...rest } = options();
    return {
      ...freshness[name],
      ...rest,
      key: [name, params ?? null, query ?? null],
      fetchData: (signal) =>
        call(name, { signal, ...(params && { params }), ...(query && { query }) }),
    };
  });
}

/** A query that fetches in its own way. `options` is reactive: another key fetches anew. */
export function useLiveQuery<Data>(options: Accessor<LiveQuery<Data>>): QueryState<Data> {
  const client = useQueryClient();
  const settings = createMemo(() => toQueryOptions(client, options()));
  const { result, refetch } = createQueryResult(client, settings);
  refetchWhenOutdated(options, refetch);
  const data = createMemo(() => result().data as Data | undefined);
  const error = createMemo(() => result().error);
  return {
    get data() {
      return data();
    },
    get error() {
      const failure = error();
      return failure ? asProblem(failure) : undefined;
    },
    get isLoading() {
      return result().isLoading;
    },
    get isPlaceholder() {
      return result().isPlaceholderData;
    },
    retry: refetch,
  };
}

function toQueryOptions<Data>(client: QueryClient, options: LiveQuery<Data>) {
  return {
    queryKey: options.key,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      options.fetchData(signal, client.getQueryData<Data>(options.key)) as Promise<unknown>,
    enabled: options.enabled ?? true,
    meta: { live: options.live, minimumIntervalMillis: options.minimumIntervalMillis },
    ...(options.keptMillis !== undefined && { gcTime: options.keptMillis }),
    ...(options.keepPrevious && { placeholderData: keepPreviousData<unknown> }),
  };
}

/**
 * What no change of the database wakes: what was written between the last fetch and the end of a run, and what else
 * is shown and has changed.
 */
function refetchWhenOutdated<Data>(
  options: Accessor<QueryOptions<Data>>,
  refetch: () => void,
): void {
  const when = <Value>(
    value: Accessor<Value>,
    isOutdated: (next: Value, former?: Value) => boolean,
  ) => createEffect(on(createMemo(value), (next, former) => isOutdated(next, former) && refetch()));
  when(
    () => options().live,
    (next, former) => former === true && next === false,
  );
  when(
    () => options().changesWith,
    (next, former) => former !== undefined && next !== former,
  );
}

/**
 * Fetches every live query on the screen again and those that failed, or all of them; resolves when they
 * have answered or failed.
 * A fetch under way is let finish and then, if that `isWanted` still, repeated, as it may have begun before the change. A
 * query whose last answer is younger than its interval is left out unless all are meant: the answer is the time in
 * milliseconds until the first of those may be woken, null when there is none.
 */
export async function wakeQueries(
  client: QueryClient,
  all = false,
  isWanted = (): boolean => true,
): Promise<number | null> {
  const throttled = all ? [] : throttledQueries(client);
  const isThrottled = (query: Query): boolean => throttled.some((one) => one.query === query);
  const isMeant = (query: Query): boolean =>
    all ||
    query.state.status === 'error' ||
    (isLive(query.meta?.['live'], query.state.data) && !isThrottled(query));
  const underWay = client.getQueryCache().findAll({
    type: 'active',
    predicate: (query) => isMeant(query) && query.state.fetchStatus === 'fetching',
  });
  const refetch = (predicate: (query: Query) => boolean): Promise<void> =>
    client.invalidateQueries({ refetchType: 'active', predicate }, { cancelRefetch: false });
  await refetch(isMeant);
  if (underWay.length > 0 && isWanted()) await refetch((query) => underWay.includes(query));
  return throttled.length === 0 ? null : Math.min(...throttled.map(({ waitMillis }) => waitMillis));
}

/** The live queries on the screen that were answered too recently, each with the rest of its interval. */
function throttledQueries(client: QueryClient): { query: Query; waitMillis: number }[] {
  const active = client.getQueryCache().findAll({ type: 'active' });
  return active.flatMap((query) => {
    const { minimumIntervalMillis, live } = query.meta ?? {};
    if (typeof minimumIntervalMillis !== 'number' || !isLive(live, query.state.data)) return [];
    const waitMillis = query.state.dataUpdatedAt + minimumIntervalMillis - Date.now();
    return waitMillis > 0 ? [{ query, waitMillis }] : [];
  });
}

function isLive(live: unknown, cached: unknown): boolean {
  return typeof live === 'function' ? live(cached) === true : live === true;
}
