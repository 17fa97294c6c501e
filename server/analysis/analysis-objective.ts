import * as iterations from '#server/repositories/iterations.ts';
import type { Database } from '#server/db/database.ts';
import type { Objective } from './analysis-input.ts';
import {
  configuredDirection,
  configuredTarget,
  findDirection,
  problemDirection,
} from '#server/rules/objective.ts';
import type { AnalysisNote, ExperimentAnalysisQuery } from '#shared/schemas/analysis.ts';
import { findObjective } from './experiment-objective.ts';
import type { ConfiguredExperiment } from './load.ts';

/** Direction and target of one experiment: the query's, else what the experiment says. */
export async function experimentObjective(
  database: Database,
  query: ExperimentAnalysisQuery,
  experiment: ConfiguredExperiment,
): Promise<Objective> {
  return overridden(await findObjective(database, experiment), query);
}

/**
 * Direction and target of experiments on one problem instance: the query's, else what they say. Targets of
 * configurations count when all that state one agree; notes tell when they do not, or not all state it.
 */
export async function commonObjective(
  database: Database,
  query: ExperimentAnalysisQuery,
  experiments: readonly ConfiguredExperiment[],
): Promise<Objective> {
  const configs = experiments.map(({ configJson }) => parsedOrUndefined(configJson));
  const problemType = experiments[0]?.problemType ?? '';
  const stated = configs.find((config) => configuredDirection(config) !== null);
  const isKnown = stated !== undefined || problemDirection(problemType) !== null;
  const traceGains = isKnown ? [] : await listGains(database, experiments);
  const direction = findDirection({ config: stated, problemType, traceGains });
  return overridden({ ...direction, ...commonTarget(configs) }, query);
}

function overridden(
  found: Objective,
  { direction, target }: Pick<ExperimentAnalysisQuery, 'direction' | 'target'>,
): Objective {
  return {
    ...found,
    ...(direction && { direction, directionSource: 'query' as const }),
    ...(target !== undefined && {
      targetFitness: target,
      targetSource: 'query' as const,
      notes: [],
    }),
  };
}

async function listGains(
  database: Database,
  experiments: readonly ConfiguredExperiment[],
): Promise<number[]> {
  const gains: number[] = [];
  for (const { experimentId } of experiments) {
    gains.push(...(await iterations.listTraceGains(database, experimentId)));
  }
  return gains;
}

function commonTarget(
  configs: readonly unknown[],
): Pick<Objective, 'targetFitness' | 'targetSource' | 'notes'> {
  const targets = configs.map(configuredTarget).filter((target) => target !== null);
  const distinct = [...new Set(targets)].sort((a, b) => a - b);
  const [only] = distinct;
  if (only === undefined) return { targetFitness: null, targetSource: 'none' };
  if (distinct.length > 1) {
    return { targetFitness: null, targetSource: 'none', notes: [targetsDiffer(distinct)] };
  }
  const silent = configs.length - targets.length;
  const notes = silent === 0 ? [] : [targetOfSome(silent, configs.length)];
  return { targetFitness: only, targetSource: 'config', notes };
}

function targetsDiffer(targets: readonly number[]): AnalysisNote {
  return {
    code: 'TARGETS_DIFFER',
    message:
      `The configurations state different targets (${targets.join(', ')}), so none of them is used: ` +
      'choose one to compare by it.',
  };
}

function targetOfSome(silent: number, all: number): AnalysisNote {
  return {
    code: 'TARGET_OF_SOME',
    message:
      `${silent} of ${all} experiments state no target; their runs are judged by that of the others, ` +
      'which they may not have stopped at.',
  };
}

function parsedOrUndefined(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
