import { computeMedian } from '#server/stats/descriptive.ts';
import { isSilent } from '#shared/silence.ts';
import { toMillis } from '#shared/syntax.ts';

/** A row of a run, with its stored time. */
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
 * Returns the median time per iteration between consecutive rows, in milliseconds. Rows may omit iterations. Returns
 * null unless two consecutive rows have ascending iterations and valid times. `rows` are oldest first.
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
 * Returns whether a RUNNING run is silent; see {@link isSilent}. `rows` are its newest rows, oldest first. Returns
 * false if the time of the last activity is invalid.
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
 * (`gapMillis`), but at least 3 s and at most 10 s; 3 s if it is null. New rows in this time show that the runner is
 * still running, even if the runner's clock is wrong by hours.
 */
export function getWatchMillis(gapMillis: number | null): number {
  const watchedMillis = watchedGapCount * (gapMillis ?? 0);
  return Math.min(maximumWatchMillis, Math.max(minimumWatchMillis, watchedMillis));
}

/** Time without activity after which a RUNNING campaign counts as inactive, in milliseconds. */
const campaignTimeoutMillis = 600_000;

/**
 * Returns whether a RUNNING campaign counts as active. `lastActivityAt` is a stored time. Returns false for an invalid
 * time, and true for a future one.
 */
export function isCampaignActive(lastActivityAt: string, nowMillis: number): boolean {
  return nowMillis - toMillis(lastActivityAt) < campaignTimeoutMillis;
}
