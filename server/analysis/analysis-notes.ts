import type { AnalysisNote } from '#shared/schemas/analysis.ts';
import type { AnalysedRun, Objective } from './analysis-input.ts';
import { budgetOf, isCompleted, isRunning } from './run-outcome.ts';

/** "1 run" or "3 runs": the count with its noun. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The note as a list of one when the condition holds, else an empty list. */
export function noteIf(condition: boolean, code: string, message: string): AnalysisNote[] {
  return condition ? [{ code, message }] : [];
}

/** What must be known about the direction and the target that the figures rest on. */
export function objectiveNotes(objective: Objective): AnalysisNote[] {
  const { directionSource, direction, targetFitness } = objective;
  const verb = direction === 'min' ? 'minimised' : 'maximised';
  return [
    ...noteIf(
      targetFitness === null,
      'NO_TARGET',
      'There is no target: success means that a run was completed, and success rate, ERT, SP1 and ECDF ' +
        'describe the budget spent, not performance.',
    ),
    ...noteIf(
      targetFitness !== null,
      'GENERATION_RESOLUTION',
      'Evaluations to the target are those at the end of the generation that reached it.',
    ),
    ...noteIf(
      directionSource === 'trace',
      'DIRECTION_FROM_TRACE',
      `Fitness is taken to be ${verb}, because it moves that way in most runs.`,
    ),
    ...noteIf(
      directionSource === 'default',
      'DIRECTION_ASSUMED',
      `Nothing says whether fitness is minimised or maximised; it is taken to be ${verb}.`,
    ),
    ...(objective.notes ?? []),
  ];
}

/** What must be known about the runs themselves: those that go on, have no data or are left out. */
export function runNotes(runs: readonly AnalysedRun[]): AnalysisNote[] {
  const running = runs.filter(isRunning).length;
  const withoutData = runs.filter((run) => budgetOf(run) === 0).length;
  const leftOut = runs.filter((run) => !isCompleted(run)).length;
  const notFinite = runs.filter((run) => isCompleted(run) && !hasFiniteBest(run)).length;
  return [
    ...noteIf(
      running > 0,
      'RUNS_ACTIVE',
      `${counted(running, 'run')} still going on; until the target is reached, not counted as solved.`,
    ),
    ...noteIf(
      withoutData > 0,
      'RUNS_WITHOUT_DATA',
      `${counted(withoutData, 'run')} without any evaluations: counted as runs, nothing to add to a sum.`,
    ),
    ...noteIf(
      leftOut > 0,
      'RUNS_NOT_COMPLETED',
      `${counted(leftOut, 'run')} not completed, so not among the values of best fitness.`,
    ),
    ...noteIf(
      notFinite > 0,
      'NOT_FINITE',
      `${counted(notFinite, 'completed run')} without a finite best fitness, so not among its values.`,
    ),
  ];
}

function hasFiniteBest(run: AnalysedRun): boolean {
  return run.bestFitness !== null && Number.isFinite(run.bestFitness);
}
