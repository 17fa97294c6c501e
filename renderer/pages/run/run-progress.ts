import { getBestSoFar } from '#renderer/charts/figures/fitness.ts';
import type { IterationRow, RunDetail } from '#shared/schemas/run.ts';
import { countMillisBetween } from '#shared/stored-time.ts';
import { getFinalRuntime, isRunning } from '#shared/words.ts';

/** Progress of a run. Values are null while unknown. */
export interface RunProgress {
  best: number | null;
  iterations: number | string | null;
  evaluations: number | string | null;
  runtimeMillis: number | string | null;
  /** The values are from the latest iteration, because the run has no results (yet). */
  isFromIterations: boolean;
}

type ProgressRun = Pick<
  RunDetail,
  | 'bestFitness'
  | 'iterations'
  | 'evaluations'
  | 'runtimeMillis'
  | 'status'
  | 'direction'
  | 'startTime'
>;

/**
 * Returns the results of a run, or, while they are not written (running, failed, killed), those of its iterations: best
 * so far in its direction, number and evaluations of the latest one, and the time from the start to it. Stored results
 * take precedence, except those of a RUNNING run, which may be from an earlier segment.
 */
export function runProgress(run: ProgressRun, rows: readonly IterationRow[]): RunProgress {
  const newest = rows.at(-1);
  const values = rows.map(({ bestFitness }) => bestFitness);
  const isFromIterations = (isRunning(run) || run.iterations === null) && newest !== undefined;
  const prefer = <Value>(stored: Value | null, current: Value | null | undefined): Value | null =>
    (isRunning(run) ? (current ?? stored) : (stored ?? current)) ?? null;
  return {
    best: prefer(run.bestFitness, getBestSoFar(values, run.direction).at(-1)),
    iterations: prefer(run.iterations, newest?.iteration),
    evaluations: prefer(run.evaluations, newest?.evaluations),
    runtimeMillis:
      getFinalRuntime(run) ?? (newest ? countMillisBetween(run.startTime, newest.createdAt) : null),
    isFromIterations,
  };
}
