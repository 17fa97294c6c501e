import { reserveFile, type ReservedFile } from '#server/db/dialects/sqlite-file.ts';
import { makeReplacedError } from '#server/db/identity.ts';
import { inspectDatabase } from '#server/db/inspect.ts';
import { openDatabase } from '#server/db/open.ts';
import { StartUpError } from '#server/db/start-up-error.ts';
import type { DatabaseUrl } from '#server/db/url.ts';
import { ProblemError } from '#server/errors.ts';
import { importDataSets } from '#server/import/import-data-sets.ts';
import { sampleCampaign } from '#server/import/sample-campaign.ts';
import { countRuns, runSample } from '#server/sample/run-sample.ts';
import {
  describeInspection,
  makeRefusedResult,
  type Inspection,
  type Permissions,
  type PrepareTask,
  type SampleProgress,
} from './inspection.ts';
import { serveTasks, type TaskContext } from './tasks.ts';

async function run(task: PrepareTask, context: TaskContext): Promise<Inspection | null> {
  if (task.kind === 'inspect') return inspect(task.url);
  if (task.kind === 'prepare') return prepare(task.url, task.permissions, context.signal);
  const onProgress = (progress: SampleProgress) => {
    context.report(progress);
    // Aborts the signal if the task is cancelled, also before the message of the cancellation arrives.
    context.isCancelled();
  };
  await makeSample(task.file, onProgress, context.signal);
  return null;
}

async function inspect(url: DatabaseUrl): Promise<Inspection> {
  try {
    const inspection = await inspectDatabase(url);
    return {
      result: describeInspection(inspection, url),
      identity: inspection.identity,
      preparedProperties: null,
    };
  } catch (error) {
    if (error instanceof StartUpError) return makeRefusedInspection(error, url);
    throw error;
  }
}

/**
 * Creates missing tables and replaces tables of an old runner if the permissions allow these changes. Opening the
 * database afterwards is then fast and changes nothing. Prepares nothing if the permissions do not allow a database
 * with this verdict, or if `signal` is aborted. Throws DATABASE_CHANGED if the database is not the confirmed one.
 */
async function prepare(
  url: DatabaseUrl,
  permissions: Permissions,
  signal: AbortSignal,
): Promise<Inspection> {
  const { result, identity } = await inspect(url);
  if (permissions.identity !== undefined && identity !== null && identity !== permissions.identity)
    throw makeReplacedError();
  const isAllowed: Record<typeof result.verdict, boolean> = {
    runner: true,
    empty: permissions.canCreate,
    missing: permissions.canCreate,
    others: permissions.canCreate,
    legacy: permissions.legacy === 'replace',
    refused: false,
  };
  if (!isAllowed[result.verdict] || signal.aborted)
    return { result, identity, preparedProperties: null };
  try {
    const { isReadOnly, canCreate, legacy = 'refuse' } = permissions;
    const notify = (notice: string) => thread.logger.warn({}, notice);
    const expectedIdentity = permissions.identity;
    const database = await openDatabase(url, {
      isReadOnly,
      canCreate,
      legacy,
      notify,
      identity: expectedIdentity,
    });
    await database.close();
    const { ertColumn } = database;
    return { result, identity, preparedProperties: { isReadOnly: database.isReadOnly, ertColumn } };
  } catch (error) {
    if (error instanceof StartUpError) return makeRefusedInspection(error, url);
    throw error;
  }
}

function makeRefusedInspection(error: StartUpError, url: DatabaseUrl): Inspection {
  return { result: makeRefusedResult(error, url), identity: null, preparedProperties: null };
}

/**
 * Creates a SQLite file with the sample runs and the sample campaign. Throws the errors of {@link reserve}. Deletes the
 * file before it throws another error, for example after a cancellation.
 */
async function makeSample(
  file: string,
  onProgress: (progress: SampleProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const reservation = reserve(file);
  try {
    await fill(file, onProgress, signal);
  } catch (error) {
    reservation.remove();
    throw error;
  } finally {
    reservation.release();
  }
}

async function fill(
  file: string,
  onProgress: (progress: SampleProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const database = await openDatabase({
    dialect: 'sqlite',
    file,
    mode: 'rw',
    isImmutable: false,
    isRealPathRequired: true,
  });
  try {
    const totalRuns = countRuns();
    let runCount = 0;
    onProgress({ runs: runCount, totalRuns });
    const onRunEnd = () => onProgress({ runs: ++runCount, totalRuns });
    await runSample({ database, signal, onRunEnd });
    const { path, name } = sampleCampaign;
    await importDataSets(database, { path }, { name }, () => {}, signal);
  } finally {
    await database.close();
  }
}

/** Creates an empty file. Throws FILE_EXISTS if the path exists, and DATABASE_REFUSED if the creation fails. */
function reserve(file: string): ReservedFile {
  try {
    return reserveFile(file);
  } catch (error) {
    if (error instanceof StartUpError) throw new ProblemError('DATABASE_REFUSED', error.message);
    const { code } = Object(error) as { code?: unknown };
    if (code === 'EEXIST') {
      throw new ProblemError(
        'FILE_EXISTS',
        'A file with this name already exists: choose another name',
      );
    }
    throw new ProblemError(
      'DATABASE_REFUSED',
      `The service cannot create the file (${String(code)}): check its folder`,
    );
  }
}

const thread = serveTasks<PrepareTask, Inspection | null>({ run });
thread.reportStart();
