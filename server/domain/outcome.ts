import type { CurvePoint, DataProfileUnit, GroupSummary } from '#shared/schemas/analysis.ts';
import type { RuntimeInterval } from '#shared/schemas/analysis-measures.ts';
import { isRunning } from '#shared/words.ts';
import {
  getCommonValue,
  getFiniteValues,
  getPresentValues,
  computeFiniteMedian,
  computeMedian,
  toFiniteOrNull,
} from '#server/stats/descriptive.ts';
import { computeDataProfile } from '#server/stats/ecdf.ts';
import {
  computeErtBootstrapInterval,
  computeErtMoverInterval,
  computeExpectedRuntime,
  type RunOutcome,
  computeSuccessPerformance,
  computeSuccessRate,
  computeWilsonInterval,
} from '#server/stats/runtime.ts';
import type { ConfiguredBudget, Direction } from './objective.ts';
import { getBest, getFirstHit, hasReached, type RunTrace } from './trace.ts';

/** Fields of the row of a run about its end. */
export interface RunEnd {
  /** Status in upper case. */
  status: string;
  /** Best fitness in the row of the run, which may be infinite; null if it is missing or NaN. */
  bestFitness: number | null;
}

/** A run with the data that decide its outcome. */
export interface TracedRun extends RunEnd {
  /** Evaluations in the row of the run; null if they are missing or not an integer. */
  evaluations: number | null;
  /** Whether the run continued from a checkpoint. Its row may then have the count of only one segment. */
  isResumed: boolean;
  trace: RunTrace;
}

/** Direction and target that decide outcomes. */
interface Objective {
  direction: Direction;
  /** Fitness to reach; null without a target. */
  targetFitness: number | null;
}

/** A traced run with the data that decide its granted budget. */
interface BudgetedRun extends TracedRun {
  runId: string;
  /** Budget of the COCO trial of the run; null if there is none. */
  trialBudget: number | null;
  /** Highest number of an iteration; null without iterations. */
  newestIteration: number | null;
}

/** Budget and target that a configuration states for each run; the target is null if the configuration states none. */
interface StatedEnd {
  budget: ConfiguredBudget;
  statedTarget: number | null;
}

/** Returns whether the run completed. Summaries of the best fitness include only completed runs. */
export function isCompleted({ status }: Pick<RunEnd, 'status'>): boolean {
  return status === 'COMPLETED';
}

/** Returns whether a run failed. */
export function isFailed({ status }: Pick<RunEnd, 'status'>): boolean {
  return status === 'FAILED';
}

/**
 * Returns whether a run comes from an import, by its id. The budget of its trial is then the used evaluations, and its
 * rows may be only improvements.
 */
export function isImportedRun({ runId }: { runId: string }): boolean {
  return /^imp-[0-9a-f]{12}-/.test(runId);
}

/**
 * Returns the evaluations that the run used: the count in its row if positive, else the count of its trace if positive,
 * else 0. For a RUNNING or resumed run, returns the larger count, because its row may have the count of only one
 * segment.
 */
export function getUsedEvaluations(run: TracedRun): number {
  const count = run.evaluations ?? 0;
  if (isRunning(run) || run.isResumed) return Math.max(0, count, run.trace.usedEvaluations);
  return count > 0 ? count : Math.max(0, run.trace.usedEvaluations);
}

/**
 * Returns the evaluations that the trial of a run grants. Without such a trial, returns the evaluations that the
 * configuration grants; null if it grants none. An imported trial does not count, because its budget is the used
 * evaluations. The configuration does not count for a run that completed for another reason. Such a run used up its
 * iterations before its evaluations, or ended at a stated target that is easier than the target of the comparison. Any
 * stated target is easier if the comparison has no target.
 */
export function getGrantedBudget(
  run: BudgetedRun,
  statedEnd: StatedEnd | undefined,
  { direction, targetFitness }: Objective,
): number | null {
  if (run.trialBudget !== null && run.trialBudget > 0 && !isImportedRun(run)) {
    return run.trialBudget;
  }
  const budget = statedEnd?.budget.evaluations ?? null;
  if (!statedEnd || budget === null || !isCompleted(run)) return budget;
  const { iterations } = statedEnd.budget;
  const isOutOfIterations =
    iterations !== null &&
    (run.newestIteration ?? 0) >= iterations &&
    getUsedEvaluations(run) < budget;
  const target = statedEnd.statedTarget;
  const isEasier =
    target !== null && (targetFitness === null || !hasReached(target, targetFitness, direction));
  return isOutOfIterations || (isEasier && hasEndedAt(run, target, direction)) ? null : budget;
}

