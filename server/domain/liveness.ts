import { median } from '#server/stats/descriptive.ts';
import { isSilent } from '#shared/silence.ts';
import { millisOf } from '#shared/stored-time.ts';

/** The time of a row of a run, as stored. */
interface TimedRow {
  createdAt: string;
}

/** Returns when a run last wrote, as stored: its newest row, or its start where it has none. `rows` are oldest first. */
export function lastActivityOf(startTime: string, rows: readonly TimedRow[]): string {
  return rows.at(-1)?.createdAt ?? startTime;
}

/** Median time between rows that follow each other; null below two rows with a time. */
export function medianGapMillis(rows: readonly TimedRow[]): number | null {
  const times = rows.map(({ createdAt }) => millisOf(createdAt));
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? NaN));
  return median(gaps.filter(Number.isFinite));
}

/** Whether a RUNNING run is silent by its newest rows, oldest first; see {@link isSilent}. Never by a time that cannot be read. */
export function isSilentRun(
  startTime: string,
  rows: readonly TimedRow[],
  nowMillis: number,
): boolean {
  return isSilent(millisOf(lastActivityOf(startTime, rows)), medianGapMillis(rows), nowMillis);
}

/** How long the last activity of a run must be ago before it may be settled, in milliseconds. */
export const settlingMillis = 600_000;

const leastWatchMillis = 3_000;
const mostWatchMillis = 10_000;
const watchedGaps = 3;

/**
 * How long a run is watched before it is settled, in milliseconds: three times the median time between its rows, from
 * 3 to 10 s. What it writes meanwhile shows it alive, even where the clock of its runner is hours behind.
 */
export function watchMillis(gapMillis: number | null): number {
  const wanted = watchedGaps * (gapMillis ?? 0);
  return Math.min(mostWatchMillis, Math.max(leastWatchMillis, wanted));
}

/** A RUNNING campaign that has added no trial for so long has lost its runner. */
const campaignPatienceMillis = 600_000;

/** Whether a RUNNING campaign whose last activity was at a stored time still adds trials. Never by a time that cannot be read. */
export function isCampaignActive(lastActivityAt: string, nowMillis: number): boolean {
  return nowMillis - millisOf(lastActivityAt) < campaignPatienceMillis;
}
