import type { Database } from '#server/db/database.ts';
import { ProblemError, shortened } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import type { Grouping, ProblemComparison } from '#shared/schemas/analysis.ts';
import type { GuardChoice, ProblemComparisonQuery } from '#shared/schemas/analysis-query.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { objectiveAt } from './across-places.ts';
import { ensureConvergence, groupConvergence } from './convergence.ts';
import { groupName, groupRuns } from './groups.ts';
import { keyOfRuns, loadExperiments, tracesOnDemand, type AnalysisContext } from './load.ts';
import type { Memo } from './memo.ts';
import type { AnalysedExperiment, AnalysedRun, Objective } from './model.ts';
import { noteIf } from './notes.ts';
import { commonDirection } from '#server/records/objectives.ts';
import { compareProblem } from './problem-comparison.ts';
import { ensureTargetEcdfs } from './several-targets.ts';
import { findSilentRuns } from '#server/records/liveness.ts';
import { selectScope, type ComparisonScope, type ScopeRequest } from './scope.ts';

/** The experiments on one problem type and their runs, without traces. */
type ProblemData = Pick<ScopeRequest, 'problemType' | 'experiments' | 'runs'>;

/**
 * Comparison of the runs on one instance of a problem type; an empty one, with a note, when it has no runs of
 * the algorithms asked for. Throws NOT_FOUND when no experiment has that problem type or instance.
 */
export async function compareRuns(
  context: AnalysisContext,
  problemType: string,
  query: ProblemComparisonQuery,
): Promise<ProblemComparison> {
  const { database } = context;
  const experiments = await loadExperiments(database, problemType);
  const ids = experiments.map(({ experimentId }) => experimentId);
  const runs = await analysis.listRunsOf(database, ids);
  const scope = requireScope({ problemType, experiments, runs }, query);
  const inside = new Map(
    [...scope.experiments].filter(([, { instance }]) => instance.id === scope.selected.id),
  );
  const found = await objectiveAt(database, query, { experiments: inside, runs: scope.runs });
  const nobody = scope.runs.length === 0 && query.algorithm.length > 0;
  const names = shortened(query.algorithm.join(', '));
  const notes = [
    ...(found.notes ?? []),
    ...noteIf(nobody, 'NO_SUCH_RUNS', names, scope.selected.label),
  ];
  const objective = { ...found, notes };
  const traced = tracesOnDemand(context, scope.runs, objective.direction);
  const subject = { scope, objective, traced, targets: query.targets };
  return compareScope(context, subject, query.groupBy, choiceOf(query));
}

/** What of a query chooses which runs enter the tests. */
export function choiceOf({ failed, stopped, silent, effect }: GuardChoice): GuardChoice {
  return { failed, stopped, silent, effect };
}

/** What is compared, by what, and the runs of its selected instance with their traces. */
export interface Subject {
  scope: ComparisonScope;
  objective: Objective;
  traced: () => Promise<AnalysedRun[]>;
  /** Of the ECDF over several; none for the levels. */
  targets: readonly number[];
}

/**
 * Returns the comparison of a subject. It is computed once for all requests for it, its convergence once for all targets, and
 * its ECDFs over several targets once for these.
 */
export async function compareScope(
  { database, memo }: AnalysisContext,
  { scope, objective, traced, targets }: Subject,
  groupBy: Grouping,
  choice: GuardChoice,
): Promise<ProblemComparison> {
  const directions = await directionsOf(database, scope, objective);
  const silent = await findSilentRuns(database, scope.runs);
  const { experiments, runs: _selected, allRuns, ...rest } = scope;
  const subject = [
    groupBy,
    [...experiments.values()].map(describeExperiment),
    rest,
    keyOfRuns(allRuns),
  ];
  const comparison = memo.ensure(
    ['comparison', objective, [...directions], choice, [...silent], subject],
    async () => {
      const traces = { ...scope, runs: await traced() };
      return compareProblem({ scope: traces, groupBy, objective, directions, choice, silent });
    },
  );
  const convergence = scopeConvergence(memo, { scope, objective, traced }, groupBy, subject);
  const ecdfs = ensureTargetEcdfs(memo, subject, { objective, targets }, async () =>
    groupRuns({ experiments, runs: await traced() }, groupBy),
  );
  const [compared, steps, courses] = await Promise.all([comparison, ecdfs, convergence]);
  return { ...compared, ...steps, convergence: courses };
}

/** Convergence of the groups at common budgets; that of a single one is also its experiment's. */
async function scopeConvergence(
  memo: Memo,
  { scope, objective, traced }: Pick<Subject, 'scope' | 'objective' | 'traced'>,
  groupBy: Grouping,
  subject: unknown,
): Promise<ProblemComparison['convergence']> {
  const { experiments, runs } = scope;
  const [name, ...others] = new Set(runs.map((run) => groupName(run, experiments, groupBy)));
  if (name !== undefined && others.length === 0) {
    return [{ name, points: await ensureConvergence(memo, objective.direction, runs, traced) }];
  }
  return memo.ensure(['convergence of groups', objective.direction, subject], async () =>
    groupConvergence(groupRuns({ experiments, runs: await traced() }, groupBy)),
  );
}

/** What decides the group of an experiment, and what is said of it: part of the key of an answer. */
export function describeExperiment(experiment: AnalysedExperiment): (string | number | null)[] {
  const { experimentId, runName, algorithmType, modelType, statedTarget, budget } = experiment;
  return [
    experimentId,
    runName,
    algorithmType,
    modelType,
    experiment.configurationId,
    statedTarget,
    budget.evaluations,
    budget.iterations,
  ];
}

/** Direction of each instance: the query's for all of them, else that of its own experiments. */
async function directionsOf(
  database: Database,
  { selected, experiments }: ComparisonScope,
  { direction, directionSource }: Objective,
): Promise<Map<string, ObjectiveDirection>> {
  const directions = new Map<string, ObjectiveDirection>();
  for (const [id, group] of Map.groupBy(experiments.values(), ({ instance }) => instance.id)) {
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
