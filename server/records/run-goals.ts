import type { Database } from '#server/db/database.ts';
import { listExperiments } from '#server/repositories/analysis.ts';
import type { DiagnosedRun } from '#server/repositories/runs.ts';
import { isImportedRun } from '#server/domain/completeness.ts';
import { parseConfig } from '#server/domain/config.ts';
import {
  getConfiguredBudget,
  getKnownOptimum,
  type RunGoal,
  type RunResult,
} from '#server/domain/objective.ts';
import { readNumber } from '#shared/decimal.ts';
import { findObjective, type DefaultObjective } from './objectives.ts';

/** The goal of a run with the source of its direction. */
type SourcedGoal = RunGoal & Pick<DefaultObjective, 'directionSource'>;

/** Returns direction, target, known optimum and budget of the runs of an experiment. */
export async function findGoal(
  database: Database,
  experiment: { experimentId: string; problemType: string; configJson: string },
): Promise<SourcedGoal> {
  const { direction, directionSource, targetFitness } = await findObjective(database, experiment);
  const config = parseConfig(experiment.configJson);
  return {
    direction,
    directionSource,
    target: targetFitness,
    optimum: getKnownOptimum(experiment.problemType, config, direction),
    budget: getConfiguredBudget(config),
  };
}

/** Returns the goals of these experiments by id; experiments that do not exist are missing. */
export async function findGoals(
  database: Database,
  experimentIds: Iterable<string>,
): Promise<Map<string, SourcedGoal>> {
  const goals = new Map<string, SourcedGoal>();
  for (const experiment of await listExperiments(database, [...new Set(experimentIds)])) {
    goals.set(experiment.experimentId, await findGoal(database, experiment));
  }
  return goals;
}

/** Returns status and result of a run from its row, with counts as numbers; null for a value that is not a number. */
export function getResult(
  run: Pick<DiagnosedRun, 'runId' | 'status' | 'iterations' | 'evaluations' | 'bestFitness'>,
): RunResult {
  return {
    status: run.status,
    isImported: isImportedRun(run),
    iterations: readNumber(run.iterations),
    evaluations: readNumber(run.evaluations),
    bestFitness: run.bestFitness,
  };
}
