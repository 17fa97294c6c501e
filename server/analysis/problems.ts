import type { Database } from '#server/db/database.ts';
import * as analysis from '#server/repositories/analysis.ts';
import type { ProblemSummary } from '#shared/schemas/analysis.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import { loadExperiments } from './load.ts';
import type { AnalysedExperiment } from './model.ts';

/** Returns all problem types with their numbers of experiments and runs, by name. */
export async function listProblems(database: Database): Promise<ProblemSummary[]> {
  const experiments = await loadExperiments(database);
  const counts = await analysis.countRunsPerExperiment(database);
  const countsByExperiment = new Map(counts.map((count) => [count.experimentId, count]));
  const experimentsByType = Map.groupBy(experiments, ({ problemType }) => problemType);
  return Array.from(experimentsByType, ([problemType, group]) => ({
    problemType,
    algorithms: getSortedNames(group),
    instances: new Set(group.map(({ instance }) => instance.id)).size,
    experiments: group.length,
    runs: getTotal(group, (id) => countsByExperiment.get(id)?.runs),
    completedRuns: getTotal(group, (id) => countsByExperiment.get(id)?.completedRuns),
  })).sort((a, b) => compareNaturally(a.problemType, b.problemType));
}

function getSortedNames(experiments: readonly AnalysedExperiment[]): string[] {
  return [...new Set(experiments.map(({ algorithmType }) => algorithmType))].sort(compareNaturally);
}

function getTotal(
  experiments: readonly AnalysedExperiment[],
  countRows: (experimentId: string) => number | undefined,
): number {
  return experiments.reduce((sum, { experimentId }) => sum + (countRows(experimentId) ?? 0), 0);
}
