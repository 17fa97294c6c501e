import { noValue } from '#shared/number-format.ts';
import { toMillis } from '#shared/syntax.ts';

/**
 * Formats a stored UTC time as short local text: `10:55:39` today, `21 Nov 10:55` this year, `21 Nov 2025` before. An
 * invalid time is returned as it is, "–" for null.
 */
export function formatTime(timestamp: string | null | undefined, now: Date = new Date()): string {
  if (!timestamp) return noValue;
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  if (time.toDateString() === now.toDateString()) return formatTimeOfDay(time, true);
  if (time.getFullYear() === now.getFullYear())
    return `${formatDate(time)} ${formatTimeOfDay(time, false)}`;
  return `${formatDate(time)} ${time.getFullYear()}`;
}

/**
 * Formats a stored UTC time as full local text and as stored: `21 Nov 2026 10:55:39 (2026-11-21T09:55:39Z)`. An invalid
 * time is returned as it is, "–" for null.
 */
export function formatFullTime(timestamp: string | null | undefined): string {
  if (!timestamp) return noValue;
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  return `${formatDate(time)} ${time.getFullYear()} ${formatTimeOfDay(time, true)} (${timestamp})`;
}

/**
 * Formats the time from a stored time to `nowMillis` (since 1970), rounded down: `4 s`, `12 min`, `3 h`, `2 d`; `0 s`
 * for a future time.
 */
export function formatAge(time: string, nowMillis: number): string {
  const seconds = Math.max(0, Math.floor((nowMillis - toMillis(time)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** Formats a UTC time as local day: `21 Nov` this year, `21 Nov 2025` in another one. */
export function formatDay(timestamp: string, now: Date = new Date()): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  return time.getFullYear() === now.getFullYear()
    ? formatDate(time)
    : `${formatDate(time)} ${time.getFullYear()}`;
}

/** Formats a UTC time as local text to the minute: `21 Nov 2026 10:55`. */
export function formatMinute(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  return `${formatDate(time)} ${time.getFullYear()} ${formatTimeOfDay(time, false)}`;
}

/** Formats milliseconds since 1970 as local time of day to the minute: `10:55`. */
export function formatClock(millis: number): string {
  return formatTimeOfDay(new Date(millis), false);
}

function formatDate(time: Date): string {
  return time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}

function formatTimeOfDay(time: Date, withSeconds: boolean): string {
  return time.toLocaleTimeString(
    'en-GB',
    withSeconds ? {} : { hour: '2-digit', minute: '2-digit' },
  );
}
