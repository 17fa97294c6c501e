import type { Accessor } from 'solid-js';
import type { ExperimentTraces } from '#shared/schemas/analysis.ts';
import { call, type QueryOf } from './client.ts';
import { type QueryState, useLiveQuery } from './queries.ts';

/** Points per trace to fetch for charts. */
const tracePoints = 200;

/**
 * Fetches the traces of the runs of these experiments, in their order; nothing for an empty list. `isRunning`
 * states whether any of their runs is.
 */
export function useTraces(
  experimentIds: Accessor<readonly string[]>,
  query: Accessor<Pick<NonNullable<QueryOf<'listExperimentTraces'>>, 'direction' | 'target'>>,
  isRunning: Accessor<boolean>,
): QueryState<readonly ExperimentTraces[]> {
  return useLiveQuery<readonly ExperimentTraces[]>('traces', () => {
    const ids = experimentIds();
    const tracesQuery = { ...query(), points: tracePoints };
    return {
      key: ['traces', ids, tracesQuery],
      enabled: ids.length > 0,
      isRunning: isRunning(),
      fetchData: (signal) =>
        Promise.all(
          ids.map((experimentId) =>
            call('listExperimentTraces', { params: { experimentId }, query: tracesQuery, signal }),
          ),
        ),
    };
  });
}
