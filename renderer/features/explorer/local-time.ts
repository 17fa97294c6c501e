import { toInstantBound } from '#shared/syntax.ts';

/** End of a time range. A date alone is the start or the end of its day. */
type Edge = 'start' | 'end';

/** Whether a text of the URL is a valid time that the service accepts. */
export function isWireTime(text: string): boolean {
  return [toInstant(text, 'start'), toInstant(text, 'end')].every((time) => !Number.isNaN(+time));
}

/**
 * Returns the UTC text for the service (`2026-11-21T09:55Z`) of a field's local time (`2026-11-21T10:55`); '' for an
 * empty or unfinished field. A time that the clock change skips or repeats is read as the browser does: moved forward,
 * and the first of the two.
 */
export function toWireTime(fieldText: string): string {
  const time = new Date(fieldText);
  if (fieldText === '' || Number.isNaN(time.getTime())) return '';
  return time.toISOString().replace(/:\d{2}\.\d{3}Z$/, 'Z');
}

/**
 * Returns the local time, to the minute, of a UTC text for a field; '' for an invalid one. A text without zone is UTC.
 */
export function toFieldTime(wireText: string, edge: Edge): string {
  if (!isWireTime(wireText)) return '';
  const time = toInstant(wireText, edge);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Returns the full UTC text of a time in the URL, which is in UTC without a zone; throws for an invalid one. */
export function toUtcTime(wireText: string, edge: Edge): string {
  return toInstant(wireText, edge).toISOString();
}

function toInstant(text: string, edge: Edge): Date {
  return new Date(`${toInstantBound(text, edge)}Z`);
}
