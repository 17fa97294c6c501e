import type { Database } from '#server/db/database.ts';
import * as analysis from '#server/repositories/analysis.ts';
import type { ProblemSummary } from '#shared/schemas/analysis.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import { loadExperiments } from './load.ts';
import type { AnalysedExperiment } from './model.ts';

/**
 * Returns all problem types of experiments with their algorithms and numbers of instances, experiments, runs and
 * completed runs. Problem types and algorithms are in the natural order of their names. Returns an empty list without
 * experiments.
 */
export async function listProblems(database: Database): Promise<ProblemSummary[]> {
  const experiments = await loadExperiments(database);
  const counts = await analysis.countRunsPerExperiment(database);
  const countsByExperiment = new Map(counts.map((count) => [count.experimentId, count]));
  const experimentsByType = Map.groupBy(experiments, ({ problemType }) => problemType);
  return Array.from(experimentsByType, ([problemType, experimentsOfType]) => ({
    problemType,
    algorithms: getSortedNames(experimentsOfType),
    instances: new Set(experimentsOfType.map(({ instance }) => instance.id)).size,
    experiments: experimentsOfType.length,
    runs: getTotal(experimentsOfType, (id) => countsByExperiment.get(id)?.runs),
    completedRuns: getTotal(experimentsOfType, (id) => countsByExperiment.get(id)?.completedRuns),
  })).sort((a, b) => compareNaturally(a.problemType, b.problemType));
}

function getSortedNames(experiments: readonly AnalysedExperiment[]): string[] {
  return [...new Set(experiments.map(({ algorithmType }) => algorithmType))].sort(compareNaturally);
}

function getTotal(
  experiments: readonly AnalysedExperiment[],
  countRuns: (experimentId: string) => number | undefined,
): number {
  return experiments.reduce((sum, { experimentId }) => sum + (countRuns(experimentId) ?? 0), 0);
}
