import { createMemo, type Accessor } from 'solid-js';
import type { Answer } from '#shared/api.ts';
import type { QueryValue } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import type { ListQueryState } from '#renderer/features/explorer/explorer.ts';

type Page = Answer<'listExperiments'>;

/** Columns of computed values. */
const computedColumns = ['success', 'ert'] as const;

/**
 * The experiments of a query: the stored rows as soon as they are there, with the values that are computed from their
 * runs (success rate, ERT) once those are there too. Those are fetched only while a column shows them; a failure to
 * compute them leaves the stored rows.
 */
export function useExperimentRows(
  query: Accessor<Readonly<Record<string, QueryValue>>>,
  isShown: (columnId: string) => boolean,
): ListQueryState<Answer<'listExperiments'>['items'][number]> {
  const stored = useEndpoint('listExperiments', () => ({ query: query() }));
  const computed = useEndpoint(
    'listExperiments',
    () => ({
      query: { ...query(), figures: true },
      enabled: computedColumns.some(isShown),
    }),
    'computedExperiments',
  );
  const data = createMemo(() => withComputed(stored.data, computed.data));
  return {
    get data() {
      return data();
    },
    get error() {
      return stored.error;
    },
    get isLoading() {
      return stored.isLoading;
    },
    get isPlaceholder() {
      return stored.isPlaceholder;
    },
    retry: stored.retry,
    computed,
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
