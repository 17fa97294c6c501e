import { ProblemError, truncate } from '#server/errors.ts';

/** Maximum nesting depth of a record, or of a request of MLflow. */
export const maximumDepth = 64;

/** A fault of an input: the path of the field, joined with dots and empty for the input itself, and the rule. */
export interface TextFault {
  path: string;
  message: string;
}

/**
 * Returns the first fault of an input that the service does not store; undefined if there is none. The path of a fault
 * in a key is that of its object. PostgreSQL cannot store the NUL character. Both databases would replace half of a
 * surrogate pair, so different ids could become equal. An input must have at most {@link maximumDepth} levels of
 * nesting.
 */
export function findTextFault(value: unknown, path: readonly string[] = []): TextFault | undefined {
  if (path.length > maximumDepth)
    return { path: '', message: `must have at most ${maximumDepth} levels of nesting` };
  if (typeof value === 'string') {
    const message = getTextRule(value);
    return message === undefined ? undefined : { path: truncate(path.join('.')), message };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const fault = findTextFault(key, path) ?? findTextFault(member, [...path, key]);
    if (fault) return fault;
  }
  return undefined;
}

/** Returns the rule that a text breaks; undefined for a text that both databases store. */
function getTextRule(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character';
  return text.isWellFormed()
    ? undefined
    : 'must be valid Unicode text: it contains half of a surrogate pair';
}

/** Returns the error of a request of MLflow, or of one that records, while recording is off. */
export function makeRecordingOffError(): ProblemError {
  return new ProblemError(
    'RECORDING_OFF',
    'Recording is off, so the service stored nothing. Start the service with --record (SVC_RECORD=1).',
  );
}

/**
 * Returns the error of a request that the service does not store, because other writers block it; see `isBlocked`.
 */
export function makeRecordingBusyError(): ProblemError {
  return new ProblemError(
    'RECORDING_BUSY',
    'Another program is writing to the database, so the service stored nothing. Send the request again in a second.',
    { headers: { 'Retry-After': '1' } },
  );
}
