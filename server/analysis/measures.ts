import { anytimePerformance } from '#server/stats/anytime.ts';
import { maximum, minimum } from '#server/stats/descriptive.ts';
import {
  type NamedSample,
  type NamedSuccesses,
  rankSumPairs,
  successPairs,
} from '#server/stats/pairwise-tests.ts';
import type { RunOutcome } from '#server/stats/runtime.ts';
import type { MeasuredPair, Pairwise } from '#shared/schemas/analysis-measures.ts';
import { isRunning } from '#shared/words.ts';
import type { JudgedGroup } from './groups.ts';
import type { AnalysedRun, Objective } from './model.ts';
import { budgetOf } from './outcomes.ts';

/** Most groups whose pairs are tested: twice as many would fill 50 MB, and take half a minute. */
export const mostPairedGroups = 150;

/**
 * Tests of all pairs of groups on each measure, each with a family of its own. Runtime and success need a
 * target, anytime performance levels and a budget: null without. Of more than {@link mostPairedGroups} no pair is tested.
 */
export function measurePairs(
  all: readonly JudgedGroup[],
  { direction, targetFitness }: Pick<Objective, 'direction' | 'targetFitness'>,
): Pairwise {
  const groups = all.length > mostPairedGroups ? [] : all;
  const hasTarget = targetFitness !== null;
  return {
    fitness: rankSumPairs(groups, direction),
    runtime: hasTarget ? rankSumPairs(groups.map(runtimesOf), 'min') : null,
    success: hasTarget ? successPairs(groups.map(successesOf)) : null,
    anytime: anytimePairs(groups),
  };
}

/** A group with whether and when each of its runs reached the target. */
export type TimedGroup = Pick<JudgedGroup, 'name' | 'runs' | 'outcomes'>;

/** Runs whose evaluations to the target nobody knows: they go on without it, or it is not known when they reached it. */
export function untimedRuns({ runs, outcomes }: Omit<TimedGroup, 'name'>): number {
  return runs.filter((run, index) => timeToTarget(run, outcomes[index]) === null).length;
}

/** Infinity for a run that ended without the target; null where nobody knows. */
function timeToTarget(run: AnalysedRun, outcome: RunOutcome | undefined): number | null {
  if (outcome?.solved) return outcome.evaluationsToTarget;
  return isRunning(run) ? null : Infinity;
}

/** Evaluations to the target of the runs of a group, Infinity for one that ended without it. */
export function runtimesOf({ name, runs, outcomes }: TimedGroup): NamedSample {
  const times = runs.map((run, index) => timeToTarget(run, outcomes[index]));
  const sample = times.filter((time) => time !== null);
  return { name, sample, isCensored: times.some((time) => time === null || time === Infinity) };
}

/** How many runs of a group reached the target; those that go on without it are not among its trials. */
export function successesOf({ name, runs, outcomes }: TimedGroup): NamedSuccesses {
  const isOpen = (run: AnalysedRun, index: number) => isRunning(run) && !outcomes[index]?.solved;
  return {
    name,
    solved: outcomes.filter((outcome) => outcome.solved).length,
    trials: runs.length - runs.filter(isOpen).length,
  };
}

function anytimePairs(groups: readonly JudgedGroup[]): MeasuredPair[] | null {
  const samples = anytimeSamples(groups);
  return samples && rankSumPairs(samples, 'max');
}

/**
 * Anytime performance of the finished runs of each group, within the smallest budget of the groups: that of
 * its longest finished run. Runs that reached a level at an unknown time are left out. Null without levels,
 * and where no group used any evaluations.
 */
export function anytimeSamples(groups: readonly JudgedGroup[]): NamedSample[] | null {
  const budgets = groups.flatMap(
    ({ runs }) => maximum(runs.filter((run) => !isRunning(run)).map(budgetOf)) ?? [],
  );
  const budget = minimum(budgets) ?? 0;
  if (budget < 1 || groups.every(({ levels }) => levels.length === 0)) return null;
  return groups.map(({ name, runs, levels }) => ({
    name,
    sample: runs.flatMap((run, index) => {
      const outcomes = levels.flatMap((level) => level[index] ?? []);
      const isUnknown = outcomes.some((one) => one.solved && one.evaluationsToTarget === null);
      if (isRunning(run) || isUnknown) return [];
      const times = outcomes.map(({ evaluationsToTarget }) => evaluationsToTarget);
      return anytimePerformance(times, budget) ?? [];
    }),
  }));
}
