import { parseConfig } from '#server/domain/config.ts';
import type { Database } from '#server/db/database.ts';
import {
  getCommonTarget,
  getConfiguredBudget,
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

/** Returns the direction and target of an experiment; see {@link findDirection}. */
export async function findObjective(
  database: Database,
  experiment: { experimentId: string; problemType: string; configJson: string },
): Promise<DefaultObjective> {
  const statedExperiments = [{ ...experiment, ...getStatedObjective(experiment.configJson) }];
  const targetFitness = getCommonTarget(statedExperiments);
  return {
    ...(await findCommonDirection(database, statedExperiments)),
    targetFitness,
    targetSource: targetFitness === null ? 'none' : 'config',
  };
}

/** Returns the direction and target of each of these experiments by id; experiments that do not exist are missing. */
export async function findObjectives(
  database: Database,
  experimentIds: Iterable<string>,
): Promise<Map<string, DefaultObjective>> {
  const objectives = new Map<string, DefaultObjective>();
  for (const experiment of await listExperiments(database, [...new Set(experimentIds)])) {
    objectives.set(experiment.experimentId, await findObjective(database, experiment));
  }
  return objectives;
}

/**
 * Returns the evaluations that the configuration of each of these experiments grants to a run, by experiment id; null
 * if it sets no limit.
 */
export async function findGrantedEvaluations(
  database: Database,
  experimentIds: Iterable<string>,
): Promise<Map<string, number | null>> {
  const experiments = await listExperiments(database, [...new Set(experimentIds)]);
  return new Map(
    experiments.map(({ experimentId, configJson }) => [
      experimentId,
      getConfiguredBudget(parseConfig(configJson)).evaluations,
    ]),
  );
}

/**
 * Returns the direction of experiments on one problem instance: that of the first experiment that states one, else that
 * of the problem type, else that of their traces, which are read only then.
 */
export async function findCommonDirection(
  database: Database,
  experiments: readonly (StatedObjective & { experimentId: string; problemType: string })[],
): Promise<Pick<DefaultObjective, 'direction' | 'directionSource'>> {
  const direction = experiments.find(({ statedDirection }) => statedDirection)?.statedDirection;
  if (direction) return { direction, directionSource: 'config' };
  const problemType = experiments[0]?.problemType ?? '';
  const traceGains: number[] = [];
  for (const { experimentId } of getProblemDirection(problemType) === null ? experiments : []) {
    // There may be more runs than a call can have arguments.
    for (const gain of await listTraceGains(database, { experimentId })) traceGains.push(gain);
  }
  return findDirection({ config: undefined, problemType, traceGains });
}
