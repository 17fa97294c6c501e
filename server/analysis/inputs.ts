import * as analysis from '#server/repositories/analysis.ts';
import type { AnalysedExperiment, Objective, AnalysedRun } from './model.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { Database } from '#server/db/database.ts';
import type {
  ExperimentAnalysisQuery,
  ProblemComparisonQuery,
} from '#shared/schemas/analysis-query.ts';
import type { InstanceDirections } from './groups.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import { findCommonDirection } from '#server/records/objectives.ts';
import {
  getCommonTarget,
  getStatedTargets,
  type StatedObjective,
} from '#server/domain/objective.ts';
import { findSilentRuns } from '#server/records/liveness.ts';
import {
  loadExperiments,
  loadExperimentsBeside,
  getTracesOnDemand,
  type AnalysisContext,
} from './load.ts';
import { makeNotFoundError, ProblemError, shorten } from '#server/errors.ts';
import { noteIf } from './notes.ts';
import { selectScope, type ComparisonScope, type ScopeRequest } from './scope.ts';

type RequestedObjective = Pick<ExperimentAnalysisQuery, 'direction' | 'target'>;

/** Without a requested objective, each instance has the objective that its experiments state. */
export const noRequestedObjective: RequestedObjective = { direction: undefined, target: undefined };

/** Facts of an experiment from which its objective is determined. */
type ObjectiveExperiment = StatedObjective & { experimentId: string; problemType: string };

/**
 * Returns direction and target of experiments on one problem instance: those of the query, else the stated ones. The
 * target is that of the configurations if all stated targets agree; only experiments with runs count. Notes report
 * different and missing targets. Traces are read only if neither configuration nor problem type states a direction.
 */
export async function getCommonObjective(
  database: Database,
  { direction, target }: RequestedObjective,
  experiments: readonly ObjectiveExperiment[],
  experimentsWithRuns = experiments,
): Promise<Objective> {
  const targetFitness = getCommonTarget(experimentsWithRuns);
  return {
    ...(await findCommonDirection(database, experiments)),
    targetFitness,
    targetSource: targetFitness === null ? 'none' : 'config',
    notes: makeTargetNotes(experimentsWithRuns),
    ...(direction && { direction, directionSource: 'query' }),
    ...(target !== undefined && { targetFitness: target, targetSource: 'query', notes: [] }),
  };
}

function makeTargetNotes(experiments: readonly ObjectiveExperiment[]): AnalysisNote[] {
  const targets = getStatedTargets(experiments);
  if (targets.length !== 1) return noteIf(targets.length > 1, 'TARGETS_DIFFER', targets);
  const experimentsWithoutTarget = experiments.filter(
    ({ statedTarget }) => statedTarget === null,
  ).length;
  return noteIf(
    experimentsWithoutTarget > 0,
    'TARGET_OF_SOME',
    experimentsWithoutTarget,
    experiments.length,
  );
}

/** Returns direction and target of an instance; only experiments with runs decide the target. */
export function getObjectiveAt(
  database: Database,
  requestedObjective: RequestedObjective,
  {
    experiments,
    runs,
  }: { experiments: ReadonlyMap<string, AnalysedExperiment>; runs: readonly RunRecord[] },
): Promise<Objective> {
  const allExperiments = [...experiments.values()];
  const idsWithRuns = new Set(runs.map(({ experimentId }) => experimentId));
  const experimentsWithRuns = allExperiments.filter(({ experimentId }) =>
    idsWithRuns.has(experimentId),
  );
  return getCommonObjective(database, requestedObjective, allExperiments, experimentsWithRuns);
}

/** The runs on one problem instance, with all data that an analysis reads. */
export interface AnalysisInput {
  scope: ComparisonScope;
  objective: Objective;
  /** Direction of each instance in the scope. */
  directions: InstanceDirections;
  /** Ids of the silent runs. */
  silentIds: ReadonlySet<string>;
  /** Returns the runs on the selected instance with their traces; the first call reads the traces. */
  loadRuns: () => Promise<AnalysedRun[]>;
}

/** An experiment and the runs on its problem instance. */
export interface ExperimentInput extends AnalysisInput {
  experiment: AnalysedExperiment;
}

/**
 * Returns the input of the analysis of an experiment; without comparison only the runs on its own instance. Throws
 * EXPERIMENT_NOT_FOUND.
 */
