import { isBetter } from '#shared/words.ts';
import { forecastHit, type HitForecast } from '#shared/hit-forecast.ts';
import {
  describeCount,
  formatCount,
  formatDuration,
  formatStatistic,
} from '#shared/number-format.ts';
import type { RunForecast } from '#shared/schemas/run-forecast.ts';
import type { RunDetail, RunProgress } from '#shared/schemas/run.ts';

/** Returns how fast a run is and when its budget is used up; null while neither is known. */
export function describePace(progress: RunProgress): string | null {
  const { evaluationsPerSecond: rate, secondsLeft } = progress;
  const speed = rate === null ? null : `${formatStatistic(rate)} evaluations/s`;
  const left = describeBudget(progress);
  if (left === null || secondsLeft === null) return speed;
  const pace = rate === null ? '' : ` at ${formatStatistic(rate)} per second`;
  return `${left} (≈ ${formatDuration(1_000 * secondsLeft)}${pace})`;
}

/** Returns "700 of 1,000 evaluations left"; null without a budget. */
function describeBudget(progress: RunProgress): string | null {
  const { grantedEvaluations, evaluations, maxIterations, iteration } = progress;
  if (grantedEvaluations !== null && evaluations !== null) {
    const left = Math.max(0, grantedEvaluations - Number(evaluations));
    return `${formatCount(left)} of ${describeCount(grantedEvaluations, 'evaluation')} left`;
  }
  if (maxIterations === null || iteration === null) return null;
  const left = Math.max(0, Number(maxIterations) - Number(iteration));
  return `${formatCount(left)} of ${describeCount(Number(maxIterations), 'iteration')} left`;
}

/** Returns the forecast of a run by its newest progress; null for one that is silent or has reached its target. */
export function getCurrentForecast(
  { direction, progress }: Pick<RunDetail, 'direction' | 'progress'>,
  forecast: Pick<RunForecast, 'siblings' | 'targetFitness'> | undefined,
): HitForecast | null {
  const target = forecast?.targetFitness ?? null;
  if (!forecast || !progress || progress.silent || target === null) return null;
  const best = progress.bestSoFar;
  if (best !== null && !isBetter(target, best, direction)) return null;
  return forecastHit(forecast.siblings, Number(progress.evaluations ?? 0));
}

/**
 * Returns when the target is expected, in evaluations and time, with the quartiles and the number of runs behind them.
 */
export function describeHit(hit: HitForecast, progress: RunProgress): string {
  const { siblings, reached, evaluations } = hit;
  const { lower, median, upper } = evaluations;
  if (median === null) {
    const who = reached === 0 ? 'None' : formatCount(reached);
    return `${who} of ${describeCount(siblings, 'finished run')} that missed the target up to here reached it later`;
  }
  const rate = progress.evaluationsPerSecond;
  const seconds = rate ? (median - Number(progress.evaluations ?? 0)) / rate : null;
  const time = seconds === null ? '' : `, ≈ ${formatDuration(1_000 * seconds)}`;
  const end = upper === null ? 'not reached' : formatCount(upper);
  return (
    `Target expected after ${formatCount(median)}${time} ` +
    `(quartiles ${formatCount(lower)} to ${end}, ${describeCount(siblings, 'run')})`
  );
}
