import * as analysis from '#server/repositories/analysis.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import type { ExperimentTraces } from '#shared/schemas/analysis.ts';
import type { ExperimentTracesQuery } from '#shared/schemas/analysis-query.ts';
import { getChartPoints, getFirstHit } from '#server/domain/trace.ts';
import { getCommonObjective, loadExperiment, loadTraces, type AnalysisContext } from './load.ts';
import { findObjectives } from '#server/records/objectives.ts';
import { listRuns } from '#server/repositories/analysis.ts';
import { getOutcomes, summariseSuccess } from '#server/domain/outcome.ts';

/**
 * Returns the trace of each run of an experiment for a chart: a limited number of points per run, including the first
 * point that reaches the target and the last point with a fitness. Throws EXPERIMENT_NOT_FOUND.
 */
export async function listTraces(
  context: AnalysisContext,
  experimentId: string,
  query: ExperimentTracesQuery,
): Promise<ExperimentTraces> {
  const { database } = context;
  const { experiment } = await loadExperiment(database, experimentId);
  const { direction, targetFitness } = await getCommonObjective(database, query, [experiment]);
  const records = await analysis.listRuns(database, [experimentId]);
  const runs = await loadTraces(context, records, direction);
  return {
    experimentId,
    objectiveDirection: direction,
    targetFitness,
    runs: runs.map(({ runId, seed, status, trace }) => {
      const hit = targetFitness === null ? null : getFirstHit(trace, targetFitness);
      const points = getChartPoints(trace, query.points, hit === null ? [] : [hit]);
      // The last point may be later than the last improvement.
      const lastImprovement = trace.evaluations.at(-1) ?? 0;
      const improvements = points.filter(({ x }) => x <= lastImprovement);
      const isThinned = improvements.length < trace.evaluations.length;
      return { runId, seed, status, evaluationsToTarget: hit, isThinned, points };
    }),
  };
}

/**
 * Returns the experiments, in order, with their target, number of successful runs, success rate and ERT. Omits
 * experiments that no longer exist.
 */
export async function addMetrics(
  context: AnalysisContext,
  listedExperiments: readonly ExperimentItem[],
): Promise<ExperimentItem[]> {
  const { database } = context;
  const ids = listedExperiments.map(({ experimentId }) => experimentId);
  const objectives = await findObjectives(database, ids);
  const runs = await listRuns(database, ids);
  const runsByExperiment = Map.groupBy(runs, ({ experimentId }) => experimentId);
  const items: ExperimentItem[] = [];
  for (const item of listedExperiments) {
    const objective = objectives.get(item.experimentId);
    if (!objective) continue;
    const experimentRuns = runsByExperiment.get(item.experimentId) ?? [];
    const analysedRuns = await loadTraces(context, experimentRuns, objective.direction);
    const { successfulRuns, successRate, ert } = summariseSuccess(
      analysedRuns,
      getOutcomes(analysedRuns, objective),
    );
    const { targetFitness } = objective;
    items.push({ ...item, targetFitness, successfulRuns, successRate, ert });
  }
  return items;
}
