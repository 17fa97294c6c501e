import { getUsedEvaluations, getLevels, getOutcomeAt } from '#server/domain/outcome.ts';
import {
  getBestAt,
  getBestBy,
  getBest,
  getFirstHit,
  getFirstHits,
  hasReached,
} from '#server/domain/trace.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import { computeConvergence, makeConvergenceBudgets } from '#server/stats/convergence.ts';
import { getFiniteValues, getMaximum, getMinimum } from '#server/stats/descriptive.ts';
import {
  computeMedianUnsolvedEvaluations,
  type TargetHits,
  computeTargetSteps,
} from '#server/stats/ecdf.ts';
import type {
  ConvergencePoint,
  ProblemComparison,
  SeveralTargets,
} from '#shared/schemas/analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import type { RunGroup } from './groups.ts';
import { getKeyOfRuns, type Memo } from './memo.ts';
import type { AnalysedRun, Objective } from './model.ts';

/**
 * Returns the convergence of the runs at their own budgets from the cache, or computes it. Requests with different
 * targets share the result, and an experiment shares it with a comparison of only this experiment. `loadRuns` returns
 * the same runs with their traces.
 */
export function ensureConvergence(
  memo: Memo,
  direction: ObjectiveDirection,
  runs: readonly RunRecord[],
  loadRuns: () => Promise<readonly AnalysedRun[]>,
): Promise<ConvergencePoint[]> {
  const facts = ['convergence', direction, getKeyOfRuns(runs)];
  return memo.ensure(facts, async () => getConvergence(await loadRuns()));
}

/**
 * Returns the convergence of the runs at these budgets, by default at those of {@link getBudgets}. Each point omits
 * runs without a value at its budget. A budget without any value has no point.
 */
export function getConvergence(
  runs: readonly AnalysedRun[],
  budgets = getBudgets(runs),
): ConvergencePoint[] {
  return computeConvergence(
    budgets,
    runs.map((run) => getBestOfRun(run, budgets)),
  );
}

/**
 * Returns the convergence of each group, in order, at budgets that all groups share. A group has no point at a budget
 * if none of its runs has a value there.
 */
export function computeGroupConvergence(
  groups: readonly Pick<RunGroup, 'name' | 'runs'>[],
): ProblemComparison['convergence'] {
  const budgets = getBudgets(groups.flatMap(({ runs }) => runs));
  return groups.map(({ name, runs }) => ({ name, points: getConvergence(runs, budgets) }));
}

/**
 * Returns budgets from the smallest number of evaluations with a value to the largest number of used evaluations of the
 * runs. Returns an empty list if no run has a value, or if the last budget would be below the first.
 */
function getBudgets(runs: readonly AnalysedRun[]): number[] {
  const firstBudget = getMinimum(getFiniteValues(runs.map(({ trace }) => trace.evaluations[0])));
  const lastBudget = getMaximum(runs.map(getUsedEvaluations));
  return firstBudget === null || lastBudget === null
    ? []
    : makeConvergenceBudgets(firstBudget, lastBudget);
}

/**
 * Returns the best so far at each budget; NaN before the first value. For a RUNNING run, the result ends at the last
 * point with a value, because the further trace is unknown.
 */
function getBestOfRun(run: AnalysedRun, budgets: readonly number[]): Float64Array {
  if (!isRunning(run)) return getBestAt(run.trace, budgets);
  const reachedCount = budgets.findLastIndex((budget) => budget <= run.trace.end) + 1;
  return getBestAt(run.trace, budgets.slice(0, reachedCount));
}

/** The runs of a curve, with its name. */
interface NamedRuns {
  name: string;
  runs: readonly AnalysedRun[];
}

/**
 * Returns the result of {@link makeTargetEcdfs} from the cache, or computes it. With requested targets, the result does
 * not depend on the target of the objective, so requests with different targets of the objective share it. `scopeKey`
 * identifies the groups and the state of their runs.
 */
export function ensureTargetEcdfs(
  memo: Memo,
  scopeKey: unknown,
  { objective, targets }: { objective: Objective; targets: readonly number[] },
  getGroups: () => Promise<readonly NamedRuns[]>,
): Promise<SeveralTargets> {
  const { direction, targetFitness } = objective;
  const facts = ['targets', direction, targets, targets.length === 0 && targetFitness, scopeKey];
  return memo.ensure(facts, async () => makeTargetEcdfs(await getGroups(), objective, targets));
}

/**
 * Returns the targets in descending order, and for each group, in order, the share of its (run, target) pairs that
 * reach the target within a number of evaluations. If `requestedTargets` is empty, the targets are those of {@link
 * getAttainedTargets}. {@link getOutcomeAt} defines the evaluations to a target. Pairs that never reach the target, or
 * reach it after unknown evaluations, stay in the denominator. `crossAt` is the median of the used evaluations of the
 * runs with such a pair; null without such runs. It omits runs of 0 evaluations, because a logarithmic axis cannot show
 * 0.
 */
export function makeTargetEcdfs(
  groups: readonly NamedRuns[],
  objective: Objective,
  requestedTargets: readonly number[],
): SeveralTargets {
  const allRuns = groups.flatMap(({ runs }) => runs);
  const targets =
    requestedTargets.length > 0 ? requestedTargets : getAttainedTargets(allRuns, objective);
  const orderedTargets = targets.toSorted((a, b) => b - a);
  return {
    targets: orderedTargets,
    targetsSource: requestedTargets.length > 0 ? 'query' : 'levels',
    ecdfTargets: groups.map(({ name, runs }) => {
      const hits = runs.map((run) => getHits(run, orderedTargets, objective));
      const startedHits = hits.filter(({ usedEvaluations }) => usedEvaluations > 0);
      return {
        name,
        ...computeTargetSteps(hits),
        crossAt: computeMedianUnsolvedEvaluations(startedHits),
      };
    }),
  };
}

/**
 * Returns for each accuracy level of the runs the worst value with which a run reached the level; the level itself if
 * no run reached it. The result contains equal values once, because several levels can be between the same two possible
 * values. Returns an empty list if no trace has a value.
 */
function getAttainedTargets(runs: readonly AnalysedRun[], objective: Objective): number[] {
  const { direction } = objective;
  const oppositeDirection = direction === 'min' ? 'max' : 'min';
  const targets = getLevels(runs, objective).map((level) => {
    const attainedValues = runs.flatMap(({ trace, bestFitness }) => {
      const hit = getFirstHit(trace, level);
      if (hit !== null) return getBestBy(trace, hit) ?? [];
      return getFiniteValues([bestFitness]).filter((value) => hasReached(value, level, direction));
    });
    return getBest(attainedValues, oppositeDirection) ?? level;
  });
  return [...new Set(targets)];
}

function getHits(run: AnalysedRun, targets: readonly number[], objective: Objective): TargetHits {
  const hits = getFirstHits(run.trace, targets);
  for (const [index, target] of targets.entries()) {
    // The stored best fitness of a run may reach a target that no iteration reached.
    if (hits[index] === Infinity)
      hits[index] = getOutcomeAt(run, target, objective).evaluationsToTarget ?? Infinity;
  }
  return { dimension: 1, hits, usedEvaluations: getUsedEvaluations(run) };
}
