import type { RunRecord } from '#server/repositories/analysis.ts';
import type { CurvePoint, DataProfileUnit, GroupSummary } from '#shared/schemas/analysis.ts';
import { isRunning } from '#shared/words.ts';
import { finiteValues, presentValues } from '#server/stats/descriptive.ts';
import { convergenceLevels, dataProfile } from '#server/stats/profiles.ts';
import { ertInterval } from '#server/stats/ert-interval.ts';
import { finiteMedian, median } from '#server/stats/quantile.ts';
import {
  expectedRuntime,
  type RunOutcome,
  successPerformance,
  successRate,
} from '#server/stats/runtime.ts';
import { bestOf, firstHit, reaches } from '#server/stats/trace.ts';
import { wilsonInterval } from '#server/stats/wilson-interval.ts';
import type { AnalysedRun, Objective } from './model.ts';

/** Whether the run ended by itself, so that its best fitness counts. */
export function isCompleted({ status }: Pick<RunRecord, 'status'>): boolean {
  return status === 'COMPLETED';
}

/** Whether a run failed. */
export function isFailed({ status }: Pick<RunRecord, 'status'>): boolean {
  return status === 'FAILED';
}

/**
 * Evaluations the run used: its own count if positive, else those of its last iteration, else 0. A RUNNING
 * run that was resumed keeps the count of its earlier segment, so there the larger of the two.
 */
export function budgetOf(run: AnalysedRun): number {
  const stored = run.evaluations ?? 0;
  if (isRunning(run)) return Math.max(0, stored, run.trace.spent);
  return stored > 0 ? stored : Math.max(0, run.trace.spent);
}

/** Best fitness of the completed runs, in their order, infinite ones included; none and NaN are left out. */
export function completedBestFitness(
  runs: readonly Pick<RunRecord, 'status' | 'bestFitness'>[],
): number[] {
  return presentValues(runs.filter(isCompleted).map((run) => run.bestFitness));
}

/**
 * Median best fitness of the completed runs, infinities among them, and how many have one; null for none, and where it
 * is not finite.
 */
export function medianOf(runs: readonly Pick<RunRecord, 'status' | 'bestFitness'>[]): {
  medianBest: number | null;
  n: number;
} {
  const sample = completedBestFitness(runs);
  return { medianBest: finiteMedian(sample), n: sample.length };
}

/**
 * Whether and when a run reached a target: with the evaluations of the first iteration that did; else,
 * when its final best fitness did, with all that were counted then. Solved with an unknown number of
 * evaluations where none were.
 */
export function outcomeAt(
  run: AnalysedRun,
  target: number,
  { direction }: Pick<Objective, 'direction'>,
): RunOutcome {
  const budget = budgetOf(run);
  const hit = firstHit(run.trace, target);
  if (hit !== null) return { solved: true, evaluationsToTarget: hit, budget };
  const { bestFitness } = run;
  const isFinite = bestFitness !== null && Number.isFinite(bestFitness);
  if (!isFinite || !reaches(bestFitness, target, direction)) return unsolved(budget);
  return solvedAt(run.evaluations ?? 0, budget);
}

/** The {@link outcomeAt} of each run, in order. */
export function outcomesAt(
  runs: readonly AnalysedRun[],
  target: number,
  objective: Pick<Objective, 'direction'>,
): RunOutcome[] {
  return runs.map((run) => outcomeAt(run, target, objective));
}

/**
 * Outcome of each run for the target of the objective, in order. Without a target a run counts as solved
 * when it is completed, and as solved by its whole budget.
 */
export function outcomesOf(
  runs: readonly AnalysedRun[],
  objective: Pick<Objective, 'direction' | 'targetFitness'>,
): RunOutcome[] {
  if (objective.targetFitness !== null) return outcomesAt(runs, objective.targetFitness, objective);
  return runs.map((run) => {
    const budget = budgetOf(run);
    return isCompleted(run) ? solvedAt(budget, budget) : unsolved(budget);
  });
}

function solvedAt(evaluations: number, budget: number): RunOutcome {
  const known = evaluations > 0 ? evaluations : budget;
  return { solved: true, evaluationsToTarget: known > 0 ? known : null, budget };
}

function unsolved(budget: number): RunOutcome {
  return { solved: false, evaluationsToTarget: null, budget };
}

/** The part of an answer that says how often and how fast runs succeeded. */
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
 * Counts of runs, success rate with its Wilson interval, ERT with its bootstrap interval, and SP1. `outcomes`
 * are those of the runs, in order. No runs: rate 0, intervals, ERT and SP1 null.
 */
export function summariseSuccess(
  runs: readonly AnalysedRun[],
  outcomes: readonly RunOutcome[],
): SuccessSummary {
  const successfulRuns = outcomes.filter((outcome) => outcome.solved).length;
  return {
    totalRuns: runs.length,
    completedRuns: runs.filter(isCompleted).length,
    successfulRuns,
    successRate: successRate(outcomes),
    successRateCi: wilsonInterval(successfulRuns, runs.length),
    ert: expectedRuntime(outcomes),
    ertInterval: ertInterval(outcomes),
    sp1: successPerformance(outcomes),
  };
}

/**
 * Fitness that counts as solved at each accuracy of the profiles, from the median first value of the runs to
 * the target, or without one to the best value that any of them reached. No run with a value: no levels.
 */
export function levelsOf(
  runs: readonly AnalysedRun[],
  { direction, targetFitness }: Pick<Objective, 'direction' | 'targetFitness'>,
): number[] {
  const start = median(finiteValues(runs.map(({ trace }) => trace.best[0])));
  const reached = runs.flatMap(({ bestFitness, trace }) => [bestFitness, trace.best.at(-1)]);
  const best = targetFitness ?? bestOf(finiteValues(reached), direction);
  return start === null || best === null ? [] : convergenceLevels(start, best, direction);
}

/** Outcomes of the runs at each level, in order. */
export function outcomesOfLevels(
  runs: readonly AnalysedRun[],
  levels: readonly number[],
  objective: Objective,
): RunOutcome[][] {
  return levels.map((level) => outcomesAt(runs, level, objective));
}

/** Data profile over all pairs of a run and a level; plain evaluations when the dimension is unknown. */
export function dataProfileOf(
  levels: readonly (readonly RunOutcome[])[],
  dimension: number | null,
): CurvePoint[] {
  return dataProfile(
    levels.flat().map(({ evaluationsToTarget: evaluations }) => ({ evaluations, dimension })),
  );
}

/** What the x of a data profile counts in. */
export function dataProfileUnitFor(dimension: number | null): DataProfileUnit {
  return dimension === null ? 'evaluations' : 'evaluationsPerDimensionPlusOne';
}
