import type {
  BulkDeletionAnswer,
  DeletionAnswer,
  DeletionPreview,
} from '#shared/schemas/experiment.ts';
import { experimentNotFound, ProblemError, requireWritable, shortened } from '#server/errors.ts';
import { lockExperimentRuns, type RunState } from '#server/repositories/locks.ts';
import { isRunning } from '#shared/words.ts';
import { countExperimentRows, deleteExperimentRows } from '#server/repositories/deletion.ts';
import { experimentExists, listRunStates } from '#server/repositories/experiments.ts';
import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/logger.ts';
import {
  findArtifactDirectories,
  removeArtifactDirectories,
  type ArtifactFailure,
} from './artifact-directories.ts';

/** What deleting needs besides the database. */
export interface DeletionTools {
  database: Database;
  logger: Log;
  /** Root of the runner's artifacts; undefined where none is known: then no directory is touched. */
  artifactsDirectory?: string | undefined;
}

/**
 * Deletes an experiment with all that belongs to it, in one transaction that also judges whether it may, and
 * then, best effort, the artifact directories of its runs. EXPERIMENT_NOT_FOUND; RUNS_ACTIVE, naming them,
 * while runs are RUNNING; READ_ONLY.
 */
export async function deleteExperiment(
  { database, logger, artifactsDirectory }: DeletionTools,
  experimentId: string,
): Promise<DeletionAnswer> {
  const { dialect, readOnly } = database;
  requireWritable(readOnly);
  const { rows, runs } = await dialect.withWriteTransaction(async (transaction) => {
    const judged = await lockExperimentRuns(transaction, dialect, experimentId);
    if (judged === null) throw experimentNotFound(experimentId);
    refuseActiveRuns(experimentId, judged);
    return { rows: await deleteExperimentRows(transaction, experimentId), runs: judged };
  });
  const runIds = runs.map(({ runId }) => runId);
  const artifacts = artifactsDirectory
    ? await removeArtifactDirectories(artifactsDirectory, runIds)
    : { removed: 0, failures: [] };
  logFailures(logger, artifacts.failures, 'removed');
  return { experimentId, deleted: true, ...rows, artifactDirectoriesDeleted: artifacts.removed };
}

/** What {@link deleteExperiment} would remove now, and whether it may. EXPERIMENT_NOT_FOUND. */
export async function previewDeletion(
  { database, logger, artifactsDirectory }: DeletionTools,
  experimentId: string,
): Promise<DeletionPreview> {
  if (!(await experimentExists(database, experimentId))) throw experimentNotFound(experimentId);
  const runs = await listRunStates(database, experimentId);
  const runIds = runs.map(({ runId }) => runId);
  const { directories, failures } = artifactsDirectory
    ? await findArtifactDirectories(artifactsDirectory, runIds)
    : { directories: [], failures: [] };
  logFailures(logger, failures, 'read');
  const runningRuns = runs.filter(isRunning).length;
  return {
    experimentId,
    deletable: runningRuns === 0,
    runningRuns,
    ...(await countExperimentRows(database.kysely, experimentId)),
    artifactDirectoriesDeleted: directories.length,
  };
}

/**
 * Deletes several experiments, each in a transaction of its own, and says of each what became of it; one that
 * fails leaves the others to go. READ_ONLY; a database that is busy or away ends the call, with those before it
 * deleted.
 */
export async function deleteExperiments(
  tools: DeletionTools,
  experimentIds: readonly string[],
): Promise<BulkDeletionAnswer> {
  requireWritable(tools.database.readOnly);
  const items: BulkDeletionAnswer['items'] = [];
  for (const experimentId of experimentIds) {
    const reason = await outcomeOf(tools, experimentId);
    items.push({ experimentId, deleted: reason === 'DELETED', reason });
  }
  const count = (wanted: string) => items.filter(({ reason }) => reason === wanted).length;
  return {
    items,
    deletedCount: count('DELETED'),
    blockedCount: count('RUNNING'),
    missingCount: count('NOT_FOUND'),
    errorCount: count('ERROR'),
  };
}

async function outcomeOf(
  tools: DeletionTools,
  experimentId: string,
): Promise<BulkDeletionAnswer['items'][number]['reason']> {
  try {
    await deleteExperiment(tools, experimentId);
    return 'DELETED';
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'RUNS_ACTIVE') return 'RUNNING';
    if (error instanceof ProblemError && error.code === 'EXPERIMENT_NOT_FOUND') return 'NOT_FOUND';
    // The others would wait as long in turn; the client may ask again for the rest.
    if (tools.database.dialect.failureKind(error) !== 'other') throw error;
    tools.logger.error({ err: error, experimentId }, 'an experiment could not be deleted');
    return 'ERROR';
  }
}

function logFailures(logger: Log, failures: readonly ArtifactFailure[], undone: string): void {
  for (const failure of failures) {
    logger.warn(failure, `an artifact directory could not be ${undone}`);
  }
}

function refuseActiveRuns(experimentId: string, runs: RunState[]): void {
  const active = runs.filter(isRunning).map(({ runId }) => runId);
  if (active.length === 0) return;
  const named = active.slice(0, 5).map((runId) => `"${shortened(runId)}"`);
  const others = active.length > 5 ? ` and ${active.length - 5} more` : '';
  throw new ProblemError(
    'RUNS_ACTIVE',
    `Experiment "${shortened(experimentId)}" cannot be deleted while ${named.join(', ')}${others} ` +
      `${active.length === 1 ? 'is' : 'are'} RUNNING: stop first`,
  );
}
