import {
  keepPreviousData,
  QueryClient,
  type QueryObserverOptions,
  useQueryClient,
} from '@tanstack/solid-query';
import { createEffect, createMemo, on, type Accessor } from 'solid-js';
import type { EndpointName } from '#shared/addresses.ts';
import type { Answer } from '#shared/api.ts';
import { asProblem, call, type CallOptions, type ProblemError } from './client.ts';
import { freshness, type Freshness } from './freshness.ts';
import { createQueryResult } from './query-result.ts';
import { isOutdated, noteFetch } from './waking.ts';

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
  const client: QueryClient = new QueryClient({
    defaultOptions: {
      queries: {
        // Parts of one page that need the same within a second share one response.
        staleTime: (query) => (isOutdated(client, query) ? 0 : 1000),
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: false,
        networkMode: 'always',
      },
    },
  });
  return client;
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

/** The library's options for a query, which record when a fetch begins; see {@link isOutdated}. */
export function toQueryOptions<Data>(
  client: QueryClient,
  options: LiveQuery<Data>,
): QueryObserverOptions {
  return {
    queryKey: options.key,
    queryFn: ({ signal }: { signal: AbortSignal }) => {
      noteFetch(client, client.getQueryCache().find({ queryKey: options.key }));
      return options.fetchData(signal, client.getQueryData<Data>(options.key));
    },
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
  const when = <Value>(value: Accessor<Value>, isDue: (next: Value, former?: Value) => boolean) =>
    createEffect(on(createMemo(value), (next, former) => isDue(next, former) && refetch()));
  when(
    () => options().live,
    (next, former) => former === true && next === false,
  );
  when(
    () => options().changesWith,
    (next, former) => former !== undefined && next !== former,
  );
}
