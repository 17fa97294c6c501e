import type { Database } from '#server/db/database.ts';
import {
  listRuns,
  runsPerBatch,
  type IterationCounter,
  type RunRecord,
  type StoredRunResult,
} from '#server/repositories/analysis.ts';
import { ProblemError, truncate } from '#server/errors.ts';
import type { AcrossQuery } from '#shared/schemas/analysis-across.ts';
import { getRunGroupName } from './groups.ts';
import type { AnalysedExperiment, Objective } from './model.ts';
import { isCompleted, isFailed } from '#server/domain/outcome.ts';
import { describeInstances } from './scope.ts';

/** A problem instance with its experiments by id, and its objective. */
export interface ProblemInstance {
  id: string;
  label: string;
  problemType: string;
  experiments: ReadonlyMap<string, AnalysedExperiment>;
  objective: Objective;
}

/** An instance without its direction and target, with the results of its runs. */
interface InstanceWithRunResults extends Omit<ProblemInstance, 'objective'> {
  runs: readonly StoredRunResult[];
}

/**
 * Returns the requested instances, in the order of {@link getAllInstances}. By default, returns all instances with a
 * completed run on which at least two groups have completed or failed runs. Throws NOT_FOUND for an unknown instance.
 */
export function getInstancesToCompare(
  experiments: readonly AnalysedExperiment[],
  runs: readonly StoredRunResult[],
  { instance, groupBy }: Pick<AcrossQuery, 'instance' | 'groupBy'>,
): InstanceWithRunResults[] {
  const instances = getAllInstances(experiments, runs);
  if (instance.length > 0) return requireInstances(instances, instance);
  return instances.filter((candidate) => {
    const names = candidate.runs
      .filter((run) => isCompleted(run) || isFailed(run))
      .map((run) => getRunGroupName(run, candidate.experiments, groupBy));
    return new Set(names).size >= 2 && candidate.runs.some(isCompleted);
  });
}

/** Returns the instances with these ids, in the order of `instances`; throws NOT_FOUND for an unknown id. */
export function requireInstances(
  instances: readonly InstanceWithRunResults[],
  ids: readonly string[],
): InstanceWithRunResults[] {
  const instanceIds = new Set(instances.map(({ id }) => id));
  const missingId = ids.find((id) => !instanceIds.has(id));
  if (missingId === undefined) return instances.filter(({ id }) => ids.includes(id));
  throw new ProblemError(
    'NOT_FOUND',
    `There is no instance "${truncate(missingId)}" to compare on. Select another instance`,
  );
}

/**
 * Returns every instance of these experiments with its runs among `runs`, by problem type, then in the order of {@link
 * describeInstances}.
 */
export function getAllInstances(
  experiments: readonly AnalysedExperiment[],
  runs: readonly StoredRunResult[],
): InstanceWithRunResults[] {
  const runsByExperiment = Map.groupBy(runs, ({ experimentId }) => experimentId);
  const experimentsByType = Map.groupBy(experiments, ({ problemType }) => problemType);
  const sortedTypes = [...experimentsByType].sort(([a], [b]) => (a < b ? -1 : 1));
  return sortedTypes.flatMap(([problemType, experimentsOfType]) => {
    const runsOfType = experimentsOfType.flatMap(
      ({ experimentId }) => runsByExperiment.get(experimentId) ?? [],
    );
    const experimentsByInstance = Map.groupBy(experimentsOfType, ({ instance }) => instance.id);
    return describeInstances(experimentsOfType, runsOfType, problemType).map(({ id, label }) => {
      const experimentsOnInstance = experimentsByInstance.get(id) ?? [];
      return {
        id,
        label,
        problemType,
        experiments: new Map(
          experimentsOnInstance.map((experiment) => [experiment.experimentId, experiment]),
        ),
        runs: experimentsOnInstance.flatMap(
          ({ experimentId }) => runsByExperiment.get(experimentId) ?? [],
        ),
      };
    });
  });
}

/**
 * Returns the runs on each of these instances as one list per instance, in the order of the instances. Each list is by
 * experiment, then in the order of {@link listRuns}. `counter` counts the iterations of the ended runs that a response
 * has read.
 */
export async function listRunsOnInstances(
  database: Database,
  instances: readonly Pick<ProblemInstance, 'experiments'>[],
  counter?: IterationCounter,
): Promise<RunRecord[][]> {
  const ids = instances.map(({ experiments }) => [...experiments.keys()]);
  const runs = await listRuns(database, ids.flat(), counter);
  const runsByExperiment = Map.groupBy(runs, ({ experimentId }) => experimentId);
  return ids.map((idsOfInstance) => idsOfInstance.flatMap((id) => runsByExperiment.get(id) ?? []));
}

/** An instance whose runs {@link readRunsByInstance} reads, with the number of these runs. */
export interface UnreadInstance extends Omit<ProblemInstance, 'objective'> {
  runCount: number;
}

/**
 * Yields these instances in their order, each with its runs; see {@link listRunsOnInstances}. Reads the runs in
 * batches, because all of them together need much memory.
 */
export async function* readRunsByInstance<Instance extends UnreadInstance>(
  database: Database,
  instances: readonly Instance[],
): AsyncGenerator<{ instance: Instance; runs: RunRecord[] }> {
  const counter = { iterationCount: 0 };
  for (const batch of splitInstances(instances)) {
    const runsByInstance = await listRunsOnInstances(database, batch, counter);
    for (const [index, instance] of batch.entries())
      yield { instance, runs: runsByInstance[index] ?? [] };
  }
}

/** Returns the instances in batches of at most {@link runsPerBatch} runs; a larger instance is a separate batch. */
function splitInstances<Instance extends UnreadInstance>(
  instances: readonly Instance[],
): Instance[][] {
  const batches: Instance[][] = [];
  let remainingRunCount = 0;
  for (const instance of instances) {
    remainingRunCount -= instance.runCount;
    const lastBatch = batches.at(-1);
    if (lastBatch !== undefined && remainingRunCount >= 0) lastBatch.push(instance);
    else {
      batches.push([instance]);
      remainingRunCount = runsPerBatch - instance.runCount;
    }
  }
  return batches;
}
