import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { AnalysedRun } from './analysis-input.ts';
import { finiteValues } from '#server/stats/descriptive.ts';
import type { RunOutcome } from '#server/stats/runtime.ts';
import { reaches } from '#server/stats/trace.ts';

/** Whether the run ended by itself, so that its best fitness counts. */
export function isCompleted(run: Pick<AnalysedRun, 'status'>): boolean {
  return run.status === 'COMPLETED';
}

/** Whether the run still goes on. */
export function isRunning(run: Pick<AnalysedRun, 'status'>): boolean {
  return run.status === 'RUNNING';
}

/** Evaluations the run used: its own count if positive, else those of its last iteration, else 0. */
export function budgetOf(run: AnalysedRun): number {
  const stored = run.evaluations ?? 0;
  return stored > 0 ? stored : Math.max(0, run.trace?.lastEvaluations ?? 0);
}

/** Best fitness of the completed runs, in their order; values that are not finite are left out. */
export function sampleOf(runs: readonly AnalysedRun[]): number[] {
  return finiteValues(runs.filter(isCompleted).map((run) => run.bestFitness));
}

/**
 * Whether and when a run reached a target: at `hit`, the evaluations of the first iteration that did;
 * else, when its final best fitness did, at its budget. Solved with an unknown number of evaluations when
 * it has no budget either.
 */
export function outcomeForTarget(
  run: AnalysedRun,
  hit: number | null,
  target: number,
  direction: ObjectiveDirection,
): RunOutcome {
  const budget = budgetOf(run);
  if (hit !== null) return { solved: true, evaluationsToTarget: hit, budget };
  const solved = run.bestFitness !== null && reaches(run.bestFitness, target, direction);
  return { solved, evaluationsToTarget: solved && budget > 0 ? budget : null, budget };
}

/** Without a target a run counts as solved when it is completed, and as solved by its whole budget. */
export function outcomeWithoutTarget(run: AnalysedRun): RunOutcome {
  const budget = budgetOf(run);
  const solved = isCompleted(run);
  return { solved, evaluationsToTarget: solved && budget > 0 ? budget : null, budget };
}
