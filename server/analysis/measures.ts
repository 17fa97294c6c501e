import { anytimePerformance } from '#server/stats/anytime.ts';
import { maximum, minimum } from '#server/stats/descriptive.ts';
import type { NamedSample, NamedSuccesses } from '#server/stats/pairwise-tests.ts';
import type { RunOutcome } from '#server/stats/runtime.ts';
import { isRunning } from '#shared/words.ts';
import type { JudgedGroup } from './groups.ts';
import type { AnalysedRun } from './model.ts';
import { budgetOf } from './outcomes.ts';

/** A group with whether and when each of its runs reached the target. */
export type TimedGroup = Pick<JudgedGroup, 'name' | 'runs' | 'outcomes'>;

/** Infinity for a run that ended without the target; null where it is unknown. */
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
