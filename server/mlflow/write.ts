import type { Database } from '#server/db/database.ts';
import { requireWritable, makeValidationError } from '#server/errors.ts';
import { makeRecordingBusyError } from '#server/recording/faults.ts';
import { record, type Recorder } from '#server/recording/recorder.ts';

/** How often a change is tried that another client kept from being consistent. */
const mostAttempts = 3;

/** Maximum size of the parameters, tags and last metrics of a run, or of the tags of an experiment, in characters. */
const maximumState = 1_048_576;

/**
 * Runs `work` in one transaction, again if another client meanwhile used or deleted an experiment that it deletes or uses.
 * Throws READ_ONLY, and RECORDING_BUSY if another program is writing; then nothing has changed.
 */
export async function write<Result>(
  database: Database,
  work: (recorder: Recorder, transaction: Database) => Promise<Result>,
): Promise<Result> {
  await requireWritable(database);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await record(database, work);
    } catch (error) {
      const isCrossed = database.dialect.isReference(error);
      if (isCrossed && attempt < mostAttempts) continue;
      if (isCrossed || database.dialect.classifyFailure(error) === 'busy')
        throw makeRecordingBusyError();
      throw error;
    }
  }
}

/** Throws VALIDATION_FAILED for a state that is too large: each change writes all of it. */
export function requireSmallState(payload: string): void {
  if (payload.length <= maximumState) return;
  const message =
    'are too many or too long: the parameters, tags and metric names of a run may take 1 MiB together';
  throw makeValidationError([{ path: 'params, tags and metrics', message }]);
}
