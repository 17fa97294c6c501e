import { noValue } from './number-format.ts';

/**
 * Text of a stored UTC time in a time zone (the reader's unless told): "21 Nov 2026, 10:55:19". "–" for
 * null; a text that is no time is handed back as it is.
 */
export function formatTime(stored: string | null | undefined, timeZone?: string): string {
  if (stored === null || stored === undefined) return noValue;
  const time = new Date(stored);
  if (Number.isNaN(time.getTime())) return stored;
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = time.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    ...zone,
  });
  return `${day}, ${time.toLocaleTimeString('en-GB', { hourCycle: 'h23', ...zone })}`;
}
