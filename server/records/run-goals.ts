import { isImportedRun } from '#server/domain/outcome.ts';
import type { Database } from '#server/db/database.ts';
import { listExperiments } from '#server/repositories/analysis.ts';
import type { DiagnosedRun } from '#server/repositories/runs.ts';
import { parseConfig } from '#server/domain/config.ts';
import {
  getConfiguredBudget,
  getKnownOptimum,
  type RunGoal,
  type RunResult,
} from '#server/domain/objective.ts';
import { readNumber } from '#shared/syntax.ts';
import {
  findObjective,
  findObjectivesOfExperiments,
  type DefaultObjective,
  type ObjectiveColumns,
} from './objectives.ts';

/** The goal of a run with the source of its direction. */
type SourcedGoal = RunGoal & Pick<DefaultObjective, 'directionSource'>;

/** Returns the direction and its source, the target, the known optimum and the budget of the runs of an experiment. */
export async function findGoal(
  database: Database,
  experiment: ObjectiveColumns,
): Promise<SourcedGoal> {
  return makeGoal(experiment, await findObjective(database, experiment));
}

function makeGoal(
  experiment: ObjectiveColumns,
  { direction, directionSource, targetFitness }: DefaultObjective,
): SourcedGoal {
  const config = parseConfig(experiment.configJson);
  return {
    direction,
    directionSource,
    target: targetFitness,
    optimum: getKnownOptimum(experiment.problemType, config, direction),
    budget: getConfiguredBudget(config),
  };
}

/** Returns the goals of these experiments by id; omits experiments that do not exist. */
export async function findGoals(
  database: Database,
  experimentIds: Iterable<string>,
): Promise<Map<string, SourcedGoal>> {
  const experiments = await listExperiments(database, [...new Set(experimentIds)]);
  const objectives = await findObjectivesOfExperiments(database, experiments);
  return new Map(
    experiments.flatMap((experiment) => {
      const objective = objectives.get(experiment.experimentId);
      return objective ? [[experiment.experimentId, makeGoal(experiment, objective)]] : [];
    }),
  );
}

/**
 * Returns the status and the result of a run from its row. Counts are numbers; a count that is not a finite number
 * becomes null.
 */
export function getResult(
  run: Pick<
    DiagnosedRun,
    'runId' | 'status' | 'iterations' | 'evaluations' | 'bestFitness' | 'resumedFrom'
  >,
): RunResult {
  return {
    status: run.status,
    isImported: isImportedRun(run),
    isResumed: run.resumedFrom !== null,
    iterations: readNumber(run.iterations),
    evaluations: readNumber(run.evaluations),
    bestFitness: run.bestFitness,
  };
}
