import { chartPoints, firstHit } from '#server/domain/trace.ts';
import * as analysis from '#server/repositories/analysis.ts';
import type { ExperimentTracesQuery } from '#shared/schemas/analysis-query.ts';
import type { ExperimentTraces } from '#shared/schemas/analysis.ts';
import { loadTraces, type AnalysisContext } from './load.ts';
import { commonObjective } from './objective.ts';
import { loadExperiment } from './subjects.ts';

/**
 * Best so far of each run of an experiment, for drawing: at most so many points of a run, the one that
 * reached the target among them. Throws EXPERIMENT_NOT_FOUND.
 */
export async function listTraces(
  context: AnalysisContext,
  experimentId: string,
  query: ExperimentTracesQuery,
): Promise<ExperimentTraces> {
  const { database } = context;
  const { experiment } = await loadExperiment(database, experimentId);
  const { direction, targetFitness } = await commonObjective(database, query, [experiment]);
  const records = await analysis.listRunsOf(database, [experimentId]);
  const runs = await loadTraces(context, records, direction);
  return {
    experimentId,
    objectiveDirection: direction,
    targetFitness,
    runs: runs.map(({ runId, seed, status, trace }) => {
      const hit = targetFitness === null ? null : firstHit(trace, targetFitness);
      const points = chartPoints(trace, query.points, hit === null ? [] : [hit]);
      const isThinned = points.length < trace.evaluations.length;
      return { runId, seed, status, evaluationsToTarget: hit, isThinned, points };
    }),
  };
}
