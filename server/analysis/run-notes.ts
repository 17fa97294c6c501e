import { isImportedRun } from '#server/domain/completeness.ts';
import { budgetOf, completedBestFitness, isCompleted } from '#server/domain/outcome.ts';
import { bestOf, firstHit, reaches } from '#server/domain/trace.ts';
import { finiteValues } from '#server/stats/descriptive.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import type { AnalysedRun, Objective } from './model.ts';
import { note, noteIf } from './notes.ts';
import type { TracedScope } from './scope.ts';

/**
 * What must be known about the runs themselves: those that go on, have no data or are left out. `countAsUnsolved` states
 * that RUNNING runs are in the success rate of a target.
 */
export function runNotes(runs: readonly AnalysedRun[], countAsUnsolved: boolean): AnalysisNote[] {
  const completed = runs.filter(isCompleted);
  const running = runs.filter(isRunning).length;
  const withoutData = runs.filter((run) => budgetOf(run) === 0).length;
  const leftOut = runs.length - completed.length;
  const without = completed.filter(({ bestFitness }) => bestFitness === null).length;
  const infinite = completed.filter(({ bestFitness }) => Math.abs(bestFitness ?? 0) === Infinity);
  return [
    ...noteIf(running > 0, 'RUNS_ACTIVE', running, countAsUnsolved),
    ...noteIf(withoutData > 0, 'RUNS_WITHOUT_DATA', withoutData),
    ...noteIf(leftOut > 0, 'RUNS_NOT_COMPLETED', leftOut),
    ...noteIf(without > 0, 'NOT_FINITE', without),
    ...noteIf(infinite.length > 0, 'INFINITE_FITNESS', infinite.length),
  ];
}

/** Target that the configuration of a run states; null for none. */
type StatedTargetOf = (run: AnalysedRun) => number | null;

/** The targets that these experiments state, by their runs. */
export function statedTargetIn({ experiments }: Pick<TracedScope, 'experiments'>): StatedTargetOf {
  return ({ experimentId }) => experiments.get(experimentId)?.statedTarget ?? null;
}

/**
 * What must be known of the target next to these runs: that some of them stopped at an easier one, and without
 * a target, which values would make one.
 */
export function targetNotes(
  runs: readonly AnalysedRun[],
  statedTargetOf: StatedTargetOf,
  objective: Objective,
): AnalysisNote[] {
  const { targetFitness, direction } = objective;
  if (targetFitness === null) return suggestions(runs, objective);
  const stopped = runs.filter((run) => {
    const stated = statedTargetOf(run);
    return (
      stated !== null &&
      hasStopped(run, stated, direction) &&
      !hasReached(run, targetFitness, direction)
    );
  });
  const stated = [...new Set(stopped.map(statedTargetOf).filter((target) => target !== null))];
  return noteIf(
    stopped.length > 0,
    'TARGET_BEYOND_STOPPING',
    stopped.length,
    runs.length,
    stated.sort((a, b) => a - b),
    targetFitness,
  );
}

/** Whether the run ended where it reached this target, and not only after it. */
function hasStopped(run: AnalysedRun, target: number, direction: ObjectiveDirection): boolean {
  if (!isCompleted(run) || !hasReached(run, target, direction)) return false;
  const hit = firstHit(run.trace, target);
  return hit === null || hit >= run.trace.spent;
}

function hasReached(run: AnalysedRun, target: number, direction: ObjectiveDirection): boolean {
  const best = bestOf(finiteValues([run.bestFitness, run.trace.best.at(-1)]), direction);
  return best !== null && reaches(best, target, direction);
}

/** Shares of the runs that reach a target that is worth a look: it neither is trivial nor out of reach. */
const suggestedShares = [0.9, 0.5, 0.1] as const;

/** The targets that would be suggested for these runs: distinct values of final fitness, the easiest first. */
export function suggestedTargets(
  runs: readonly AnalysedRun[],
  direction: ObjectiveDirection,
): number[] {
  const sign = direction === 'min' ? 1 : -1;
  const bestFirst = finiteValues(completedBestFitness(runs)).sort((a, b) => sign * (a - b));
  const values = suggestedShares.flatMap(
    (share) => bestFirst[Math.ceil(share * bestFirst.length) - 1] ?? [],
  );
  return [...new Set(values)];
}

function suggestions(
  runs: readonly AnalysedRun[],
  { direction }: Pick<Objective, 'direction'>,
): AnalysisNote[] {
  const bests = finiteValues(completedBestFitness(runs));
  const distinct = suggestedTargets(runs, direction);
  if (distinct.length === 0) return [];
  const solved = distinct.map(
    (target) => bests.filter((best) => reaches(best, target, direction)).length,
  );
  return [{ ...note('SUGGESTED_TARGETS', distinct, solved, bests.length), values: distinct }];
}

/** What must be known about the direction and the target that the figures of these runs rest on. */
export function objectiveNotes(
  objective: Objective,
  runs: readonly Pick<AnalysedRun, 'runId'>[],
): AnalysisNote[] {
  const { directionSource, direction, targetFitness } = objective;
  const verb = verbOf(direction);
  return [
    ...(targetFitness === null ? [note('NO_TARGET')] : resolutionNotes(runs.map(isImportedRun))),
    ...noteIf(directionSource === 'trace', 'DIRECTION_FROM_TRACE', verb),
    ...noteIf(directionSource === 'default', 'DIRECTION_ASSUMED', verb),
    ...(objective.notes ?? []),
  ];
}

/** How exactly it is known when runs or trials reached a target, by whether an import has written each. */
export function resolutionNotes(areImported: readonly boolean[]): AnalysisNote[] {
  const some = areImported.includes(true);
  // The loggers of others write down each improvement, not each generation.
  return [
    ...noteIf(!some || areImported.includes(false), 'GENERATION_RESOLUTION'),
    ...noteIf(some, 'IMPORTED_RESOLUTION'),
  ];
}

function verbOf(direction: ObjectiveDirection): string {
  return direction === 'min' ? 'minimised' : 'maximised';
}
