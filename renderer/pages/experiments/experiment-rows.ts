import { createMemo, type Accessor } from 'solid-js';
import type { Answer } from '#shared/api.ts';
import type { QueryValue } from '#renderer/api/client.ts';
import { analysisIntervalMillis } from '#renderer/api/freshness.ts';
import { useEndpoint, type QueryState } from '#renderer/api/queries.ts';

type Page = Answer<'listExperiments'>;

/**
 * The experiments of a query: the stored rows as soon as they are there, with the values that are computed from their
 * runs (success rate, ERT) once those are there too.
 */
export function useExperimentRows(
  query: Accessor<Readonly<Record<string, QueryValue>>>,
): QueryState<Page> {
  const stored = useEndpoint('listExperiments', () => ({ query: query() }));
  const computed = useEndpoint('listExperiments', () => ({
    query: { ...query(), figures: true },
    minimumIntervalMillis: analysisIntervalMillis,
  }));
  const data = createMemo(() => withComputed(stored.data, computed.data));
  return {
    get data() {
      return data();
    },
    get error() {
      return stored.error ?? computed.error;
    },
    get isLoading() {
      return stored.isLoading;
    },
    get isPlaceholder() {
      return stored.isPlaceholder;
    },
    retry: () => {
      stored.retry();
      computed.retry();
    },
  };
}

/**
 * Returns the stored rows, each with the computed values of the same experiment if they are known. Everything else is as
 * stored, which may be newer. Undefined without stored rows.
 */
export function withComputed(
  stored: Page | undefined,
  computed: Page | undefined,
): Page | undefined {
  if (!stored || !computed) return stored;
  const byId = new Map(computed.items.map((item) => [item.experimentId, item]));
  return {
    ...stored,
    items: stored.items.map((item) => ({ ...byId.get(item.experimentId), ...item })),
  };
}
