import { ProblemError, shortened } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import type { Database } from '#server/db/database.ts';
import type { Objective } from './analysis-input.ts';
import { selectScope, type ComparisonScope } from './comparison-scope.ts';
import { planMeasurements } from './measurement.ts';
import { compareProblem } from './problem-comparison.ts';
import type { MeasuredRuns } from './run-profiles.ts';
import type {
  AnalysisNote,
  ProblemComparison,
  ProblemComparisonQuery,
  ProblemSummary,
} from '#shared/schemas/analysis.ts';
import { commonObjective } from './analysis-objective.ts';
import {
  loadExperiments,
  loadProblem,
  loadTraces,
  measureAll,
  withTraces,
  type ConfiguredExperiment,
  type ProblemData,
  type Traces,
} from './load.ts';

/**
 * Comparison of the runs on one instance of a problem type; an empty one, with a note, when it has no runs of
 * the algorithms asked for. Throws NOT_FOUND when no experiment has that problem type or instance.
 */
export async function compareRuns(
  database: Database,
  problemType: string,
  query: ProblemComparisonQuery,
): Promise<ProblemComparison> {
  const data = await loadProblem(database, problemType);
  const scope = requireScope(data, query);
  const inside = data.experiments.filter(
    ({ experimentId, instance }) =>
      instance.id === scope.selected.id && scope.experiments.has(experimentId),
  );
  const found = await commonObjective(database, query, inside);
  const notes = [...(found.notes ?? []), ...emptyFilterNotes(scope, query.algorithm)];
  const objective = { ...found, notes };
  const traces = await loadTraces(database, scope.runs, objective.direction);
  return comparisonOf(measureScope(scope, objective, traces), objective, query.groupBy);
}

/** A scope whose runs have been measured. */
export interface MeasuredScope {
  scope: ComparisonScope;
  measured: MeasuredRuns;
}

/** Asks the traces of the runs in scope what the comparison needs to know. */
export function measureScope(
  scope: ComparisonScope,
  objective: Objective,
  traces: Traces,
): MeasuredScope {
  const runs = withTraces(scope.runs, traces);
  const plan = planMeasurements(runs, objective);
  const measured = { runs, plan, measurements: measureAll(runs, traces, plan) };
  return { scope: { ...scope, runs }, measured };
}

/** The comparison of a measured scope. */
export function comparisonOf(
  { scope, measured: { plan, measurements } }: MeasuredScope,
  objective: Objective,
  groupBy: ProblemComparisonQuery['groupBy'],
): ProblemComparison {
  return compareProblem({ scope, groupBy, objective, plan, measurements });
}

/** The instance to compare on; without any runs when it has none of the algorithms. */
function requireScope(data: ProblemData, query: ProblemComparisonQuery): ComparisonScope {
  const { problemType, experiments, runs } = data;
  const { algorithm: algorithms, instance } = query;
  const request = { problemType, experiments, runs, instance };
  const scope = selectScope({ ...request, algorithms });
  if (scope) return scope;
  const whole = selectScope({ ...request, algorithms: [] });
  if (whole) return { ...whole, runs: [], allRuns: [] };
  const problem = `the problem "${shortened(problemType)}"`;
  if (experiments.length === 0) {
    throw new ProblemError('NOT_FOUND', `There is no experiment on ${problem}`);
  }
  const which = `"${shortened(instance ?? '')}"`;
  throw new ProblemError('NOT_FOUND', `There is no instance ${which} of ${problem} to compare on`);
}

function emptyFilterNotes(scope: ComparisonScope, algorithms: readonly string[]): AnalysisNote[] {
  if (scope.runs.length > 0 || algorithms.length === 0) return [];
  const names = shortened(algorithms.join(', '));
  const message = `There are no runs of ${names} on ${scope.selected.label}.`;
  return [{ code: 'NO_SUCH_RUNS', message }];
}

/** Every problem type with what there is to compare on it, by name. */
export async function listProblems(database: Database): Promise<ProblemSummary[]> {
  const experiments = await loadExperiments(database);
  const counts = await analysis.countRunsPerExperiment(database);
  const byExperiment = new Map(counts.map((count) => [count.experimentId, count]));
  const byType = Map.groupBy(experiments, ({ problemType }) => problemType);
  return Array.from(byType, ([problemType, group]) => ({
    problemType,
    algorithms: sortedNames(group),
    instances: new Set(group.map(({ instance }) => instance.id)).size,
    experiments: group.length,
    runs: total(group, (id) => byExperiment.get(id)?.runs),
    completedRuns: total(group, (id) => byExperiment.get(id)?.completedRuns),
  })).sort((a, b) => (a.problemType < b.problemType ? -1 : 1));
}

function sortedNames(experiments: readonly ConfiguredExperiment[]): string[] {
  return [...new Set(experiments.map(({ algorithmType }) => algorithmType))].sort();
}

function total(
  experiments: readonly ConfiguredExperiment[],
  countOf: (experimentId: string) => number | undefined,
): number {
  return experiments.reduce((sum, { experimentId }) => sum + (countOf(experimentId) ?? 0), 0);
}
