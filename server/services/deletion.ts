import { createHash } from 'node:crypto';
import type { CampaignDeletion, CampaignDeletionPreview } from '#shared/schemas/coco.ts';
import type {
  BulkDeletionResponse,
  BulkDeletionBody,
  DeletionResponse,
  DeletionPreview,
  DeletionQuery,
} from '#shared/schemas/experiment.ts';
import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/logger.ts';
import {
  isUnreadableDocumentsError,
  makeNotFoundError,
  ProblemError,
  requireWritable,
  truncate,
} from '#server/errors.ts';
import { countAnnotations, deleteAnnotations, type AnnotatedSubjects } from './annotations.ts';
import {
  deleteRows,
  estimateDeletion,
  type DeletedIds,
  type DeletedRowCounts,
} from '#server/repositories/deletion.ts';
import {
  findArtifactDirectories,
  deleteArtifactDirectories,
  type ArtifactFailure,
} from './artifact-directories.ts';
import { isCampaignActive } from '#server/domain/liveness.ts';
import { isRunning } from '#shared/words.ts';
import { hasAnnotations, readAnnotationsOrNone } from '#server/records/annotations.ts';
import {
  listDeletableCampaigns,
  type DeletableCampaign,
  listOwnExperiments,
} from '#server/repositories/campaign-deletion.ts';
import {
  listPresentExperiments,
  listRunStates,
  listSharedRunIds,
  type RunState,
} from '#server/repositories/locks.ts';
import { describeWritingRunner, isLockTooLong } from '#server/records/liveness.ts';

/** Dependencies of a deletion. */
export interface DeletionDependencies {
  database: Database;
  logger: Log;
  /** Root of the runner's artifacts; undefined if unknown. Without it, a deletion deletes no directory. */
  artifactsDirectory?: string | undefined;
}

type Kysely = Database['kysely'];

/** Campaigns and experiments to delete together. */
export interface DeletionSet {
  id: string;
  /** Name of the set in messages, such as `campaign "x"`. */
  displayName: string;
  /** Returns the ids of the campaigns of the set; some may be missing. */
  listCampaigns: (kysely: Kysely) => Promise<readonly string[]>;
  /** Returns the ids of the experiments to delete with these existing campaigns; some may be missing. */
  listExperiments: (kysely: Kysely, campaignIds: readonly string[]) => Promise<readonly string[]>;
  makeNotFoundError: () => ProblemError;
}

/** The existing rows of a set. */
interface Contents {
  campaigns: readonly DeletableCampaign[];
  experimentIds: readonly string[];
  runs: readonly RunState[];
  /** Ids of these runs that runs outside the set have too. */
  sharedRunIds: readonly string[];
}

/**
 * Returns the existing rows of a set. With `isLocked`, other programs cannot start, end or add a run of the set until
 * the transaction ends. Throws the set's `makeNotFoundError` if the set has neither a campaign nor an experiment.
 */
async function getContents(
  { kysely, dialect }: Pick<Database, 'kysely' | 'dialect'>,
  set: DeletionSet,
  lock: { isLocked: boolean },
): Promise<Contents> {
  const campaigns = await listDeletableCampaigns(
    kysely,
    await set.listCampaigns(kysely),
    lock.isLocked ? dialect : undefined,
  );
  const listIds = () => set.listExperiments(kysely, getIds(campaigns));
  const presentIds = await listPresentExperiments(kysely, dialect, await listIds(), lock);
  // Another program may have added a run to an experiment before the lock. The experiment may then no longer belong to
  // the set.
  const currentIds = new Set(lock.isLocked ? await listIds() : presentIds);
  const experimentIds = presentIds.filter((id) => currentIds.has(id));
  if (campaigns.length + experimentIds.length === 0) throw set.makeNotFoundError();
  const runs = await listRunStates(kysely, dialect, experimentIds, lock);
  const sharedRunIds = await listSharedRunIds(kysely, dialect, experimentIds);
  return { campaigns, experimentIds, runs, sharedRunIds };
}

