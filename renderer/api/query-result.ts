import {
  QueryObserver,
  type QueryClient,
  type QueryObserverOptions,
  type QueryObserverResult,
} from '@tanstack/solid-query';
import { createComputed, createSignal, on, onCleanup, untrack, type Accessor } from 'solid-js';

/**
 * Returns the result of a query as a signal, fetched while the calling component is mounted. The library's own
 * `useQuery` is a resource, which suspends the page around it when it is read at the wrong moment: that removes the
 * page from the document and loses focus and scroll position. This one never suspends.
 */
export function createQueryResult(
  client: QueryClient,
  options: Accessor<QueryObserverOptions>,
): { result: Accessor<QueryObserverResult>; refetch: () => void } {
  const observer = new QueryObserver(client, untrack(options));
  const [result, setResult] = createSignal(observer.getCurrentResult(), { equals: false });
  onCleanup(observer.subscribe((next) => setResult(next)));
  createComputed(
    on(
      options,
      (next) => {
        observer.setOptions(next);
        setResult(observer.getCurrentResult());
      },
      { defer: true },
    ),
  );
  return { result, refetch: () => void observer.refetch() };
}
