import * as iterations from '#server/repositories/iterations.ts';
import type { Database } from '#server/db/database.ts';
import {
  configuredDirection,
  configuredTarget,
  findDirection,
  problemDirection,
  type Direction,
  type DirectionSource,
} from '#server/rules/objective.ts';

/** What an experiment is after, and how that is known. */
export interface Objective {
  direction: Direction;
  directionSource: DirectionSource;
  targetFitness: number | null;
  targetSource: 'config' | 'none';
}

/**
 * Direction and target of an experiment without a query's word on them. The traces of its runs are read only
 * where neither configuration nor problem type says a direction.
 */
export async function findObjective(
  database: Database,
  experiment: { experimentId: string; problemType: string; configJson: string },
): Promise<Objective> {
  const { experimentId, problemType, configJson } = experiment;
  const config = parsedOrUndefined(configJson);
  const isStated = configuredDirection(config) !== null || problemDirection(problemType) !== null;
  const traceGains = isStated ? [] : await iterations.listTraceGains(database, experimentId);
  const targetFitness = configuredTarget(config);
  return {
    ...findDirection({ config, problemType, traceGains }),
    targetFitness,
    targetSource: targetFitness === null ? 'none' : 'config',
  };
}

function parsedOrUndefined(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