/**
 * Deletes the campaigns of a set with their optimizers, trials and aggregates, and its experiments with their runs, in
 * one transaction. The transaction also checks all conditions except those of READ_ONLY, RUNNER_WRITING and
 * DOCUMENTS_UNREADABLE. Deletes the annotations of the runs and experiments in the same transaction if the database
 * supports that, otherwise after it. Then deletes the artifact directories of the runs. Retains annotations and
 * directories of runs whose ids runs outside the set have too. Logs failures after the transaction instead of throwing
 * them. Retains trials of the runs in other campaigns. Retains reference results, because they belong to the suite.
 * Returns the numbers of deleted rows, directories and annotations.
 *
 * Throws the set's `makeNotFoundError` and READ_ONLY. Throws RUNS_ACTIVE while runs are RUNNING, with up to five of
 * their ids, or while a RUNNING campaign has recently started or added trials. Throws RUNNER_WRITING without `force` if
 * a runner would wait too long. Throws COUNTS_CHANGED if `countsKey` is defined and differs from the key that {@link
 * previewSet} would return now. Throws TABLES_OF_OTHERS if an object of another program, such as a trigger, may act on
 * the deletion, or if rows of another program's table refer to deleted rows. Throws DOCUMENTS_UNREADABLE if the
 * database user may not read the annotations, because they would remain. Annotations that are unreadable for another
 * reason remain.
 */
export async function deleteSet(
  { database, logger, artifactsDirectory }: DeletionDependencies,
  set: DeletionSet,
  { force, countsKey }: DeletionQuery,
) {
  const { dialect } = database;
  await requireWritable(database);
  if (!force) await refuseLongLock(database, set);
  const isDeletedTogether = dialect.documents.isTransactional && (await hasAnnotations(database));
  await dialect.documents.requireReadPrivilege();
  const { deletedContents, rows, annotationCount } = await dialect
    .withWriteTransaction(async (kysely) => {
      const contents = await getContents({ kysely, dialect }, set, { isLocked: true });
      refuseActiveRuns(set, contents);
      const deletedRows = await deleteRows({ kysely, dialect }, getDeletedIds(contents));
      const [hook] = await dialect.listHooks(kysely);
      if (hook !== undefined) throw makeHookError(set, hook);
      const deletedAnnotationCount = isDeletedTogether
        ? await deleteAnnotations(database, kysely, findAnnotatedSubjects(contents))
        : null;
      if (countsKey !== undefined) {
        const currentCount =
          deletedAnnotationCount ?? (await countAnnotationsOf(database, contents));
        if (countsKey !== makeCountsKey(contents, deletedRows, currentCount))
          throw makeChangeError(set);
      }
      return {
        deletedContents: contents,
        rows: deletedRows,
        annotationCount: deletedAnnotationCount,
      };
    })
    .catch((error: unknown) => {
      // The database checks a deferred foreign key at the commit.
      throw dialect.isReferenceError(error) ? makeReferenceError(set) : error;
    });
  const runIds = getUnsharedRunIds(deletedContents);
  const annotationsDeleted =
    annotationCount ??
    (await deleteAnnotationsLater(database, logger, findAnnotatedSubjects(deletedContents)));
  const { deletedDirectories, failures } = artifactsDirectory
    ? await deleteArtifactDirectories(artifactsDirectory, runIds)
    : { deletedDirectories: 0, failures: [] };
  logFailures(logger, failures, 'delete');
  return {
    deleted: true,
    ...rows,
    artifactDirectoriesDeleted: deletedDirectories,
    annotationsDeleted,
  };
}

/** Returns a key that is the same for the same campaigns, experiments, runs and counts, in any order. */
function makeCountsKey(
  contents: Contents,
  rows: DeletedRowCounts,
  annotationCount: number,
): string {
  const { campaignIds, experimentIds } = getDeletedIds(contents);
  const runIds = contents.runs.map(({ runId }) => runId);
  const ids = [campaignIds, experimentIds, runIds].map((list) => list.toSorted());
  return createHash('sha256')
    .update(JSON.stringify([ids, rows, annotationCount]))
    .digest('base64url');
}

