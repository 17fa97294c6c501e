import { createMemo, type Accessor } from 'solid-js';
import type { ResponseBody } from '#shared/api.ts';
import type { QueryValue } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import type { ListQueryState } from '#renderer/features/explorer/explorer.ts';

type Page = ResponseBody<'listExperiments'>;

/** Columns of computed values. */
const computedColumns = ['success', 'ert'] as const;

/**
 * Fetches the experiments of a query: the stored rows, and separately the values that the service computes from their
 * runs (success rate, ERT). Fetches these only while a column shows them; without them it has the stored rows.
 */
export function useExperimentRows(
  query: Accessor<Readonly<Record<string, QueryValue>>>,
  isShown: (columnId: string) => boolean,
): ListQueryState<ResponseBody<'listExperiments'>['items'][number]> {
  const list = useEndpoint('listExperiments', () => ({ query: query() }));
  const computed = useEndpoint(
    'listExperiments',
    () => ({
      query: { ...query(), figures: true },
      enabled: computedColumns.some(isShown),
    }),
    'computedExperiments',
  );
  const data = createMemo(() => addComputedValues(list.data, computed.data));
  return {
    get data() {
      return data();
    },
    get error() {
      return list.error;
    },
    get isLoading() {
      return list.isLoading;
    },
    get isPlaceholder() {
      return list.isPlaceholder;
    },
    retry: list.retry,
    computed,
  };
}

/**
 * Returns the stored rows, each with the computed values of the same experiment if they are known. Everything else is
 * as stored, which may be newer. Undefined without stored rows.
 */
export function addComputedValues(
  page: Page | undefined,
  computed: Page | undefined,
): Page | undefined {
  if (!page || !computed) return page;
  const byId = new Map(computed.items.map((item) => [item.experimentId, item]));
  return {
    ...page,
    items: page.items.map((item) => ({ ...byId.get(item.experimentId), ...item })),
  };
}

type ExperimentResults = Pick<
  Page['items'][number],
  'totalRuns' | 'successfulRuns' | 'targetFitness' | 'successRate' | 'ert'
>;

/** Returns the success rate; undefined without a target or without runs. */
export function getSuccess(row: ExperimentResults): number | undefined {
  return hasAttempts(row) ? row.successRate : undefined;
}

/**
 * Returns the ERT, infinite if no run reached the target; undefined without a target or without runs, and if it is
 * unknown.
 */
export function getErt(row: ExperimentResults): number | undefined {
  if (!hasAttempts(row)) return undefined;
  return row.successfulRuns === 0 ? Infinity : (row.ert ?? undefined);
}

function hasAttempts({ totalRuns, targetFitness }: ExperimentResults): boolean {
  return (targetFitness ?? null) !== null && totalRuns > 0;
}
