import { ProblemError, truncate } from '#server/errors.ts';

/** Maximum nesting depth of a record, or of a request of MLflow. */
export const maximumDepth = 64;

/**
 * A fault of an input. `path` contains the keys of the field, joined with dots, and may be truncated; it is empty for
 * the input itself, and for too many levels of nesting. `message` is the rule that the field breaks.
 */
export interface TextFault {
  path: string;
  message: string;
}

/**
 * Returns the first fault because of which the service does not store an input; undefined if there is none. If a key
 * has a fault, `path` is the path of the object with this key. PostgreSQL cannot store the NUL character. Both
 * databases would replace half of a surrogate pair, so different ids could become equal. An input must have at most
 * {@link maximumDepth} levels of nesting.
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

/** Returns the error for a request that records, and for any request of MLflow, while recording is off. */
export function makeRecordingOffError(): ProblemError {
  return new ProblemError(
    'RECORDING_OFF',
    'Recording is off, so the service stored nothing. Start the service with --record (SVC_RECORD=1).',
  );
}

/**
 * Returns the error for a request that the service does not store, because other writers block the transaction; see
 * `isBlocked`.
 */
export function makeRecordingBusyError(): ProblemError {
  return new ProblemError(
    'RECORDING_BUSY',
    'Another program is writing to the database, so the service stored nothing. Send the request again in a second.',
    { headers: { 'Retry-After': '1' } },
  );
}
