import {
  keepPreviousData,
  QueryClient,
  type QueryObserverOptions,
  useQueryClient,
} from '@tanstack/solid-query';
import { createEffect, createMemo, on, type Accessor } from 'solid-js';
import type { EndpointName } from '#shared/addresses.ts';
import type { ResponseBody } from '#shared/api.ts';
import { call, type CallOptions } from './client.ts';
import { asProblemError, type ProblemError } from '#renderer/state/problem-error.ts';
import { freshness, type Freshness, type PolicyName } from './freshness.ts';
import { createQueryResult } from './query-result.ts';
import { isOutdated, noteFetch } from './waking.ts';

/** State of a query; every member is reactive and never suspends the page. */
export interface QueryState<Data> {
  /** The latest data, available during the next fetch too; undefined before the first. */
  readonly data: Data | undefined;
  /** The error of the latest fetch; `data`, if present, is then the last successful response. */
  readonly error: ProblemError | undefined;
  /** Neither data nor an error yet: the first fetch is pending. */
  readonly isLoading: boolean;
  /** `data` belongs to the previous arguments (page, filter) and the new response is pending. */
  readonly isPlaceholder: boolean;
  readonly retry: () => void;
}

/** Options of a single query; {@link freshness} decides when it is fetched again. */
export interface QueryOptions {
  /** False disables the query. */
  enabled?: boolean;
  /** Whether the run or campaign of the response is running; for policies that depend on it. */
  isRunning?: boolean;
  /** Identifies other shown content; when that changes, this query is outdated. Undefined while it is unknown. */
  changesWith?: string | undefined;
}

/** A query with its key and its function. */
interface LiveQuery<Data> extends QueryOptions {
  key: readonly unknown[];
  fetchData: (signal: AbortSignal, cached: Data | undefined) => Promise<Data>;
}

/** Creates the client, whose queries are fetched once and again only when changed: nothing polls. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: {
      queries: {
        // Parts of one page that fetch the same data within a second share one response.
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

/** Runs the query of one endpoint. `options` is reactive: other arguments fetch again. */
export function useEndpoint<Name extends EndpointName>(
  name: Name,
  options: Accessor<Omit<CallOptions<Name>, 'signal'> & QueryOptions> = () => ({}),
  policy: PolicyName = name,
): QueryState<ResponseBody<Name>> {
  return useLiveQuery<ResponseBody<Name>>(policy, () => {
    const { params, query, ...rest } = options();
    return {
      ...rest,
      key: [name, params ?? null, query ?? null],
      fetchData: (signal) =>
        call(name, { signal, ...(params && { params }), ...(query && { query }) }),
    };
  });
}

/** Runs a query with its own function. `options` is reactive: another key fetches again. */
export function useLiveQuery<Data>(
  policy: PolicyName,
  options: Accessor<LiveQuery<Data>>,
): QueryState<Data> {
  const client = useQueryClient();
  const query = (): DecidedQuery<Data> => addPolicy(policy, options());
  const settings = createMemo(() => toQueryOptions(client, query()));
  const { result, refetch } = createQueryResult(client, settings);
  refetchWhenOutdated(query, refetch);
  const data = createMemo(() => result().data as Data | undefined);
  const error = createMemo(() => result().error);
  return {
    get data() {
      return data();
    },
    get error() {
      const failure = error();
      return failure ? asProblemError(failure) : undefined;
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

/** A query with the settings of its policy. */
export interface DecidedQuery<Data>
  extends LiveQuery<Data>, Partial<Omit<Freshness<Data>, 'live'>> {
  live?: boolean | ((data: Data | undefined) => boolean);
}

function addPolicy<Data>(policy: PolicyName, query: LiveQuery<Data>): DecidedQuery<Data> {
  const settings = freshness[policy] as Partial<Freshness<Data>> | undefined;
  const { live = false, ...rest } = settings ?? {};
  return { ...rest, ...query, live: live === 'whileRunning' ? query.isRunning === true : live };
}

/** Returns the library's options for a query, which record when a fetch starts; see {@link isOutdated}. */
export function toQueryOptions<Data>(
  client: QueryClient,
  options: DecidedQuery<Data>,
): QueryObserverOptions {
  return {
    queryKey: options.key,
    queryFn: ({ signal }: { signal: AbortSignal }) => {
      noteFetch(client, client.getQueryCache().find({ queryKey: options.key }));
      return options.fetchData(signal, client.getQueryData<Data>(options.key));
    },
    enabled: options.enabled ?? true,
    meta: { live: options.live, minimumIntervalMillis: options.minimumIntervalMillis },
    ...(options.cacheMillis !== undefined && { gcTime: options.cacheMillis }),
    // A disabled query fetches nothing that would replace the previous data.
    ...(options.keepPrevious &&
      options.enabled !== false && { placeholderData: keepPreviousData<unknown> }),
  };
}

/**
 * Fetches an enabled query again where no change of the database triggers it: after the end of a run, for the rows
 * since the last fetch, and after a change of other shown content.
 */
function refetchWhenOutdated<Data>(
  options: Accessor<DecidedQuery<Data>>,
  refetch: () => void,
): void {
  const when = <Value>(value: Accessor<Value>, isDue: (next: Value, previous?: Value) => boolean) =>
    createEffect(
      on(createMemo(value), (next, previous) => {
        if (isDue(next, previous) && options().enabled !== false) refetch();
      }),
    );
  when(
    () => options().live,
    (next, previous) => previous === true && next === false,
  );
  when(
    () => options().changesWith,
    (next, previous) => previous !== undefined && next !== previous,
  );
}
