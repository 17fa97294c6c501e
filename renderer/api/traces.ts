import type { Accessor } from 'solid-js';
import type { ExperimentTraces } from '#shared/schemas/analysis.ts';
import { call, type QueryOf } from './client.ts';
import { analysisIntervalMillis } from './freshness.ts';
import { type QueryState, useLiveQuery } from './queries.ts';

/** Points of each trace that are fetched for drawing. */
const tracePoints = 200;

/**
 * The traces of the runs of these experiments, in their order. Nothing is asked for none of them; `live` while
 * their runs go on.
 */
export function useTraces(
  experimentIds: Accessor<readonly string[]>,
  query: Accessor<Pick<NonNullable<QueryOf<'listExperimentTraces'>>, 'direction' | 'target'>>,
  live: Accessor<boolean>,
): QueryState<readonly ExperimentTraces[]> {
  return useLiveQuery<readonly ExperimentTraces[]>(() => {
    const ids = experimentIds();
    const asked = { ...query(), points: tracePoints };
    return {
      key: ['traces', ids, asked],
      enabled: ids.length > 0,
      live: live(),
      keepPrevious: true,
      minimumIntervalMillis: analysisIntervalMillis,
      fetchData: (signal) =>
        Promise.all(
          ids.map((experimentId) =>
            call('listExperimentTraces', { params: { experimentId }, query: asked, signal }),
          ),
        ),
    };
  });
}