/**
 * Returns whether the run ended when it reached this target. If its trace does not reach the target, returns whether
 * its finite final fitness reaches it.
 */
function hasEndedAt(run: TracedRun, target: number, direction: Direction): boolean {
  const hit = getFirstHit(run.trace, target);
  if (hit !== null) return hit >= run.trace.usedEvaluations;
  return hasFinallyReached(run, target, direction);
}

/**
 * Returns whether the stored best fitness of a run reaches a level; false if the fitness is null or infinite. An
 * infinite fitness is not a valid result of a run or an iteration.
 */
export function hasFinallyReached(
  { bestFitness }: Pick<RunEnd, 'bestFitness'>,
  level: number,
  direction: Direction,
): boolean {
  const finalFitness = toFiniteOrNull(bestFitness);
  return finalFitness !== null && hasReached(finalFitness, level, direction);
}

/**
 * Returns the best fitness of the completed runs, in their order, including infinite values; omits null and NaN.
 */
export function getCompletedBestFitness(runs: readonly RunEnd[]): number[] {
  return getPresentValues(runs.filter(isCompleted).map((run) => run.bestFitness));
}

/**
 * Returns the median best fitness of the completed runs (null without values, and if it is not finite), and the number
 * `n` of values, which include infinities.
 */
export function summariseBestFitness(runs: readonly RunEnd[]): {
  medianBest: number | null;
  n: number;
} {
  const sample = getCompletedBestFitness(runs);
  return { medianBest: computeFiniteMedian(sample), n: sample.length };
}

/**
 * Returns the outcome of a run at a target. The run is solved if a point of its trace or its finite final fitness
 * reached the target. The evaluations to the target are the evaluations of the first such point. Without such a point,
 * they are the used evaluations or, for a RUNNING run, the evaluations in its row if positive. They are null if this
 * number is 0, and if the run is unsolved.
 */
export function getOutcomeAt(
  run: TracedRun,
  target: number,
  { direction }: Pick<Objective, 'direction'>,
): RunOutcome {
  const usedEvaluations = getUsedEvaluations(run);
  const count = run.evaluations ?? 0;
  const end = isRunning(run) && count > 0 ? count : usedEvaluations;
  const time = getEvaluationsToTarget(run, target, direction, end);
  return time === Infinity
    ? makeUnsolvedOutcome(usedEvaluations)
    : { isSolved: true, evaluationsToTarget: time, usedEvaluations };
}

/**
 * Returns the evaluations at which a run reached a target: the evaluations of the first point of its trace that reaches
 * the target. If only its finite final fitness reaches the target, returns `end`, or null (unknown) if `end` is 0.
 * Returns Infinity if the run missed the target.
 */
export function getEvaluationsToTarget(
  run: Pick<TracedRun, 'trace' | 'bestFitness'>,
  target: number,
  direction: Direction,
  end: number,
): number | null {
  const hit = getFirstHit(run.trace, target);
  if (hit !== null) return hit;
  if (!hasFinallyReached(run, target, direction)) return Infinity;
  return end > 0 ? end : null;
}

/** Returns the result of {@link getOutcomeAt} for each run, in order. */
export function getOutcomesAt(
  runs: readonly TracedRun[],
  target: number,
  objective: Pick<Objective, 'direction'>,
): RunOutcome[] {
  return runs.map((run) => getOutcomeAt(run, target, objective));
}

/**
 * Returns the outcome of each run for the target of the objective, in order. Without a target, completed runs count as
 * solved after all their evaluations (null if unknown).
 */
export function getOutcomes(runs: readonly TracedRun[], objective: Objective): RunOutcome[] {
  if (objective.targetFitness !== null)
    return getOutcomesAt(runs, objective.targetFitness, objective);
  return runs.map((run) => {
    const usedEvaluations = getUsedEvaluations(run);
    if (!isCompleted(run)) return makeUnsolvedOutcome(usedEvaluations);
    const evaluationsToTarget = usedEvaluations > 0 ? usedEvaluations : null;
    return { isSolved: true, evaluationsToTarget, usedEvaluations };
  });
}

function makeUnsolvedOutcome(usedEvaluations: number): RunOutcome {
  return { isSolved: false, evaluationsToTarget: null, usedEvaluations };
}

/** Fields of a response about the success and the runtime of runs. */
export type SuccessSummary = Pick<
  GroupSummary,
  | 'totalRuns'
  | 'completedRuns'
  | 'successfulRuns'
  | 'successRate'
  | 'successRateCi'
  | 'ert'
  | 'ertInterval'
  | 'sp1'
>;

