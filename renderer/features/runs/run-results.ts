import type { RunItem, RunProgress } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';

type StoredResults = Pick<RunItem, 'bestFitness' | 'iterations' | 'evaluations'> & {
  progress: Pick<RunProgress, 'bestSoFar' | 'iteration' | 'evaluations'> | null;
};

/**
 * Returns the progress of a RUNNING run, whose row may have the results of an earlier segment, else the stored results.
 */
export function getShownResults({ progress, ...run }: StoredResults) {
  return {
    best: progress?.bestSoFar ?? run.bestFitness,
    iterations: progress?.iteration ?? run.iterations,
    evaluations: progress?.evaluations ?? run.evaluations,
  };
}

/** Returns the end of a run; null while it is RUNNING, when its row may have the end of an earlier segment. */
export function getEndTime(run: Pick<RunItem, 'status' | 'endTime'>): string | null {
  return isRunning(run) ? null : run.endTime;
}
