import type { RunRecord } from '#server/repositories/analysis.ts';
import { ProblemError, shorten } from '#server/errors.ts';
import type { AcrossQuery } from '#shared/schemas/analysis-across.ts';
import { groupName } from './groups.ts';
import type { AnalysedExperiment, Objective } from './model.ts';
import { isCompleted, isFailed } from '#server/domain/outcome.ts';
import { describeInstances } from './scope.ts';

/** A problem instance with its experiments and runs. */
export interface Place {
  id: string;
  label: string;
  problemType: string;
  experiments: ReadonlyMap<string, AnalysedExperiment>;
  runs: readonly RunRecord[];
  objective: Objective;
}

/** A place without its direction and target. */
export type OpenPlace = Omit<Place, 'objective'>;

/**
 * Returns the instances to compare on, by problem type, then in the order of the list of instances. These are the
 * requested instances; by default all instances with a completed run on which at least two groups have completed or
 * failed runs. Throws NOT_FOUND for an unknown instance.
 */
export function getPlacesToCompare(
  experiments: readonly AnalysedExperiment[],
  runs: readonly RunRecord[],
  { instance, groupBy }: Pick<AcrossQuery, 'instance' | 'groupBy'>,
): OpenPlace[] {
  const places = getAllPlaces(experiments, runs);
  if (instance.length > 0) return requirePlaces(places, instance);
  return places.filter((place) => {
    const names = place.runs
      .filter((run) => isCompleted(run) || isFailed(run))
      .map((run) => groupName(run, place.experiments, groupBy));
    return new Set(names).size >= 2 && place.runs.some(isCompleted);
  });
}

/** Returns the places with these ids; throws NOT_FOUND for an unknown id. */
export function requirePlaces(places: readonly OpenPlace[], ids: readonly string[]): OpenPlace[] {
  const placeIds = new Set(places.map(({ id }) => id));
  const missing = ids.find((id) => !placeIds.has(id));
  if (missing === undefined) return places.filter(({ id }) => ids.includes(id));
  throw new ProblemError('NOT_FOUND', `There is no instance "${shorten(missing)}" to compare on`);
}

/**
 * Returns every instance of these experiments with its runs, by problem type, then in the order of the list of
 * instances.
 */
export function getAllPlaces(
  experiments: readonly AnalysedExperiment[],
  runs: readonly RunRecord[],
): OpenPlace[] {
  const runsByExperiment = Map.groupBy(runs, ({ experimentId }) => experimentId);
  const byType = Map.groupBy(experiments, ({ problemType }) => problemType);
  const types = [...byType].sort(([a], [b]) => (a < b ? -1 : 1));
  return types.flatMap(([problemType, inType]) => {
    const ofType = inType.flatMap(({ experimentId }) => runsByExperiment.get(experimentId) ?? []);
    const byInstance = Map.groupBy(inType, ({ instance }) => instance.id);
    return describeInstances(inType, ofType, problemType).map(({ id, label }) => {
      const inside = byInstance.get(id) ?? [];
      return {
        id,
        label,
        problemType,
        experiments: new Map(inside.map((experiment) => [experiment.experimentId, experiment])),
        runs: inside.flatMap(({ experimentId }) => runsByExperiment.get(experimentId) ?? []),
      };
    });
  });
}
