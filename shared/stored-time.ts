/** Returns the milliseconds since 1970 of a stored time; NaN for an invalid time and for null. */
export function toMillis(time: string | null | undefined): number {
  return Date.parse(time ?? '');
}

/**
 * Returns a stored time as a text that sorts as the instants do, to the nanosecond. Unchanged, `…16.5Z` sorts before
 * `…16Z`, because a point sorts before a Z.
 */
export function getKeyOfTime(time: string): string {
  return time.endsWith('Z') ? `${time.slice(0, -1)}!` : time;
}

/** Compares two stored times, null and undefined first, as their instants; see {@link getKeyOfTime}. */
export function compareStoredTimes(
  a: string | null | undefined,
  b: string | null | undefined,
): number {
  if (a === b) return 0;
  const [keyA, keyB] = [getKeyOfTime(a ?? ''), getKeyOfTime(b ?? '')];
  return keyA === keyB ? 0 : keyA < keyB ? -1 : 1;
}

/** Returns the milliseconds between two stored times; null if either is invalid or the second is earlier. */
export function countMillisBetween(
  start: string | null | undefined,
  end: string | null | undefined,
): number | null {
  const millis = toMillis(end) - toMillis(start);
  return millis >= 0 ? millis : null;
}

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/i;

/**
 * Returns the first (`start`) or last (`end`) instant of an ISO 8601 text, in UTC with nine fractional digits; null if
 * the text is not a time. The precision of the text determines its interval: a date covers its day, `10:32Z` its
 * minute, `10:32:16Z` its second, `10:32:16.2Z` a tenth of a second. A text without an offset is in UTC.
 */
export function toInstantBound(text: string, edge: 'start' | 'end'): string | null {
  const match = instantPattern.exec(text.trim());
  if (!match) return null;
  const [, day, minutes, seconds, fraction = '', zone] = match;
  const isEnd = edge === 'end';
  const timeOfDay = `${minutes ?? (isEnd ? '23:59' : '00:00')}:${seconds ?? (isEnd ? '59' : '00')}`;
  const milliseconds = toMillis(`${day}T${timeOfDay}Z`);
  const isRealDate =
    !Number.isNaN(milliseconds) &&
    new Date(milliseconds).toISOString().slice(0, 19) === `${day}T${timeOfDay}`;
  if (!isRealDate) return null;
  const shiftedDate = new Date(milliseconds - parseOffsetMillis(zone));
  if (Number.isNaN(shiftedDate.getTime()) || shiftedDate.getUTCFullYear() > 9999) return null;
  return `${shiftedDate.toISOString().slice(0, 19)}.${fraction.padEnd(9, isEnd ? '9' : '0')}`;
}

function parseOffsetMillis(zone: string | undefined): number {
  if (!zone || zone.toUpperCase() === 'Z') return 0;
  const digits = zone.replace(':', '');
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  return (digits.startsWith('-') ? -1 : 1) * minutes * 60_000;
}
