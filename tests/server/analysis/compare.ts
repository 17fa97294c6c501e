import { expect } from 'vitest';
import { type InstanceDirections, groupRuns } from '#server/analysis/groups.ts';
import { computeGroupConvergence, makeTargetEcdfs } from '#server/analysis/curves.ts';
import type { AnalysedExperiment, Objective } from '#server/analysis/model.ts';
import { compareProblem } from '#server/analysis/comparison.ts';
import { selectScope } from '#server/analysis/scope.ts';
import { type Grouping, problemComparison } from '#shared/schemas/analysis.ts';
import type { GuardChoice } from '#shared/schemas/analysis-query.ts';
import { makeObjective, addTraces, type RunWithIterations } from './sample-runs.ts';

/** Input of a comparison on OneMax; by default it maximises with the target 40. */
interface Situation {
  experiments: AnalysedExperiment[];
  runs: RunWithIterations[];
  objective?: Objective;
  groupBy?: Grouping;
  algorithms?: string[];
  instance?: string;
  directions?: InstanceDirections;
  /** Runs that enter the tests; all by default. */
  choice?: Partial<GuardChoice>;
  /** Ids of the silent runs. */
  silent?: string[];
}

/** Choice by which every started run enters the tests. */
export const everyRun: GuardChoice = {
  failed: 'include',
  stopped: 'include',
  silent: 'running',
  effect: '0.71',
};

/** Returns the comparison of a situation, checked against its schema. */
export function compare(situation: Situation) {
  const { experiments, runs, groupBy = 'algorithm', algorithms = [], instance } = situation;
  const objective = situation.objective ?? makeObjective('max', 40);
  const records = Object.freeze(runs.map(({ run }) => run));
  const scope = selectScope({
    problemType: 'onemax',
    experiments: Object.freeze(experiments),
    runs: records,
    algorithms,
    instance,
  });
  if (!scope) throw new Error('no scope');
  const runsInScope = new Set(scope.runs);
  const selectedRuns = addTraces(
    runs.filter(({ run }) => runsInScope.has(run)),
    objective,
  );
  const directions =
    situation.directions ??
    new Map(scope.instances.map(({ id }) => [id, objective.direction] as const));
  const input = {
    scope: { ...scope, runs: selectedRuns },
    groupBy,
    objective,
    directions,
    choice: { ...everyRun, ...situation.choice },
    silentIds: new Set(situation.silent),
  };
  const groups = groupRuns(input.scope, groupBy);
  const comparison = {
    ...compareProblem(input),
    ...makeTargetEcdfs(groups, objective, []),
    convergence: computeGroupConvergence(groups),
  };
  expect(problemComparison.parse(comparison)).toEqual(comparison);
  return comparison;
}
