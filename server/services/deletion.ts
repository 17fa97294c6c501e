import type {
  BulkDeletionAnswer,
  BulkDeletionBody,
  DeletionAnswer,
  DeletionPreview,
} from '#shared/schemas/experiment.ts';
import { experimentNotFound, ProblemError, requireWritable, shortened } from '#server/errors.ts';
import { lockExperimentRuns, type RunState } from '#server/repositories/locks.ts';
import { isRunning } from '#shared/words.ts';
import {
  countExperimentRows,
  deleteExperimentRows,
  estimateJsonBytes,
} from '#server/repositories/deletion.ts';
import { experimentExists, listRunStates } from '#server/repositories/experiments.ts';
import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/logger.ts';
import {
  findArtifactDirectories,
  removeArtifactDirectories,
  type ArtifactFailure,
} from './artifact-directories.ts';
import { wouldStarveRunner } from './run-progress.ts';

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
 * while runs are RUNNING; RUNNER_WRITING, unless forced, where it would keep a runner waiting too long; READ_ONLY.
 */
export async function deleteExperiment(
  { database, logger, artifactsDirectory }: DeletionTools,
  experimentId: string,
  force = false,
): Promise<DeletionAnswer> {
  const { dialect, readOnly } = database;
  requireWritable(readOnly);
  if (!force) {
    const { lockSeconds } = await estimateLock(database, [experimentId]);
    await refuseLongLock(database, experimentId, lockSeconds);
  }
  const { rows, runs } = await dialect.withWriteTransaction(async (transaction) => {
    const judged = await lockExperimentRuns(transaction, dialect, experimentId);
    if (judged === null) throw experimentNotFound(experimentId);
    refuseActiveRuns(`Experiment "${shortened(experimentId)}"`, judged);
    return { rows: await deleteExperimentRows(transaction, [experimentId]), runs: judged };
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
  const { rows, lockSeconds } = await estimateLock(database, [experimentId]);
  return {
    experimentId,
    deletable: runningRuns === 0,
    runningRuns,
    ...(await describeLock(database, lockSeconds)),
    ...rows,
    artifactDirectoriesDeleted: directories.length,
  };
}

/** Refuses a deletion whose lock would keep a runner that is writing waiting too long. RUNNER_WRITING. */
export async function refuseLongLock(database: Database, id: string, lockSeconds: number) {
  if (!(await wouldStarveRunner(database, lockSeconds))) return;
  throw new ProblemError(
    'RUNNER_WRITING',
    `A runner is writing, and deleting "${shortened(id)}" would keep it waiting for about ` +
      `${Math.ceil(lockSeconds)} s: its run may fail. Wait until it has ended, or delete with force=true`,
  );
}

/** What a preview says of the lock: an estimate, so to tenths of a second, and whether it would be refused. */
export async function describeLock(database: Database, lockSeconds: number) {
  return {
    lockSeconds: Math.round(lockSeconds * 10) / 10,
    needsForce: await wouldStarveRunner(database, lockSeconds),
  };
}

/** What deleting experiments removes, and for how long it keeps others from writing. */
export async function estimateLock(database: Database, experimentIds: readonly string[]) {
  const { kysely, dialect } = database;
  const rows = await countExperimentRows(kysely, experimentIds);
  const rowCount = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const bytes = await estimateJsonBytes(kysely, experimentIds, rows);
  return { rows, lockSeconds: dialect.deletionLockSeconds(rowCount, bytes) };
}

/**
 * Deletes several experiments, each in a transaction of its own, and says of each what became of it; one that
 * fails leaves the others to go. READ_ONLY; a database that is busy or away ends the call, with those before it
 * deleted.
 */
export async function deleteExperiments(
  tools: DeletionTools,
  { experimentIds, force }: BulkDeletionBody,
): Promise<BulkDeletionAnswer> {
  requireWritable(tools.database.readOnly);
  const items: BulkDeletionAnswer['items'] = [];
  for (const experimentId of experimentIds) {
    const reason = await outcomeOf(tools, experimentId, force);
    items.push({ experimentId, deleted: reason === 'DELETED', reason });
  }
  const count = (wanted: string) => items.filter(({ reason }) => reason === wanted).length;
  return {
    items,
    deletedCount: count('DELETED'),
    blockedCount: count('RUNNING') + count('RUNNER_WRITING'),
    missingCount: count('NOT_FOUND'),
    errorCount: count('ERROR'),
  };
}

async function outcomeOf(
  tools: DeletionTools,
  experimentId: string,
  force: boolean,
): Promise<BulkDeletionAnswer['items'][number]['reason']> {
  try {
    await deleteExperiment(tools, experimentId, force);
    return 'DELETED';
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'RUNS_ACTIVE') return 'RUNNING';
    if (error instanceof ProblemError && error.code === 'RUNNER_WRITING') return 'RUNNER_WRITING';
    if (error instanceof ProblemError && error.code === 'EXPERIMENT_NOT_FOUND') return 'NOT_FOUND';
    // The others would wait as long in turn; the client may ask again for the rest.
    if (tools.database.dialect.failureKind(error) !== 'other') throw error;
    tools.logger.error({ err: error, experimentId }, 'an experiment could not be deleted');
    return 'ERROR';
  }
}

/** Logs each directory that could not be dealt with. */
export function logFailures(
  logger: Log,
  failures: readonly ArtifactFailure[],
  undone: string,
): void {
  for (const failure of failures) {
    logger.warn(failure, `an artifact directory could not be ${undone}`);
  }
}

/** Throws RUNS_ACTIVE, naming them, where any of the runs is RUNNING. */
export function refuseActiveRuns(subject: string, runs: readonly RunState[]): void {
  const active = runs.filter(isRunning).map(({ runId }) => runId);
  if (active.length === 0) return;
  const named = active.slice(0, 5).map((runId) => `"${shortened(runId)}"`);
  const others = active.length > 5 ? ` and ${active.length - 5} more` : '';
  throw new ProblemError(
    'RUNS_ACTIVE',
    `${subject} cannot be deleted while ${named.join(', ')}${others} ` +
      `${active.length === 1 ? 'is' : 'are'} RUNNING: stop first`,
  );
}
