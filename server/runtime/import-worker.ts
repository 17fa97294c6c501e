import { limitToIdentity } from '#server/db/identity.ts';
import { openDatabase, toOpeningFailure } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import { makeDatabaseFailure, ProblemError } from '#server/errors.ts';
import {
  runImportTask,
  serialiseFailure,
  type ImportEnd,
  type ImportTask,
} from './import-failure.ts';
import { serveTasks, type TaskContext } from './tasks.ts';

/**
 * Minimum time between two progress reports of the same phase. A progress bar that changes 10 times a second seems to
 * move continuously.
 */
const progressMillis = 100;

function makeReplacedDuringImportError(): ProblemError {
  return makeDatabaseFailure('unavailable', {
    explanation:
      'Another program replaced or deleted the database file during the import. Check the stored runs before you import again',
  });
}

async function run(
  { database: url, identity, ...task }: ImportTask,
  { signal, report }: TaskContext,
): Promise<ImportEnd> {
  const database = await openDatabase(url, {
    isReadOnly: task.options.dryRun,
    maximumConnections: 1,
    isExistenceRequired: true,
  }).catch((error: unknown) => {
    throw error instanceof StartUpError ? toOpeningFailure(error, url) : error;
  });
  thread.reportStart();
  let reportedAt = -Infinity;
  let phase: string | undefined;
  try {
    const result = await runImportTask(
      identity === undefined ? database : await limitToIdentity(database, identity),
      task,
      (progress) => {
        if (!('phase' in progress)) return report(progress);
        const isFirstOfPhase = progress.phase !== phase;
        if (!isFirstOfPhase && performance.now() - reportedAt < progressMillis) return;
        phase = progress.phase;
        reportedAt = performance.now();
        report(progress);
      },
      signal,
    );
    // Returns a result only if the open file is still at its path.
    if (!database.isCurrent()) throw makeReplacedDuringImportError();
    return { result };
  } catch (error) {
    // If another program has replaced the file, the service may have cancelled the import for this reason.
    const isRefused = error instanceof ProblemError && error.code === 'DATABASE_CHANGED';
    const reason = isRefused || database.isCurrent() ? error : makeReplacedDuringImportError();
    return {
      failure: serialiseFailure(reason, (cause) => database.dialect.classifyFailure(cause)),
    };
  } finally {
    await database.close();
  }
}

const thread = serveTasks<ImportTask, ImportEnd>({
  run: (task, context) =>
    run(task, context).catch((error: unknown) => ({ failure: serialiseFailure(error) })),
});
