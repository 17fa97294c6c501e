import { outcomesOf, summariseSuccess } from '#server/domain/outcome.ts';
import { findObjectives } from '#server/records/objectives.ts';
import { listRunsOf } from '#server/repositories/analysis.ts';
import type { Page } from '#shared/schemas/common.ts';
import type { ExperimentItem } from '#shared/schemas/experiment.ts';
import { loadTraces, type AnalysisContext } from './load.ts';

/** Returns the page of experiments with success and ERT of each as its analysis has them. */
export async function withFigures(
  context: AnalysisContext,
  page: Page<ExperimentItem>,
): Promise<Page<ExperimentItem>> {
  const { database } = context;
  const ids = page.items.map(({ experimentId }) => experimentId);
  const objectives = await findObjectives(database, ids);
  const runs = await listRunsOf(database, ids);
  const runsOf = Map.groupBy(runs, ({ experimentId }) => experimentId);
  const items: ExperimentItem[] = [];
  for (const item of page.items) {
    const objective = objectives.get(item.experimentId);
    if (!objective) continue;
    const own = runsOf.get(item.experimentId) ?? [];
    const analysed = await loadTraces(context, own, objective.direction);
    const { successfulRuns, successRate, ert } = summariseSuccess(
      analysed,
      outcomesOf(analysed, objective),
    );
    const { targetFitness } = objective;
    items.push({ ...item, targetFitness, successfulRuns, successRate, ert });
  }
  return { ...page, items };
}
