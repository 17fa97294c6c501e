import { getBestSoFar } from '#renderer/charts/figures/fitness.ts';
import type { IterationRow, RunDetail } from '#shared/schemas/run.ts';
import { countMillisBetween } from '#shared/stored-time.ts';
import { getFinalRuntime } from '#shared/words.ts';

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
 * so far in its direction, number and evaluations of the latest one, and the time from the start to it. Values of the
 * run itself take precedence, except the runtime of a RUNNING one.
 */
export function runProgress(run: ProgressRun, rows: readonly IterationRow[]): RunProgress {
  const newest = rows.at(-1);
  const values = rows.map(({ bestFitness }) => bestFitness);
  return {
    best: run.bestFitness ?? getBestSoFar(values, run.direction).at(-1) ?? null,
    iterations: run.iterations ?? newest?.iteration ?? null,
    evaluations: run.evaluations ?? newest?.evaluations ?? null,
    runtimeMillis:
      getFinalRuntime(run) ?? (newest ? countMillisBetween(run.startTime, newest.createdAt) : null),
    isFromIterations: run.iterations === null && newest !== undefined,
  };
}
