import type { Database } from '#server/db/database.ts';
import {
  getCommonTarget,
  findDirection,
  getProblemDirection,
  getStatedObjective,
  type Direction,
  type DirectionSource,
  type StatedObjective,
} from '#server/domain/objective.ts';
import { listExperiments } from '#server/repositories/analysis.ts';
import { listTraceGains } from '#server/repositories/iterations.ts';

/** Default direction and target of the runs of an experiment. */
export interface DefaultObjective {
  direction: Direction;
  directionSource: DirectionSource;
  targetFitness: number | null;
  targetSource: 'config' | 'none';
}

/** The columns of an experiment that determine its objective. */
export interface ObjectiveColumns {
  experimentId: string;
  problemType: string;
  configJson: string;
}

/** Returns the direction and target of an experiment; see {@link findDirection}. */
export async function findObjective(
  database: Database,
  experiment: ObjectiveColumns,
): Promise<DefaultObjective> {
  const objectives = await findObjectivesOfExperiments(database, [experiment]);
  return objectives.get(experiment.experimentId) as DefaultObjective;
}

/** Returns the direction and target of each of these experiments by id; omits experiments that do not exist. */
export async function findObjectives(
  database: Database,
  experimentIds: Iterable<string>,
): Promise<Map<string, DefaultObjective>> {
  return findObjectivesOfExperiments(
    database,
    await listExperiments(database, [...new Set(experimentIds)]),
  );
}

/** Returns the direction and target of each of these experiments by id. Reads traces in one query, if necessary. */
export async function findObjectivesOfExperiments(
  database: Database,
  experiments: readonly ObjectiveColumns[],
): Promise<Map<string, DefaultObjective>> {
  const statedExperiments = experiments.map((experiment) => ({
    ...experiment,
    ...getStatedObjective(experiment.configJson),
  }));
  const traceGains = await listTraceGains(
    database,
    statedExperiments.filter(needsTraces).map(({ experimentId }) => experimentId),
  );
  return new Map(
    statedExperiments.map((experiment) => {
      const targetFitness = getCommonTarget([experiment]);
      const objective: DefaultObjective = {
        ...getDirection(experiment, traceGains.get(experiment.experimentId) ?? []),
        targetFitness,
        targetSource: targetFitness === null ? 'none' : 'config',
      };
      return [experiment.experimentId, objective];
    }),
  );
}

/**
 * Returns the direction of experiments on one problem instance, and the source of the direction. The first direction
 * that an experiment states has priority. If no experiment states one, the problem type decides, then the traces;
 * otherwise, the direction is `min`. Reads the traces only if necessary.
 */
export async function findCommonDirection(
  database: Database,
  experiments: readonly (StatedObjective & { experimentId: string; problemType: string })[],
): Promise<Pick<DefaultObjective, 'direction' | 'directionSource'>> {
  const statedDirection =
    experiments.find((experiment) => experiment.statedDirection)?.statedDirection ?? null;
  const problemType = experiments[0]?.problemType ?? '';
  const evidence = { statedDirection, problemType };
  const traceGains = await listTraceGains(
    database,
    needsTraces(evidence) ? experiments.map(({ experimentId }) => experimentId) : [],
  );
  return getDirection(evidence, [...traceGains.values()].flat());
}

type StatedEvidence = Pick<StatedObjective, 'statedDirection'> & { problemType: string };

/** Returns whether neither the configuration nor the problem type decides the direction. */
function needsTraces({ statedDirection, problemType }: StatedEvidence): boolean {
  return statedDirection === null && getProblemDirection(problemType) === null;
}

function getDirection(
  { statedDirection, problemType }: StatedEvidence,
  traceGains: readonly number[],
): Pick<DefaultObjective, 'direction' | 'directionSource'> {
  if (statedDirection) return { direction: statedDirection, directionSource: 'config' };
  return findDirection({ config: undefined, problemType, traceGains });
}
