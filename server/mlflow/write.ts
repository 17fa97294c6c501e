import type { Database } from '#server/db/database.ts';
import { requireWritable, makeValidationError } from '#server/errors.ts';
import { makeRecordingBusyError } from '#server/recording/faults.ts';
import { isBlocked, recordWithRetries, type Recorder } from '#server/recording/recorder.ts';

/** Maximum size of the parameters, tags and last metrics of a run, or of the tags of an experiment, in characters. */
const maximumStateLength = 1_048_576;

/**
 * Runs `work` in one transaction, see {@link recordWithRetries}. Throws READ_ONLY, RECORDING_BUSY if another program is
 * writing, and the errors of `work`; then nothing has changed.
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

/** Throws VALIDATION_FAILED for a state that is too large, because each change writes the whole state. */
export function requireSmallState(payload: string): void {
  if (payload.length <= maximumStateLength) return;
  const message =
    'are too many or too long: the parameters, tags and metric names of a run may take 1 MiB together';
  throw makeValidationError([{ path: 'params, tags and metrics', message }]);
}