/**
 * Returns counts of runs, the success rate with its Wilson interval, the ERT with its bootstrap interval, and SP1. ERT,
 * its interval and SP1 are in evaluations. `outcomes` are the outcomes of the runs, in order. Without runs, the rate is
 * 0, and intervals, ERT and SP1 are null. ERT and SP1 are also null if they are unknown, and without a solved run,
 * because they are then infinite.
 */
export function summariseSuccess(
  runs: readonly TracedRun[],
  outcomes: readonly RunOutcome[],
): SuccessSummary {
  const successfulRuns = outcomes.filter((outcome) => outcome.isSolved).length;
  return {
    totalRuns: runs.length,
    completedRuns: runs.filter(isCompleted).length,
    successfulRuns,
    successRate: computeSuccessRate(outcomes),
    successRateCi: computeWilsonInterval(successfulRuns, runs.length),
    ert: computeExpectedRuntime(outcomes),
    ertInterval: computeErtBootstrapInterval(outcomes),
    sp1: computeSuccessPerformance(outcomes),
  };
}

/**
 * Returns the MOVER interval of the ERT over whole runs; see {@link computeErtMoverInterval}. `outcomes` are the
 * outcomes of the runs, in order. If all runs have the same granted budget, this is the budget of the interval, else
 * the budget is unknown. Returns null without a target.
 */
export function getErtMoverInterval<Run extends BudgetedRun>(
  runs: readonly Run[],
  outcomes: readonly RunOutcome[],
  getStatedEnd: (run: Run) => StatedEnd | undefined,
  objective: Objective,
): RuntimeInterval | null {
  if (objective.targetFitness === null) return null;
  const budgets = runs.map((run) => getGrantedBudget(run, getStatedEnd(run), objective));
  return computeErtMoverInterval(outcomes, getCommonValue(budgets));
}

/** Accuracies of the convergence test, from coarse to exact. */
export const profileAccuracies = [1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 0] as const;

/**
 * Returns the fitness that counts as solved at each accuracy τ of {@link profileAccuracies}: f_L + τ(f_0 − f_L), with
 * `start` = f_0, the median first value of the runs, and `bestValue` = f_L, the target or the best value reached. If
 * the start is at least as good as the best value, all levels equal the best value. Moré & Wild 2009.
 */
export function getConvergenceLevels(
  start: number,
  bestValue: number,
  direction: Direction,
): number[] {
  const isReached = hasReached(start, bestValue, direction);
  return profileAccuracies.map((accuracy) => {
    if (isReached || accuracy === 0) return bestValue;
    const level = bestValue + accuracy * (start - bestValue);
    // The difference of very large numbers may be infinite.
    return Number.isFinite(level) ? level : bestValue + (accuracy * start - accuracy * bestValue);
  });
}

/**
 * Returns the fitness that counts as solved at each accuracy of the profiles, from the median first value of the runs
 * to the target. Without a target, the last level is the best value of all runs. Returns an empty list if no trace has
 * a value.
 */
export function getLevels(
  runs: readonly TracedRun[],
  { direction, targetFitness }: Objective,
): number[] {
  const start = computeMedian(getFiniteValues(runs.map(({ trace }) => trace.best[0])));
  const finalValues = runs.flatMap(({ bestFitness, trace }) => [bestFitness, trace.best.at(-1)]);
  const bestValue = targetFitness ?? getBest(getFiniteValues(finalValues), direction);
  return start === null || bestValue === null
    ? []
    : getConvergenceLevels(start, bestValue, direction);
}

/** Returns the outcomes of the runs at each level, in order. */
export function getOutcomesAtLevels(
  runs: readonly TracedRun[],
  levels: readonly number[],
  objective: Pick<Objective, 'direction'>,
): RunOutcome[][] {
  return levels.map((level) => getOutcomesAt(runs, level, objective));
}

/**
 * Returns the data profile over all pairs of a run and a level. Its x is in evaluations if the dimension is unknown. A
 * pair counts as unsolved if the evaluations to the level are unknown. Returns an empty list if no pair is solved.
 */
export function getDataProfile(
  outcomes: readonly (readonly RunOutcome[])[],
  dimension: number | null,
): CurvePoint[] {
  return computeDataProfile(
    outcomes.flat().map(({ evaluationsToTarget: evaluations }) => ({ evaluations, dimension })),
  );
}

/** Returns the unit of x in a data profile: evaluations if the dimension is unknown (null). */
export function getDataProfileUnit(dimension: number | null): DataProfileUnit {
  return dimension === null ? 'evaluations' : 'evaluationsPerDimensionPlusOne';
}