export async function loadExperimentInput(
  context: AnalysisContext,
  experimentId: string,
  query: ExperimentAnalysisQuery,
): Promise<ExperimentInput> {
  const { experiment, experiments } = await loadExperiment(context.database, experimentId);
  const objective = await getCommonObjective(context.database, query, [experiment]);
  const { problemType, instance } = experiment;
  const experimentsInScope = experiments.filter(
    (otherExperiment) => query.sameProblem || otherExperiment.instance.id === instance.id,
  );
  const ids = experimentsInScope.map((experimentInScope) => experimentInScope.experimentId);
  const runs = await analysis.listRuns(context.database, ids);
  const request = { problemType, experiments, runs, algorithms: [], instance: instance.id };
  const scope = selectScope(request);
  if (!scope) throw makeNotFoundError('experiment', experimentId);
  if (query.sameProblem) return { experiment, ...(await getInput(context, scope, objective)) };
  const loadRuns = getTracesOnDemand(context, scope.runs, objective.direction);
  return { experiment, scope, objective, loadRuns, directions: new Map(), silentIds: new Set() };
}

/**
 * Returns the input of the comparison on one instance of a problem type. Without runs of the requested algorithms it
 * has a note and no runs. Throws NOT_FOUND if no experiment has that problem type or instance.
 */
export async function loadProblemInput(
  context: AnalysisContext,
  problemType: string,
  query: ProblemComparisonQuery,
): Promise<AnalysisInput> {
  const { database } = context;
  const experiments = await loadExperiments(database, problemType);
  const ids = experiments.map(({ experimentId }) => experimentId);
  const runs = await analysis.listRuns(database, ids);
  const scope = requireScope({ problemType, experiments, runs }, query);
  const instanceExperiments = new Map(
    [...scope.experiments].filter(([, { instance }]) => instance.id === scope.selectedInstance.id),
  );
  const objective = await getObjectiveAt(database, query, {
    experiments: instanceExperiments,
    runs: scope.runs,
  });
  const hasNoRuns = scope.runs.length === 0 && query.algorithm.length > 0;
  const names = shorten(query.algorithm.join(', '));
  const notes = [
    ...(objective.notes ?? []),
    ...noteIf(hasNoRuns, 'NO_SUCH_RUNS', names, scope.selectedInstance.label),
  ];
  return getInput(context, scope, { ...objective, notes });
}

async function getInput(
  context: AnalysisContext,
  scope: ComparisonScope,
  objective: Objective,
): Promise<AnalysisInput> {
  return {
    scope,
    objective,
    directions: await getDirections(context.database, scope, objective),
    silentIds: await findSilentRuns(context.database, scope.runs),
    loadRuns: getTracesOnDemand(context, scope.runs, objective.direction),
  };
}

/** Returns an experiment, and all experiments on the same problem type. Throws EXPERIMENT_NOT_FOUND. */
export async function loadExperiment(
  database: Database,
  experimentId: string,
): Promise<{ experiment: AnalysedExperiment; experiments: AnalysedExperiment[] }> {
  const experiments = await loadExperimentsBeside(database, experimentId);
  const experiment = experiments.find((candidate) => candidate.experimentId === experimentId);
  if (!experiment) throw makeNotFoundError('experiment', experimentId);
  return { experiment, experiments };
}

/** Returns the direction of each instance: that of the query, else that of the instance's experiments. */
async function getDirections(
  database: Database,
  { selectedInstance, experiments }: ComparisonScope,
  { direction, directionSource }: Objective,
): Promise<Map<string, ObjectiveDirection>> {
  const directions = new Map<string, ObjectiveDirection>();
  for (const [id, group] of Map.groupBy(experiments.values(), ({ instance }) => instance.id)) {
    const isRequested = directionSource === 'query' || id === selectedInstance.id;
    directions.set(
      id,
      isRequested ? direction : (await findCommonDirection(database, group)).direction,
    );
  }
  return directions;
}

/** Returns the scope with the instance; without runs if the requested algorithms have none there. Throws NOT_FOUND. */
function requireScope(
  data: Pick<ScopeRequest, 'problemType' | 'experiments' | 'runs'>,
  query: ProblemComparisonQuery,
): ComparisonScope {
  const { algorithm: algorithms, instance } = query;
  const scope = selectScope({ ...data, instance, algorithms });
  if (scope) return scope;
  const wholeScope = selectScope({ ...data, instance, algorithms: [] });
  if (wholeScope) return { ...wholeScope, runs: [], allRuns: [] };
  const problemText = `the problem "${shorten(data.problemType)}"`;
  if (data.experiments.length === 0) {
    throw new ProblemError('NOT_FOUND', `There is no experiment on ${problemText}`);
  }
  const instanceName = `"${shorten(instance ?? '')}"`;
  throw new ProblemError(
    'NOT_FOUND',
    `There is no instance ${instanceName} of ${problemText} to compare on`,
  );
}
