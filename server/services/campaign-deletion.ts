import { campaignNotFound, ProblemError, requireWritable, shortened } from '#server/errors.ts';
import type { Database } from '#server/db/database.ts';
import * as campaigns from '#server/repositories/campaign-deletion.ts';
import { deleteExperimentRows, type ExperimentRows } from '#server/repositories/deletion.ts';
import { deleteCampaign as deleteCampaignRows } from '#server/repositories/imported.ts';
import type { CampaignDeletion, CampaignDeletionPreview } from '#shared/schemas/coco.ts';
import { isRunning } from '#shared/words.ts';
import { findArtifactDirectories, removeArtifactDirectories } from './artifact-directories.ts';
import {
  describeLock,
  estimateLock,
  logFailures,
  refuseActiveRuns,
  refuseLongLock,
  type DeletionTools,
} from './deletion.ts';

/** A RUNNING campaign that has added no trial for so long has lost its runner. */
const silentMillis = 600_000;

/** Experiments that are dealt with by one statement. */
const batchSize = 1_000;

/**
 * Deletes a campaign as a whole: optimizers, trials, aggregates, and the experiments that are its alone with all their
 * runs wrote, in one transaction that also judges whether it may; then, best effort, the artifact directories of the
 * runs. References stay, as they are the suite's. CAMPAIGN_NOT_FOUND; RUNS_ACTIVE while runs of it are RUNNING or it
 * has lately added trials; RUNNER_WRITING, unless forced, where it would keep a runner waiting too long; READ_ONLY.
 */
export async function deleteCampaign(
  { database, logger, artifactsDirectory }: DeletionTools,
  campaignId: string,
  force: boolean,
): Promise<CampaignDeletion> {
  const { dialect, readOnly } = database;
  requireWritable(readOnly);
  if (!force) {
    const experimentIds = await campaigns.listOwnExperiments(database.kysely, campaignId);
    const { lockSeconds } = await estimate(database, experimentIds);
    await refuseLongLock(database, campaignId, lockSeconds);
  }
  const { runs, ...deleted } = await dialect.withWriteTransaction(async (transaction) => {
    await campaigns.lockCampaign(transaction, dialect, campaignId);
    const { counters } = await judge(transaction, campaignId);
    const experimentIds = await campaigns.listOwnExperiments(transaction, campaignId);
    const locked = await inBatches(experimentIds, (ids) =>
      campaigns.listRunsOfExperiments(transaction, ids, dialect),
    );
    refuseActiveRuns(`Campaign "${shortened(campaignId)}"`, locked.flat());
    await deleteCampaignRows({ kysely: transaction }, campaignId);
    const rows = await inBatches(experimentIds, (ids) => deleteExperimentRows(transaction, ids));
    const experimentsDeleted = experimentIds.length;
    return { ...counters, experimentsDeleted, ...addedUp(rows), runs: locked.flat() };
  });
  const runIds = runs.map(({ runId }) => runId);
  const { removed, failures } = artifactsDirectory
    ? await removeArtifactDirectories(artifactsDirectory, runIds)
    : { removed: 0, failures: [] };
  logFailures(logger, failures, 'removed');
  return { campaignId, deleted: true, ...deleted, artifactDirectoriesDeleted: removed };
}

/** What {@link deleteCampaign} would remove now, and whether it may. CAMPAIGN_NOT_FOUND. */
export async function previewCampaignDeletion(
  { database, logger, artifactsDirectory }: DeletionTools,
  campaignId: string,
): Promise<CampaignDeletionPreview> {
  const campaign = await campaigns.findDeletableCampaign(database.kysely, campaignId);
  if (!campaign) throw campaignNotFound(campaignId);
  const { counters, isActive } = stateOf(campaign);
  const experimentIds = await campaigns.listOwnExperiments(database.kysely, campaignId);
  const found = await inBatches(experimentIds, (ids) =>
    campaigns.listRunsOfExperiments(database.kysely, ids),
  );
  const runs = found.flat();
  const { directories, failures } = artifactsDirectory
    ? await findArtifactDirectories(
        artifactsDirectory,
        runs.map(({ runId }) => runId),
      )
    : { directories: [], failures: [] };
  logFailures(logger, failures, 'read');
  const runningRuns = runs.filter(isRunning).length;
  const { rows, lockSeconds } = await estimate(database, experimentIds);
  return {
    campaignId,
    deletable: runningRuns === 0 && !isActive,
    runningRuns,
    ...(await describeLock(database, lockSeconds)),
    ...counters,
    experimentsDeleted: experimentIds.length,
    ...rows,
    artifactDirectoriesDeleted: directories.length,
  };
}

/** The rows of the campaign itself; throws unless it may be deleted. */
async function judge(kysely: Database['kysely'], campaignId: string) {
  const campaign = await campaigns.findDeletableCampaign(kysely, campaignId);
  if (!campaign) throw campaignNotFound(campaignId);
  const state = stateOf(campaign);
  if (!state.isActive) return state;
  throw new ProblemError(
    'RUNS_ACTIVE',
    `Campaign "${shortened(campaignId)}" cannot be deleted while it is RUNNING and adds trials: its last ` +
      `activity was at ${state.lastActivityAt}`,
  );
}

function stateOf(campaign: campaigns.DeletableCampaign, nowMillis = Date.now()) {
  const { status, startedAt, newestTrialAt, ...counters } = campaign;
  const lastActivityAt = newestTrialAt ?? startedAt ?? '';
  const isRecent = nowMillis - Date.parse(lastActivityAt) < silentMillis;
  return { counters, lastActivityAt, isActive: isRunning({ status }) && isRecent };
}

async function estimate(database: Database, experimentIds: readonly string[]) {
  const parts = await inBatches(experimentIds, (ids) => estimateLock(database, ids));
  return {
    rows: addedUp(parts.map(({ rows }) => rows)),
    lockSeconds: parts.reduce((sum, part) => sum + part.lockSeconds, 0),
  };
}

async function inBatches<Part>(
  ids: readonly string[],
  work: (batch: readonly string[]) => Promise<Part>,
): Promise<Part[]> {
  const parts: Part[] = [];
  for (let start = 0; start < ids.length; start += batchSize) {
    parts.push(await work(ids.slice(start, start + batchSize)));
  }
  return parts;
}

const none: ExperimentRows = {
  runsDeleted: 0,
  runObjectivesDeleted: 0,
  iterationsDeleted: 0,
  checkpointsDeleted: 0,
  eventsDeleted: 0,
  controlRequestsDeleted: 0,
  paramsDeleted: 0,
};

function addedUp(parts: readonly ExperimentRows[]): ExperimentRows {
  const keys = Object.keys(none) as (keyof ExperimentRows)[];
  const sums = keys.map((key) => [key, parts.reduce((sum, part) => sum + part[key], 0)]);
  return Object.fromEntries(sums) as ExperimentRows;
}
