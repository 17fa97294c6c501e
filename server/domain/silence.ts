/** How long the last activity of a run must be ago before it may be settled, in milliseconds. */
export const settlingMillis = 600_000;

const leastWatchMillis = 3_000;
const mostWatchMillis = 10_000;
const watchedGaps = 3;

/**
 * How long a run is watched before it is settled, in milliseconds: three times the median time between its rows, from
 * 3 to 10 s. What it writes meanwhile shows it alive, even where the clock of its runner is hours behind.
 */
export function watchMillis(medianGapMillis: number | null): number {
  const wanted = watchedGaps * (medianGapMillis ?? 0);
  return Math.min(mostWatchMillis, Math.max(leastWatchMillis, wanted));
}
