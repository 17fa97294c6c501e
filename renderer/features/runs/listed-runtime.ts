import type { ExperimentRunItem } from '#shared/schemas/experiment.ts';
import { countMillisBetween } from '#shared/syntax.ts';
import { getFinalRuntime } from '#shared/words.ts';

/**
 * Returns the stored runtime of a run in milliseconds, or, while it is RUNNING, the time from its start to its latest
 * iteration; null before the first one.
 */
export function getListedRuntime(
  run: Pick<ExperimentRunItem, 'status' | 'startTime' | 'runtimeMillis' | 'progress'>,
): number | string | null {
  const final = getFinalRuntime(run);
  const { progress } = run;
  // Without an iteration the last activity is the start.
  if (final !== null || !progress || progress.iteration === null) return final;
  return countMillisBetween(run.startTime, progress.lastActivityAt);
}
