import type { Database } from '#server/db/database.ts';
import { ProblemError, shortened } from '#server/errors.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { endpoints } from '#shared/api.ts';
import type { Grouping } from '#shared/schemas/analysis.ts';
import type { GuardChoice, ProblemComparisonQuery } from '#shared/schemas/analysis-query.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { objectiveAt } from './across-places.ts';
import { groupConvergence, keepConvergence } from './convergence.ts';
import { groupName, groupRuns } from './groups.ts';
import { ensureText, KeptAnswer, keyOfRuns, type AnswerPart } from './kept-answer.ts';
import { loadExperiments, tracesOnDemand, type AnalysisContext } from './load.ts';
import type { AnalysisMemory } from './memory.ts';
import type { AnalysedExperiment, AnalysedRun, Objective } from './model.ts';
import { noteIf } from './notes.ts';
import { commonDirection } from '#server/records/objectives.ts';
import { compareProblem } from './problem-comparison.ts';
import { keepTargetEcdfs } from './several-targets.ts';
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
): Promise<KeptAnswer> {
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
  return new KeptAnswer(await keepComparison(context, subject, query.groupBy, choiceOf(query)));
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

const { answer } = endpoints.compareProblem;
/** What is computed apart, for `omit`. */
export const membersOfTargets = { targets: true, targetsSource: true, ecdfTargets: true } as const;
const withoutConvergence = {
  ...endpoints.compareProblem,
  answer: answer.omit({ convergence: true, ...membersOfTargets }),
};
const onlyConvergence = { ...endpoints.compareProblem, answer: answer.shape.convergence };

/** The parts of a comparison, computed once for all who ask for it; its convergence once for all targets, ECDFs over several once for these. */
export async function keepComparison(
  { database, memory }: AnalysisContext,
  { scope, objective, traced, targets }: Subject,
  groupBy: Grouping,
  choice: GuardChoice,
): Promise<AnswerPart[]> {
  const directions = await directionsOf(database, scope, objective);
  const silent = await findSilentRuns(database, scope.runs);
  const { experiments, runs: _selected, allRuns, ...rest } = scope;
  const subject = [
    groupBy,
    [...experiments.values()].map(describeExperiment),
    rest,
    keyOfRuns(allRuns),
  ];
  const comparison = ensureText(
    memory,
    ['comparison', objective, [...directions], choice, [...silent], subject],
    async () => {
      const traces = { ...scope, runs: await traced() };
      const input = { scope: traces, groupBy, objective, directions, choice, silent };
      const answered = compareProblem(input);
      return writeAnswer(withoutConvergence, answered).slice(0, -1);
    },
  );
  const convergence = keepGroupConvergence(memory, { scope, objective, traced }, groupBy, subject);
  const ecdfs = keepTargetEcdfs(memory, subject, { objective, targets }, async () =>
    groupRuns({ experiments, runs: await traced() }, groupBy),
  );
  const [compared, steps, courses] = await Promise.all([comparison, ecdfs, convergence]);
  return [compared, ',', steps, ',"convergence":', ...courses, '}'];
}

/** Convergence of the groups at common budgets; that of a single one is also its experiment's. */
async function keepGroupConvergence(
  memory: AnalysisMemory,
  { scope, objective, traced }: Pick<Subject, 'scope' | 'objective' | 'traced'>,
  groupBy: Grouping,
  subject: unknown,
): Promise<AnswerPart[]> {
  const { experiments, runs } = scope;
  const [name, ...others] = new Set(runs.map((run) => groupName(run, experiments, groupBy)));
  if (name !== undefined && others.length === 0) {
    const points = await keepConvergence(memory, objective.direction, runs, traced);
    return [`[{"name":${JSON.stringify(name)},"points":`, points, '}]'];
  }
  const facts = ['convergence of groups', objective.direction, subject];
  const courses = ensureText(memory, facts, async () => {
    const groups = groupRuns({ experiments, runs: await traced() }, groupBy);
    return writeAnswer(onlyConvergence, groupConvergence(groups));
  });
  return [await courses];
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
