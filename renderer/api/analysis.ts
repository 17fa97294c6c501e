import type { Accessor } from 'solid-js';
import type { Answer } from '#shared/api.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { ExperimentTraces } from '#shared/schemas/analysis.ts';
import { call, type QueryOf } from './client.ts';
import { type QueryState, useEndpoint, useLiveQuery } from './queries.ts';

/** Shortest time between two fetches of an analysis that changes cause: it reads all runs of a problem. */
export const analysisGapMillis = 4000;

/** Points of each trace that are fetched for drawing. */
const tracePoints = 200;

/** Whether an analysis rests on runs that still go on, so that it can change by itself. */
export function hasActiveRuns(notes: readonly AnalysisNote[]): boolean {
  return notes.some(({ code }) => code === 'RUNS_ACTIVE');
}

/** All figures of an experiment; live while runs of it, or of those on its problem instance, go on. */
export function useExperimentAnalysis(
  experimentId: Accessor<string>,
  query: Accessor<QueryOf<'analyseExperiment'>>,
): QueryState<Answer<'analyseExperiment'>> {
  return useEndpoint('analyseExperiment', () => ({
    params: { experimentId: experimentId() },
    query: query(),
    keepPrevious: true,
    minimumIntervalMillis: analysisGapMillis,
    live: (cached) => {
      const answer = cached as Answer<'analyseExperiment'> | undefined;
      const notes = answer && [...answer.notes, ...(answer.sameProblem?.notes ?? [])];
      return notes !== undefined && hasActiveRuns(notes);
    },
  }));
}

/** The comparison on a problem; live while runs of it go on. */
export function useProblemComparison(
  problemType: Accessor<string>,
  query: Accessor<QueryOf<'compareProblem'>>,
): QueryState<Answer<'compareProblem'>> {
  return useEndpoint('compareProblem', () => ({
    params: { problemType: problemType() },
    query: query(),
    keepPrevious: true,
    minimumIntervalMillis: analysisGapMillis,
    live: (cached) =>
      cached !== undefined && hasActiveRuns((cached as Answer<'compareProblem'>).notes),
  }));
}

/** Problem types with what there is to compare on each; any new run can change it. */
export function useProblems(): QueryState<Answer<'listProblems'>> {
  return useEndpoint('listProblems', () => ({
    live: true,
    minimumIntervalMillis: analysisGapMillis,
  }));
}

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
      minimumIntervalMillis: analysisGapMillis,
      fetchData: (signal) =>
        Promise.all(
          ids.map((experimentId) =>
            call('listExperimentTraces', { params: { experimentId }, query: asked, signal }),
          ),
        ),
    };
  });
}
