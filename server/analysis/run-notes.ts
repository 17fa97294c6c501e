import { isRunning } from '#shared/words.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { AnalysedRun } from './model.ts';
import { noteIf } from './notes.ts';
import { budgetOf, isCompleted } from '#server/domain/outcome.ts';

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