async function countAnnotationsOf(database: Database, contents: Contents): Promise<number> {
  return countAnnotations(await readAnnotationsOrNone(database), findAnnotatedSubjects(contents));
}

function findAnnotatedSubjects(contents: Contents) {
  return { experimentIds: contents.experimentIds, runIds: getUnsharedRunIds(contents) };
}

/** Returns the ids of the runs, without ids that runs outside the set have too. */
function getUnsharedRunIds({ runs, sharedRunIds }: Contents): string[] {
  const sharedIds = new Set(sharedRunIds);
  return runs.map(({ runId }) => runId).filter((runId) => !sharedIds.has(runId));
}

/**
 * Deletes the annotations of deleted runs and experiments, and returns the number of deleted annotations. After an
 * error, logs the error and returns 0. Pages do not show the remaining annotations while their runs and experiments are
 * missing.
 */
async function deleteAnnotationsLater(
  database: Database,
  logger: Log,
  subjects: AnnotatedSubjects,
): Promise<number> {
  try {
    if (countAnnotations(await readAnnotationsOrNone(database), subjects) === 0) return 0;
    return await database.dialect.withWriteTransaction((transaction) =>
      deleteAnnotations(database, transaction, subjects),
    );
  } catch (error) {
    logger.warn(
      { err: error },
      'Cannot delete the annotations of deleted runs and experiments. No action is necessary, because pages hide them',
    );
    return 0;
  }
}

/**
 * Returns the numbers of rows, directories and annotations that {@link deleteSet} would delete now, and the key of this
 * state. `deletable` is false if {@link deleteSet} would throw RUNS_ACTIVE. `lockSeconds` is an estimate of the time
 * for which the deletion would block other writers, rounded to 0.1 s; 0 if it would block none. `needsForce` is true if
 * {@link deleteSet} would throw RUNNER_WRITING without `force`. Throws the set's `makeNotFoundError`, and
 * DOCUMENTS_UNREADABLE like {@link deleteSet}.
 */
export async function previewSet(
  { database, logger, artifactsDirectory }: DeletionDependencies,
  set: DeletionSet,
) {
  const contents = await getContents(database, set, { isLocked: false });
  await database.dialect.documents.requireReadPrivilege();
  const runIds = getUnsharedRunIds(contents);
  const { directories, failures } = artifactsDirectory
    ? await findArtifactDirectories(artifactsDirectory, runIds)
    : { directories: [], failures: [] };
  logFailures(logger, failures, 'read');
  const runningRuns = contents.runs.filter(isRunning).length;
  const { rows, lockSeconds } = await estimateDeletion(database, getDeletedIds(contents), runIds);
  const annotationCount = await countAnnotationsOf(database, contents);
  return {
    deletable: runningRuns === 0 && findActivity(contents) === undefined,
    runningRuns,
    lockSeconds: Math.round(lockSeconds * 10) / 10,
    needsForce: await isLockTooLong(database, lockSeconds),
    countsKey: makeCountsKey(contents, rows, annotationCount),
    ...rows,
    artifactDirectoriesDeleted: directories.length,
    annotationsDeleted: annotationCount,
  };
}

/** Throws RUNNER_WRITING if the lock of a deletion would block a writing runner for too long. */
async function refuseLongLock(database: Database, set: DeletionSet): Promise<void> {
  // PostgreSQL locks only the deleted rows.
  if (database.dialect.name === 'postgres') return;
  const contents = await getContents(database, set, { isLocked: false });
  const runIds = getUnsharedRunIds(contents);
  const { lockSeconds } = await estimateDeletion(database, getDeletedIds(contents), runIds);
  if (!(await isLockTooLong(database, lockSeconds))) return;
  throw new ProblemError(
    'RUNNER_WRITING',
    describeWritingRunner(`deleting "${truncate(set.id)}"`, lockSeconds, 'delete with force=true'),
  );
}

function makeChangeError({ displayName }: DeletionSet): ProblemError {
  return new ProblemError(
    'COUNTS_CHANGED',
    `The service did not delete ${displayName}, because its data have changed since the preview. Request the preview again and confirm its counts`,
  );
}

