import { limitedTo } from '#server/db/identity.ts';
import { openDatabase, openingFailure } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { databaseFailure, ProblemError } from '#server/errors.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { sendFailure, type ImportEnd, type ImportTask } from './import-failure.ts';
import { serveTasks, type TaskContext } from './tasks.ts';

/** A progress bar that moves 10 times a second looks continuous. */
const progressMillis = 100;

function replacedMeanwhile(): ProblemError {
  return databaseFailure('unavailable', {
    explanation:
      'The database file was replaced or removed during the import. See what is there before you import again',
  });
}

async function run(
  { database: url, source, options, identity }: ImportTask,
  { signal, report }: TaskContext,
): Promise<ImportEnd> {
  const database = await openDatabase(url, {
    readOnly: options.dryRun,
    maximumConnections: 1,
    existing: true,
  }).catch((error: unknown) => {
    throw error instanceof StartUpError ? openingFailure(error, url) : error;
  });
  thread.started();
  let reportedAt = -Infinity;
  let phase: string | undefined;
  try {
    const result = await importDataSets(
      identity === undefined ? database : await limitedTo(database, identity),
      source,
      options,
      (progress) => {
        const isFirstOfPhase = progress.phase !== phase;
        if (!isFirstOfPhase && performance.now() - reportedAt < progressMillis) return;
        phase = progress.phase;
        reportedAt = performance.now();
        report(progress);
      },
      signal,
    );
    // A result is reported only for the file that is at the path now.
    if (!database.isCurrent()) throw replacedMeanwhile();
    return { result };
  } catch (error) {
    // The replacement of the file may have cancelled the import, not the user.
    const isRefused = error instanceof ProblemError && error.code === 'DATABASE_CHANGED';
    const reason = isRefused || database.isCurrent() ? error : replacedMeanwhile();
    return { failure: sendFailure(reason, (cause) => database.dialect.failureKind(cause)) };
  } finally {
    await database.close();
  }
}

const thread = serveTasks<ImportTask, ImportEnd>({
  run: (task, context) =>
    run(task, context).catch((error: unknown) => ({ failure: sendFailure(error) })),
});
