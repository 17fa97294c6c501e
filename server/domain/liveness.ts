import { computeMedian } from '#server/stats/descriptive.ts';
import { isSilent } from '#shared/silence.ts';
import { toMillis } from '#shared/syntax.ts';

/** Stored time of a row of a run. */
interface TimedRow {
  createdAt: string;
}

/** Returns the stored time of the newest row of a run, or of its start if it has no rows. `rows` are oldest first. */
export function getLastActivity(startTime: string, rows: readonly TimedRow[]): string {
  return rows.at(-1)?.createdAt ?? startTime;
}

/**
 * Returns the median time between consecutive rows in milliseconds; null unless two consecutive rows have valid times.
 * `rows` are oldest first.
 */
export function getMedianGapMillis(rows: readonly TimedRow[]): number | null {
  const times = rows.map(({ createdAt }) => toMillis(createdAt));
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? NaN));
  return computeMedian(gaps.filter(Number.isFinite));
}

/**
 * Returns the median time per iteration, in milliseconds, between consecutive rows, which may omit iterations; null
 * unless two consecutive rows have ascending iterations and valid times. `rows` are oldest first.
 */
export function getMedianPaceMillis(
  rows: readonly (TimedRow & { iteration: number | string | null })[],
): number | null {
  const paces = rows.slice(1).map(({ iteration, createdAt }, index) => {
    const previousRow = rows[index];
    const iterations = Number(iteration) - Number(previousRow?.iteration);
    const millis = toMillis(createdAt) - toMillis(previousRow?.createdAt);
    return iterations > 0 ? millis / iterations : NaN;
  });
  return computeMedian(paces.filter(Number.isFinite));
}

/**
 * Returns whether a RUNNING run is silent, from its newest rows, oldest first; see {@link isSilent}. Returns false for
 * an invalid time of its last activity.
 */
export function isSilentRun(
  startTime: string,
  rows: readonly TimedRow[],
  nowMillis: number,
): boolean {
  return isSilent(toMillis(getLastActivity(startTime, rows)), getMedianGapMillis(rows), nowMillis);
}

/** Minimum time after the last activity of a silent run until a user may settle it, in milliseconds. */
export const settlingMillis = 600_000;

const minimumWatchMillis = 3_000;
const maximumWatchMillis = 10_000;
const watchedGapCount = 3;

/**
 * Returns the time to watch a run before settling it, in milliseconds: three times the median time between its rows
 * (`gapMillis`), but at least 3 and at most 10 s; 3 s for null. New rows in this time show that its runner is still
 * running, even if the runner's clock is wrong by hours.
 */
export function getWatchMillis(gapMillis: number | null): number {
  const watchedMillis = watchedGapCount * (gapMillis ?? 0);
  return Math.min(maximumWatchMillis, Math.max(minimumWatchMillis, watchedMillis));
}

/** Time after the last activity of a RUNNING campaign, in milliseconds, after which it counts as inactive. */
const campaignTimeoutMillis = 600_000;

/**
 * Returns whether a RUNNING campaign with this stored last activity counts as active. Returns false for an invalid
 * time, and true for a future one.
 */
export function isCampaignActive(lastActivityAt: string, nowMillis: number): boolean {
  return nowMillis - toMillis(lastActivityAt) < campaignTimeoutMillis;
}