function makeReferenceError({ displayName }: DeletionSet): ProblemError {
  return new ProblemError(
    'TABLES_OF_OTHERS',
    `The service did not delete ${displayName}, because rows of another program's table refer to it. Delete those rows first`,
  );
}

function makeHookError({ displayName }: DeletionSet, hook: string): ProblemError {
  return new ProblemError(
    'TABLES_OF_OTHERS',
    `The service did not delete ${displayName}, because a ${hook} is not the runner's and may act on the deletion. Remove it first`,
  );
}

function getIds(campaigns: readonly DeletableCampaign[]): string[] {
  return campaigns.map(({ campaignId }) => campaignId);
}

function getDeletedIds({ campaigns, experimentIds, sharedRunIds }: Contents): DeletedIds {
  return { campaignIds: getIds(campaigns), experimentIds, sharedRunIds };
}

/**
 * Throws RUNS_ACTIVE if a campaign is active, with the time of its last activity, or if runs are RUNNING, with the ids
 * of up to five of them.
 */
function refuseActiveRuns({ displayName }: DeletionSet, contents: Contents): void {
  const lastActivity = findActivity(contents);
  if (lastActivity !== undefined) {
    throw new ProblemError(
      'RUNS_ACTIVE',
      `The service cannot delete ${displayName} while it is RUNNING and active: its last activity was at ${lastActivity}. Wait until it ends or adds no more trials`,
    );
  }
  const activeIds = contents.runs.filter(isRunning).map(({ runId }) => runId);
  if (activeIds.length === 0) return;
  const names = activeIds
    .slice(0, 5)
    .map((runId) => (runId === '' ? 'a run without an id' : `"${truncate(runId)}"`));
  const stopAdvice = activeIds.length === 1 ? 'stop it' : 'stop them';
  // A stop request needs an id.
  const remedy = activeIds.includes('')
    ? 'set the status of the run without an id in the database'
    : stopAdvice;
  const otherRunsText = activeIds.length > 5 ? ` and ${activeIds.length - 5} more` : '';
  throw new ProblemError(
    'RUNS_ACTIVE',
    `The service cannot delete ${displayName} while ${names.join(', ')}${otherRunsText} ` +
      `${activeIds.length === 1 ? 'is' : 'are'} RUNNING: ${remedy} first`,
  );
}

/**
 * Returns the time of the last activity of the first active RUNNING campaign (see {@link isCampaignActive}): the time
 * of its newest trial, or its start time if it has no trials. Returns undefined if no campaign is active.
 */
function findActivity({ campaigns }: Contents): string | undefined {
  const runningCampaigns = campaigns.filter(isRunning);
  const times = runningCampaigns.map(
    ({ newestTrialAt, startedAt }) => newestTrialAt ?? startedAt ?? '',
  );
  return times.find((time) => isCampaignActive(time, Date.now()));
}

function logFailures(
  logger: Log,
  failures: readonly ArtifactFailure[],
  action: 'delete' | 'read',
): void {
  const remedy = action === 'delete' ? 'Delete it manually' : 'Check its permissions';
  for (const failure of failures) {
    logger.warn(failure, `Cannot ${action} an artifact directory. ${remedy}`);
  }
}

/**
 * Deletes a campaign, and the experiments whose runs are all trials of this campaign and of no other; see {@link
 * deleteSet}. Throws CAMPAIGN_NOT_FOUND.
 */
export async function deleteCampaign(
  dependencies: DeletionDependencies,
  campaignId: string,
  options: DeletionQuery,
): Promise<CampaignDeletion> {
  return {
    campaignId,
    ...(await deleteSet(dependencies, makeCampaignDeletionSet(campaignId), options)),
  };
}

/** Returns the preview of {@link deleteCampaign}; see {@link previewSet}. Throws CAMPAIGN_NOT_FOUND. */
export async function previewCampaignDeletion(
  dependencies: DeletionDependencies,
  campaignId: string,
): Promise<CampaignDeletionPreview> {
  return { campaignId, ...(await previewSet(dependencies, makeCampaignDeletionSet(campaignId))) };
}

