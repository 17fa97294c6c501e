import type { Query, QueryClient } from '@tanstack/solid-query';

/** Queries that a change affects: those that can change (`live`), or all. */
export type ChangeKind = 'live' | 'all';

/** Number of changes that a client was notified of, and the number of the latest that affected every query. */
interface Changes {
  count: number;
  newestOfAll: number;
}

const changesOf = new WeakMap<QueryClient, Changes>();

/** Number of known changes when the latest fetch of a query started. */
const knownAtFetch = new WeakMap<Query, number>();

/** Records that the database changed: responses to earlier requests are outdated. Fetches nothing. */
export function noteChange(client: QueryClient, kind: ChangeKind): void {
  const count = (changesOf.get(client)?.count ?? 0) + 1;
  const newestOfAll = kind === 'all' ? count : (changesOf.get(client)?.newestOfAll ?? 0);
  changesOf.set(client, { count, newestOfAll });
}

/** Records that a fetch of the query starts: its response contains every change so far. */
export function noteFetch(client: QueryClient, query: Query | undefined): void {
  if (query) knownAtFetch.set(query, changesOf.get(client)?.count ?? 0);
}

/** Whether a change that affects the query was noted after its latest fetch started. */
export function isOutdated(client: QueryClient, query: Query): boolean {
  const { count, newestOfAll } = changesOf.get(client) ?? { count: 0, newestOfAll: 0 };
  const knownChanges = knownAtFetch.get(query) ?? 0;
  if (knownChanges < newestOfAll || (query.state.status === 'error' && knownChanges < count))
    return true;
  return knownChanges < count && isLive(query.meta?.['live'], query.state.data);
}

/**
 * Fetches the outdated queries of the visible page and resolves when they have succeeded or failed. A query that
 * changes again within its minimum interval waits for the rest of it: returns the milliseconds until the first of those
 * may be fetched, null when no query waits. A fetch that started before the change finishes first and is then repeated,
 * if `isWanted` is still true.
 */
export async function fetchOutdated(
  client: QueryClient,
  isWanted = (): boolean => true,
): Promise<number | null> {
  const isDue = (query: Query): boolean =>
    isOutdated(client, query) && waitMillis(client, query) <= 0;
  const fetchDue = (): Promise<void> =>
    client.refetchQueries({ type: 'active', predicate: isDue }, { cancelRefetch: false });
  await fetchDue();
  if (!isWanted()) return null;
  const waits = client
    .getQueryCache()
    .findAll({ type: 'active', predicate: (query) => isOutdated(client, query) })
    .map((query) => waitMillis(client, query))
    .filter((millis) => millis > 0);
  await fetchDue();
  return waits.length === 0 ? null : Math.min(...waits);
}

/** Fetches the visible queries that a change by this page affects; see {@link fetchOutdated}. */
export async function wakeQueries(client: QueryClient, kind: ChangeKind = 'live'): Promise<void> {
  noteChange(client, kind);
  await fetchOutdated(client);
}

/**
 * Returns the rest of the query's minimum interval in milliseconds, at most 0 when it is over; a page that returns does
 * not wait.
 */
function waitMillis(client: QueryClient, query: Query): number {
  const { minimumIntervalMillis } = query.meta ?? {};
  const knownChanges = knownAtFetch.get(query) ?? 0;
  if (knownChanges < (changesOf.get(client)?.newestOfAll ?? 0)) return 0;
  if (typeof minimumIntervalMillis !== 'number') return 0;
  return query.state.dataUpdatedAt + minimumIntervalMillis - Date.now();
}

function isLive(live: unknown, data: unknown): boolean {
  return typeof live === 'function' ? live(data) === true : live === true;
}
