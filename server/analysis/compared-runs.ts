import { loadExperimentsById, loadTraces, type AnalysisContext } from './load.ts';
import type { AnalysedExperiment, Objective } from './model.ts';
import { getUsedEvaluations, getOutcomes } from '#server/domain/outcome.ts';
import type { AnalysedRunWithStart } from './run-traces.ts';
import { describeInstances } from './scope.ts';
import { ProblemError, truncate } from '#server/errors.ts';
import { listRunsById } from '#server/repositories/analysis.ts';
import { getFiniteValues } from '#server/stats/descriptive.ts';
import type { ComparedRun } from '#shared/schemas/analysis-runs.ts';
import { readNumber } from '#shared/syntax.ts';
import { getRuntimeSoFar, getShownResults, isRunning } from '#shared/words.ts';
import { findObjectives } from '#server/records/objectives.ts';
import { listRunItems, type ListedRun } from '#server/records/runs.ts';

/** A compared run with its trace, and its summary for the response. */
export interface RunWithSummary {
  run: AnalysedRunWithStart;
  summary: Omit<ComparedRun, 'difference'>;
}

/** Objective of a run whose experiment is missing. */
const unknownObjective = {
  direction: 'min',
  directionSource: 'default',
  targetFitness: null,
  targetSource: 'none',
} as const;

/**
 * Returns the runs with these ids, in the order of the ids, with traces and summaries. Each run has its own direction
 * and target. Throws RUN_NOT_FOUND, with a fault for each missing run.
 */
export async function listRunsWithSummaries(
  context: AnalysisContext,
  runIds: readonly string[],
): Promise<RunWithSummary[]> {
  const { database } = context;
  const items = await listRunItems(database, [...new Set(runIds)]);
  const records = await listRunsById(database, runIds);
  const experimentIds = [...new Set(items.map(({ experimentId }) => experimentId))];
  const objectives = await findObjectives(database, experimentIds);
  const instances = getInstances(await loadExperimentsById(database, experimentIds));
  const itemsById = new Map(items.map((item) => [item.runId, item]));
  const recordsById = new Map(records.map((record) => [record.runId, record]));
  requireRuns(runIds, (runId) => itemsById.has(runId) && recordsById.has(runId));
  const rows = runIds.map(async (runId): Promise<RunWithSummary[]> => {
    const [item, record] = [itemsById.get(runId), recordsById.get(runId)];
    if (!item || !record) return [];
    const objective = objectives.get(item.experimentId) ?? unknownObjective;
    const [runWithTrace] = await loadTraces(context, [record], objective.direction);
    if (!runWithTrace) return [];
    const analysedRun = { ...runWithTrace, startTime: item.startTime };
    const { resumedFrom, ...summary } = item;
    const instance = instances.get(item.experimentId) ?? { id: '', label: item.problemType };
    const result = getResult(analysedRun, item, objective);
    const isResumed = resumedFrom !== null;
    return [
      { run: analysedRun, summary: { ...summary, ...objective, isResumed, instance, ...result } },
    ];
  });
  return (await Promise.all(rows)).flat();
}

/** Throws RUN_NOT_FOUND if runs are missing. The error contains their ids and their positions in the query. */
function requireRuns(runIds: readonly string[], hasRun: (runId: string) => boolean): void {
  const missingIds = runIds.filter((runId) => !hasRun(runId));
  if (missingIds.length === 0) return;
  const quotedIds = missingIds.map((runId) => `"${truncate(runId)}"`).join(', ');
  const detail =
    missingIds.length === 1
      ? `There is no run with the id ${quotedIds}. Select another run`
      : `There are no runs with the ids ${quotedIds}. Select other runs`;
  const faults = missingIds.map((runId) => ({
    path: `run.${runIds.indexOf(runId)}`,
    message: 'must be the id of a run',
  }));
  throw new ProblemError('RUN_NOT_FOUND', detail, { faults });
}

/**
 * Returns the results of an ended run, or the progress of a RUNNING run; unknown values are null. Values of the row of
 * an ended run replace values of its iterations. Exceptions are an infinite best fitness, and evaluations of a resumed
 * run that are fewer than in its iterations. `solved` and `evaluationsToTarget` are null without a target.
 * `evaluationsToTarget` is also null for an unsolved run.
 */
function getResult(
  run: AnalysedRunWithStart,
  item: ListedRun,
  objective: Pick<Objective, 'direction' | 'targetFitness'>,
): Pick<
  ComparedRun,
  | 'best'
  | 'evaluationsSpent'
  | 'iterationsDone'
  | 'elapsedMillis'
  | 'solved'
  | 'evaluationsToTarget'
> {
  const [outcome] = getOutcomes([run], objective);
  const hasTarget = objective.targetFitness !== null;
  // The row of a resumed RUNNING run may have the result of an earlier segment.
  const [bestFitness = null] = getFiniteValues([
    isRunning(item) ? null : item.bestFitness,
    run.trace.best.at(-1),
  ]);
  return {
    best: bestFitness,
    evaluationsSpent: getUsedEvaluations(run) || null,
    iterationsDone: readNumber(getShownResults(item).iterations ?? run.newestIteration),
    elapsedMillis: readNumber(getRuntimeSoFar(item)),
    solved: hasTarget ? (outcome?.isSolved ?? false) : null,
    evaluationsToTarget: hasTarget ? (outcome?.evaluationsToTarget ?? null) : null,
  };
}

/**
 * Returns the problem instance of each experiment by the id of the experiment. The labels show the differences among
 * these instances of a problem type.
 */
function getInstances(
  experiments: readonly AnalysedExperiment[],
): Map<string, ComparedRun['instance']> {
  const instances = new Map<string, ComparedRun['instance']>();
  for (const [problemType, typeExperiments] of Map.groupBy(
    experiments,
    (experiment) => experiment.problemType,
  )) {
    const descriptions = describeInstances(typeExperiments, [], problemType);
    const labels = new Map(descriptions.map(({ id, label }) => [id, label]));
    for (const { experimentId, instance } of typeExperiments) {
      const { id } = instance;
      instances.set(experimentId, { id, label: labels.get(id) ?? problemType });
    }
  }
  return instances;
}
