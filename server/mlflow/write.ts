import type { Database } from '#server/db/database.ts';
import { requireWritable, makeValidationError } from '#server/errors.ts';
import { makeRecordingBusyError } from '#server/recording/faults.ts';
import { isBlocked, recordWithRetries, type Recorder } from '#server/recording/recorder.ts';

/** Maximum length of the JSON of the state of a run or an experiment, in UTF-16 code units. */
const maximumStateLength = 1_048_576;

/**
 * Runs `work` in one transaction and returns its result; see {@link recordWithRetries}. Throws READ_ONLY,
 * RECORDING_BUSY if other writers block the transaction (see {@link isBlocked}), and the errors of `work` and of the
 * database. After an error, nothing has changed.
 */
export async function write<Result>(
  database: Database,
  work: (recorder: Recorder, transaction: Database) => Promise<Result>,
): Promise<Result> {
  await requireWritable(database);
  try {
    return await recordWithRetries(database, work);
  } catch (error) {
    throw isBlocked(database, error) ? makeRecordingBusyError() : error;
  }
}

/**
 * Throws VALIDATION_FAILED for a payload longer than {@link maximumStateLength}, because each change writes the whole
 * state.
 */
export function requireSmallState(payload: string): void {
  if (payload.length <= maximumStateLength) return;
  const message =
    `are too many or too long: together they may have at most ${maximumStateLength} characters as JSON. ` +
    'Send fewer or shorter values';
  throw makeValidationError([{ path: 'params, tags, metrics, data sets and models', message }]);
}