function makeCampaignDeletionSet(campaignId: string): DeletionSet {
  return {
    id: campaignId,
    displayName: `campaign "${truncate(campaignId)}"`,
    listCampaigns: async () => [campaignId],
    listExperiments: listOwnExperiments,
    makeNotFoundError: () => makeNotFoundError('campaign', campaignId),
  };
}

/** Deletes an experiment with its runs; see {@link deleteSet}. Throws EXPERIMENT_NOT_FOUND. */
export async function deleteExperiment(
  dependencies: DeletionDependencies,
  experimentId: string,
  options: DeletionQuery,
): Promise<DeletionResponse> {
  return {
    experimentId,
    ...(await deleteSet(dependencies, makeExperimentDeletionSet(experimentId), options)),
  };
}

/** Returns the preview of {@link deleteExperiment}; see {@link previewSet}. Throws EXPERIMENT_NOT_FOUND. */
export async function previewDeletion(
  dependencies: DeletionDependencies,
  experimentId: string,
): Promise<DeletionPreview> {
  return {
    experimentId,
    ...(await previewSet(dependencies, makeExperimentDeletionSet(experimentId))),
  };
}

function makeExperimentDeletionSet(experimentId: string): DeletionSet {
  return {
    id: experimentId,
    displayName: `experiment "${truncate(experimentId)}"`,
    listCampaigns: async () => [],
    listExperiments: async () => [experimentId],
    makeNotFoundError: () => makeNotFoundError('experiment', experimentId),
  };
}

/**
 * Deletes several experiments, each in a separate transaction, and returns the outcomes in the order of the
 * experiments. If one deletion fails, still tries the others. Throws READ_ONLY. Throws DATABASE_CHANGED,
 * DOCUMENTS_UNREADABLE, and errors whose {@link DatabaseDialect.classifyFailure} is not `other`; experiments that were
 * deleted before the error remain deleted.
 */
export async function deleteExperiments(
  dependencies: DeletionDependencies,
  { experimentIds, force, countsKeys }: BulkDeletionBody,
): Promise<BulkDeletionResponse> {
  await requireWritable(dependencies.database);
  const items: BulkDeletionResponse['items'] = [];
  for (const experimentId of experimentIds) {
    // An inherited property such as "constructor" is not the key of an experiment.
    const countsKey = Object.hasOwn(countsKeys, experimentId)
      ? countsKeys[experimentId]
      : undefined;
    const reason = await tryDeletion(dependencies, experimentId, { force, countsKey });
    items.push({ experimentId, deleted: reason === 'DELETED', reason });
  }
  const countItems = (outcome: string) => items.filter(({ reason }) => reason === outcome).length;
  return {
    items,
    deletedCount: countItems('DELETED'),
    blockedCount:
      countItems('RUNNING') + countItems('RUNNER_WRITING') + countItems('COUNTS_CHANGED'),
    missingCount: countItems('NOT_FOUND'),
    errorCount: countItems('ERROR'),
  };
}

async function tryDeletion(
  dependencies: DeletionDependencies,
  experimentId: string,
  options: DeletionQuery,
): Promise<BulkDeletionResponse['items'][number]['reason']> {
  try {
    await deleteExperiment(dependencies, experimentId, options);
    return 'DELETED';
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'RUNS_ACTIVE') return 'RUNNING';
    if (error instanceof ProblemError && error.code === 'RUNNER_WRITING') return 'RUNNER_WRITING';
    if (error instanceof ProblemError && error.code === 'COUNTS_CHANGED') return 'COUNTS_CHANGED';
    if (error instanceof ProblemError && error.code === 'EXPERIMENT_NOT_FOUND') return 'NOT_FOUND';
    if (error instanceof ProblemError && error.code === 'DATABASE_CHANGED') throw error;
    if (isUnreadableDocumentsError(error)) throw error;
    // The failure would probably affect the other experiments too. The client can repeat the request later.
    if (dependencies.database.dialect.classifyFailure(error) !== 'other') throw error;
    dependencies.logger.error(
      { err: error, experimentId },
      'Cannot delete an experiment. Correct the error, then delete it again',
    );
    return 'ERROR';
  }
}
