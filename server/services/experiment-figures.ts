import type { RunRecord } from '#server/repositories/analysis.ts';
import { loadTraces, type AnalysisContext } from '#server/analysis/load.ts';
import type { Objective } from '#server/analysis/model.ts';
import { completedBestFitness, outcomesOf, summariseSuccess } from '#server/analysis/outcomes.ts';
import { finiteMedian } from '#server/stats/quantile.ts';
import type { ExperimentFigures } from '#shared/schemas/experiment.ts';

/**
 * Median best fitness of the COMPLETED runs, infinities among them, and how many have one; null for none, and where it
 * is not finite.
 */
export function medianOf(runs: readonly Pick<RunRecord, 'status' | 'bestFitness'>[]): {
  medianBest: number | null;
  n: number;
} {
  const sample = completedBestFitness(runs);
  return { medianBest: finiteMedian(sample), n: sample.length };
}

/** Success and ERT of an experiment with these runs, as its analysis has them. */
export async function findFigures(
  context: AnalysisContext,
  objective: Objective,
  runs: readonly RunRecord[],
): Promise<ExperimentFigures> {
  const analysed = await loadTraces(context, runs, objective.direction);
  const { successfulRuns, successRate, ert } = summariseSuccess(
    analysed,
    outcomesOf(analysed, objective),
  );
  return { targetFitness: objective.targetFitness, successfulRuns, successRate, ert };
}
