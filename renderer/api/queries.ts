import { keepPreviousData, type Query, QueryClient, useQueryClient } from '@tanstack/solid-query';
import { createEffect, createMemo, on, type Accessor } from 'solid-js';
import type { EndpointName } from '#shared/addresses.ts';
import type { Answer } from '#shared/api.ts';
import { isRunning } from '#shared/words.ts';
import type { IterationRow } from '#shared/schemas/run.ts';
import { asProblem, call, type CallOptions, type ProblemError, type QueryOf } from './client.ts';
import { createQueryResult } from './query-result.ts';
import { appendIterations, resumePoint } from './iterations.ts';

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

export interface QueryOptions {
  /** Whether a change of the database wakes this query, or what decides that by the cached data. */
  live: boolean | ((cached: unknown) => boolean);
  /** Shortest time between two fetches that changes cause, for answers that are dear. */
  minimumIntervalMillis?: number;
  /** False holds the query back. */
  enabled?: boolean;
  /** Keep showing the former arguments' data while the new is fetched. */
  keepPrevious?: boolean;
}

/** A query with its key and how to fetch it. */
export interface LiveQuery<Data> extends QueryOptions {
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
  options: Accessor<Omit<CallOptions<Name>, 'signal'> & QueryOptions>,
): QueryState<Answer<Name>> {
  return useLiveQuery<Answer<Name>>(() => {
    const { params, query, ...rest } = options();
    return {
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
  refetchWhenLiveEnds(options, refetch);
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
    ...(options.keepPrevious && { placeholderData: keepPreviousData<unknown> }),
  };
}

/** What was written between the last fetch and the end of a run must still be fetched. */
function refetchWhenLiveEnds(
  options: Accessor<Pick<QueryOptions, 'live'>>,
  refetch: () => void,
): void {
  createEffect(
    on(
      () => options().live,
      (live, former) => {
        if (former === true && live === false) refetch();
      },
      { defer: true },
    ),
  );
}

/**
 * Fetches every live query on the screen again and those that failed, or all of them; resolves when they
 * have answered or failed.
 * A fetch under way is let finish and then repeated, as it may have begun before the change. A query whose
 * last answer is younger than its interval is left out unless all are meant: the answer is the time in milliseconds
 * until the first of those may be woken, null when there is none.
 */
export async function wakeQueries(client: QueryClient, all = false): Promise<number | null> {
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
  if (underWay.length > 0) await refetch((query) => underWay.includes(query));
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

/** One page of runs; the former page stays until the next has come. */
export function useRuns(query: Accessor<QueryOf<'listRuns'>>): QueryState<Answer<'listRuns'>> {
  return useEndpoint('listRuns', () => ({ query: query(), live: true, keepPrevious: true }));
}

/** One run with its details; live until it has ended. */
export function useRun(runId: Accessor<string>): QueryState<Answer<'getRun'>> {
  return useEndpoint('getRun', () => ({
    params: { runId: runId() },
    live: (cached) => !cached || isRunning(cached as Answer<'getRun'>),
  }));
}

/**
 * All iterations of a run without their telemetry. While `live`, a change fetches only rows after the
 * last cached one; cached rows keep their identity, so that a chart appends instead of redrawing.
 */
export function useIterations(
  runId: Accessor<string>,
  live: Accessor<boolean>,
): QueryState<readonly IterationRow[]> {
  return useLiveQuery<readonly IterationRow[]>(() => {
    const id = runId();
    return {
      key: ['iterations', id],
      fetchData: (signal, cached) => readIterations(id, signal, cached),
      live: live(),
    };
  });
}

async function readIterations(
  runId: string,
  signal: AbortSignal,
  cached: readonly IterationRow[] | undefined,
): Promise<readonly IterationRow[]> {
  const after = resumePoint(cached);
  const fresh = await listScalars(runId, signal, after);
  if (!cached || after === undefined) return fresh;
  return appendIterations(cached, fresh) ?? listScalars(runId, signal, undefined);
}

function listScalars(
  runId: string,
  signal: AbortSignal,
  after: number | undefined,
): Promise<IterationRow[]> {
  const query = { fields: 'scalars', after };
  return call('listIterations', { params: { runId }, query, signal }) as Promise<IterationRow[]>;
}

/** One page of a run's events, newest first; the former page stays until the next has come. */
export function useEvents(
  runId: Accessor<string>,
  query: Accessor<QueryOf<'listEvents'>>,
  live: Accessor<boolean>,
): QueryState<Answer<'listEvents'>> {
  return useEndpoint('listEvents', () => ({
    params: { runId: runId() },
    query: query(),
    live: live(),
    keepPrevious: true,
  }));
}

/** One event whole; held back while `id` is undefined. */
export function useEvent(
  runId: Accessor<string>,
  id: Accessor<string | undefined>,
): QueryState<Answer<'getEvent'>> {
  return useEndpoint('getEvent', () => ({
    params: { runId: runId(), id: id() ?? '0' },
    live: false,
    enabled: id() !== undefined,
  }));
}

/** Kinds of a run's events with their counts. */
export function useEventTypes(
  runId: Accessor<string>,
  live: Accessor<boolean>,
): QueryState<Answer<'listEventTypes'>> {
  return useEndpoint('listEventTypes', () => ({ params: { runId: runId() }, live: live() }));
}

/** Checkpoints of a run by iteration. */
export function useCheckpoints(
  runId: Accessor<string>,
  live: Accessor<boolean>,
): QueryState<Answer<'listCheckpoints'>> {
  return useEndpoint('listCheckpoints', () => ({ params: { runId: runId() }, live: live() }));
}

/** Flattened parameters of a run's experiment; they never change. */
export function useRunParams(runId: Accessor<string>): QueryState<Answer<'listRunParams'>> {
  return useEndpoint('listRunParams', () => ({ params: { runId: runId() }, live: false }));
}

/** Values to filter by with their counts, trials counted as `trials` says. */
export function useFacets(
  trials: Accessor<'include' | 'exclude' | 'only'>,
): QueryState<Answer<'getFacets'>> {
  return useEndpoint('getFacets', () => ({
    query: { trials: trials() },
    live: true,
    keepPrevious: true,
  }));
}

/** Counts and size of the database. */
export function useSummary(): QueryState<Answer<'getSummary'>> {
  return useEndpoint('getSummary', () => ({ live: true }));
}

/** Name, dialect and rights of the database. */
export function useHealth(): QueryState<Answer<'getHealth'>> {
  return useEndpoint('getHealth', () => ({ live: false }));
}

/** Parameter paths that can be columns; fetched once `enabled`. */
export function useParamPaths(enabled: Accessor<boolean>): QueryState<Answer<'listParamPaths'>> {
  return useEndpoint('listParamPaths', () => ({ live: false, enabled: enabled() }));
}
