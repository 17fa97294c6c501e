import type { Database } from '#server/db/database.ts';
import { ProblemError, shortened } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { endpoints } from '#shared/api.ts';
import type { Grouping } from '#shared/schemas/analysis.ts';
import type { ProblemComparisonQuery } from '#shared/schemas/analysis-query.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { ensureText, KeptAnswer, keyOfRuns, type KeptText } from './kept-answer.ts';
import {
  loadExperiments,
  loadTraces,
  type AnalysisContext,
  type ConfiguredExperiment,
} from './load.ts';
import type { AnalysedExperiment, Objective, RunRecord } from './model.ts';
import { noteIf } from './notes.ts';
import { commonDirection, commonObjective } from './objective.ts';
import { compareProblem } from './problem-comparison.ts';
import { selectScope, type ComparisonScope } from './scope.ts';

/** The experiments on one problem type and their runs, without traces. */
interface ProblemData {
  problemType: string;
  experiments: readonly ConfiguredExperiment[];
  runs: readonly RunRecord[];
}

/** Reads what is known of a problem type; without experiments when nobody solved such a problem. */
async function loadProblem(database: Database, problemType: string): Promise<ProblemData> {
  const experiments = await loadExperiments(database, problemType);
  const ids = experiments.map(({ experimentId }) => experimentId);
  return { problemType, experiments, runs: await analysis.listRunsOf(database, ids) };
}

/**
 * Comparison of the runs on one instance of a problem type; an empty one, with a note, when it has no runs of
 * the algorithms asked for. Throws NOT_FOUND when no experiment has that problem type or instance.
 */
export async function compareRuns(
  context: AnalysisContext,
  problemType: string,
  query: ProblemComparisonQuery,
): Promise<KeptAnswer> {
  const { database } = context;
  const data = await loadProblem(database, problemType);
  const scope = requireScope(data, query);
  const inside = data.experiments.filter(
    ({ experimentId, instance }) =>
      instance.id === scope.selected.id && scope.experiments.has(experimentId),
  );
  const withRuns = new Set(scope.runs.map(({ experimentId }) => experimentId));
  const found = await commonObjective(database, query, inside, withRuns);
  const nobody = scope.runs.length === 0 && query.algorithm.length > 0;
  const names = shortened(query.algorithm.join(', '));
  const notes = [
    ...(found.notes ?? []),
    ...noteIf(nobody, 'NO_SUCH_RUNS', names, scope.selected.label),
  ];
  const objective = { ...found, notes };
  const comparison = await keepComparison(context, data, scope, objective, query.groupBy);
  return new KeptAnswer([comparison], comparison.wasThere);
}

/** The comparison of the runs in scope by an objective, computed once for all who ask for it. */
export async function keepComparison(
  context: AnalysisContext,
  data: ProblemData,
  scope: ComparisonScope,
  objective: Objective,
  groupBy: Grouping,
): Promise<KeptText> {
  const directions = await directionsOf(context.database, data, scope, objective);
  const { experiments, runs: selectedRuns, allRuns, ...rest } = scope;
  const runKeys = [keyOfRuns(selectedRuns), keyOfRuns(allRuns)];
  const groups = [...experiments.values()].map(grouped);
  const facts = ['comparison', groupBy, objective, [...directions], groups, runKeys, rest];
  return ensureText(context.memory, facts, async () => {
    const runs = await loadTraces(context, selectedRuns, objective.direction);
    const comparison = compareProblem({
      scope: { ...scope, runs },
      groupBy,
      objective,
      directions,
    });
    return writeAnswer(endpoints.compareProblem, comparison);
  });
}

/** What decides the group of an experiment, and what is said of it. */
function grouped(experiment: AnalysedExperiment): (string | null)[] {
  const { experimentId, runName, algorithmType, modelType } = experiment;
  return [experimentId, runName, algorithmType, modelType, experiment.configurationId];
}

/** Direction of each instance: the query's for all of them, else that of its own experiments. */
async function directionsOf(
  database: Database,
  { experiments }: ProblemData,
  { selected, experiments: kept }: ComparisonScope,
  { direction, directionSource }: Objective,
): Promise<Map<string, ObjectiveDirection>> {
  const inside = experiments.filter(({ experimentId }) => kept.has(experimentId));
  const directions = new Map<string, ObjectiveDirection>();
  for (const [id, group] of Map.groupBy(inside, ({ instance }) => instance.id)) {
    const isAsked = directionSource === 'query' || id === selected.id;
    directions.set(id, isAsked ? direction : (await commonDirection(database, group)).direction);
  }
  return directions;
}

/** The instance to compare on; without any runs when it has none of the algorithms. */
function requireScope(data: ProblemData, query: ProblemComparisonQuery): ComparisonScope {
  const { algorithm: algorithms, instance } = query;
  const scope = selectScope({ ...data, instance, algorithms });
  if (scope) return scope;
  const whole = selectScope({ ...data, instance, algorithms: [] });
  if (whole) return { ...whole, runs: [], allRuns: [] };
  const problem = `the problem "${shortened(data.problemType)}"`;
  if (data.experiments.length === 0) {
    throw new ProblemError('NOT_FOUND', `There is no experiment on ${problem}`);
  }
  const which = `"${shortened(instance ?? '')}"`;
  throw new ProblemError('NOT_FOUND', `There is no instance ${which} of ${problem} to compare on`);
}
