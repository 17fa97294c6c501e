import { getBestSoFar } from '#renderer/charts/figures/fitness.ts';
import type { IterationRow, RunDetail } from '#shared/schemas/run.ts';
import { computeMillisBetween } from '#shared/syntax.ts';
import { getFinalRuntime, getShownResults, isRunning } from '#shared/words.ts';

/** Progress of a run. Values are null while unknown. */
export interface RunProgress {
  best: number | null;
  iterations: number | string | null;
  evaluations: number | string | null;
  runtimeMillis: number | string | null;
  /** Whether the values are from the iterations, because the run is RUNNING or has no results. */
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
> & {
  progress: Pick<
    NonNullable<RunDetail['progress']>,
    'bestSoFar' | 'iteration' | 'evaluations' | 'lastActivityAt'
  > | null;
};

/**
 * Returns the results of a run, or, while they are not written (running, failed, killed), those of its iterations: best
 * so far in its direction, number and evaluations of the latest one, and the time from the start to it. Stored results
 * take precedence, except those of a RUNNING run, which may be from an earlier segment. Its progress in the response is
 * used until its iterations are loaded.
 */
export function getRunProgress(run: ProgressRun, rows: readonly IterationRow[]): RunProgress {
  const newest = rows.at(-1);
  const values = rows.map(({ bestFitness }) => bestFitness);
  const { progress } = run;
  const hasProgress = newest !== undefined || (progress?.iteration ?? null) !== null;
  const lastActivityAt = newest?.createdAt ?? (hasProgress ? progress?.lastActivityAt : null);
  const results = getShownResults(run);
  const prefer = <Value>(result: Value | null, current: Value | null | undefined): Value | null =>
    (isRunning(run) ? (current ?? result) : (result ?? current)) ?? null;
  return {
    best: prefer(results.best, getBestSoFar(values, run.direction).at(-1)),
    iterations: prefer(results.iterations, newest?.iteration),
    evaluations: prefer(results.evaluations, newest?.evaluations),
    runtimeMillis: getFinalRuntime(run) ?? computeMillisBetween(run.startTime, lastActivityAt),
    isFromIterations: (isRunning(run) || run.iterations === null) && hasProgress,
  };
}
