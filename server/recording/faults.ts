import { ProblemError } from '#server/errors.ts';

/** Maximum nesting depth of a record, or of a request of MLflow. */
export const maximumDepth = 64;

/**
 * Returns the reason why the service does not store a value at this depth of a record; undefined if there is none.
 * PostgreSQL cannot store the NUL character. Both databases would replace half of a surrogate pair, so that different
 * ids become equal. A record must not be nested more than {@link maximumDepth} levels deep.
 */
export function findTextFault(value: unknown, depth = 0): string | undefined {
  if (depth > maximumDepth)
    return `The record must not be nested more than ${maximumDepth} levels deep`;
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

/** Returns the error of a request of MLflow, or of one that records, while recording is off. */
export function makeRecordingOffError(): ProblemError {
  return new ProblemError(
    'RECORDING_OFF',
    'Recording is off, so nothing was stored. Start the service with --record (SVC_RECORD=1).',
  );
}

/**
 * Returns the error of a request of which the service stores nothing, because other writers block it; see `isBlocked`.
 */
export function makeRecordingBusyError(): ProblemError {
  return new ProblemError(
    'RECORDING_BUSY',
    'Another program is writing to the database, so nothing was stored. Send the request again in a second.',
    { headers: { 'Retry-After': '1' } },
  );
}
