import { parentPort, workerData } from 'node:worker_threads';
import { limitedTo } from '#server/db/identity.ts';
import { openDatabase } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { databaseFailure, ProblemError } from '#server/errors.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { sendFailure, type ImportOrder, type ImportReply } from './import-messages.ts';
import { openingFailure } from './messages.ts';

const { database: url, source, options, identity } = workerData as ImportOrder;

/** A bar that moves 10 times a second seems to move all the time. */
const progressMillis = 100;

const cancelling = new AbortController();
// Whatever is said to this thread means that the import is not wanted any more.
parentPort?.once('message', () => cancelling.abort());

function post(reply: ImportReply): void {
  parentPort?.postMessage(reply);
}

function replacedMeanwhile(): ProblemError {
  return databaseFailure('unavailable', {
    explanation:
      'The database file was replaced or removed during the import. See what is there before you import again',
  });
}

async function run(): Promise<void> {
  const database = await openDatabase(url, {
    readOnly: options.dryRun,
    maximumConnections: 1,
    existing: true,
  }).catch((error: unknown) => {
    throw error instanceof StartUpError ? openingFailure(error, url) : error;
  });
  let shownAt = -Infinity;
  let phase: string | undefined;
  try {
    const result = await importDataSets(
      identity === undefined ? database : await limitedTo(database, identity),
      source,
      options,
      (progress) => {
        const isFirstOfPhase = progress.phase !== phase;
        if (!isFirstOfPhase && performance.now() - shownAt < progressMillis) return;
        phase = progress.phase;
        shownAt = performance.now();
        post({ progress });
      },
      cancelling.signal,
    );
    // Nothing is said of a file that is not at its path any more, least of all that it was changed.
    if (!database.isCurrent()) throw replacedMeanwhile();
    post({ result });
  } catch (error) {
    // Cancelled because the file was replaced, and not by who wanted it.
    const isRefused = error instanceof ProblemError && error.code === 'DATABASE_CHANGED';
    const reason = isRefused || database.isCurrent() ? error : replacedMeanwhile();
    post({ failure: sendFailure(reason, (cause) => database.dialect.failureKind(cause)) });
  } finally {
    await database.close();
  }
}

await run().catch((error: unknown) => post({ failure: sendFailure(error, () => 'other') }));
parentPort?.close();
