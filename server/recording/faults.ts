import { ProblemError } from '#server/errors.ts';

/** Maximum nesting depth of a record. */
export const maximumDepth = 64;

/**
 * Returns the reason why the databases cannot store a value; undefined if they can. PostgreSQL cannot store the NUL
 * character. Both databases would replace half of a surrogate pair, so that different ids become equal. A value must
 * not be nested more than {@link maximumDepth} levels deep.
 */
export function findTextFault(value: unknown, depth = 0): string | undefined {
  if (depth > maximumDepth) return `The record is nested more than ${maximumDepth} levels deep`;
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'The record must not contain the NUL character';
    return value.isWellFormed()
      ? undefined
      : 'The record must be valid Unicode text: it contains half of a surrogate pair';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const fault = findTextFault(key, depth) ?? findTextFault(member, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

/** Returns the error of a request that records while recording is off. */
export function makeRecordingOffError(): ProblemError {
  return new ProblemError(
    'RECORDING_OFF',
    'Recording is off, so nothing was stored. Start the service with --record (SVC_RECORD=1).',
  );
}

/**
 * Returns the error of a request whose records the service cannot store, because another program locks the database.
 */
export function makeRecordingBusyError(): ProblemError {
  return new ProblemError(
    'RECORDING_BUSY',
    'Another program is writing to the database, so nothing was stored. Send the request again in a second.',
    { headers: { 'Retry-After': '1' } },
  );
}
