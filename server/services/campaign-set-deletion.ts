import type { Database } from '#server/db/database.ts';
import { ProblemError, requireWritable } from '#server/errors.ts';
import * as campaigns from '#server/repositories/campaign-deletion.ts';
import { deleteExperimentRows, type ExperimentRows } from '#server/repositories/deletion.ts';
import { deleteCampaign as deleteCampaignRows } from '#server/repositories/imported.ts';
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

type Kysely = Database['kysely'];

/** Campaigns and experiments that go together. */
export interface CampaignSet {
  id: string;
  /** What messages call it: `Campaign "x"`. */
  subject: string;
  /** Ids of its campaigns. */
  listCampaigns: (kysely: Kysely) => Promise<readonly string[]>;
  /** Ids of the experiments that are its alone. */
  listExperiments: (kysely: Kysely, campaignIds: readonly string[]) => Promise<readonly string[]>;
  notFound: () => ProblemError;
}

interface Contents {
  campaignIds: readonly string[];
  experimentIds: readonly string[];
}

async function contentsOf(kysely: Kysely, set: CampaignSet): Promise<Contents> {
  const campaignIds = await set.listCampaigns(kysely);
  const experimentIds = await set.listExperiments(kysely, campaignIds);
  return { campaignIds, experimentIds };
}

/**
 * Deletes campaigns with their optimizers, trials and aggregates, and experiments with all that their runs wrote, in
 * one transaction that also judges whether it may; then, best effort, the artifact directories of the runs. References
 * stay, as they are the suite's. What the set's `notFound` says; RUNS_ACTIVE while runs are RUNNING or a campaign has
 * lately added trials; RUNNER_WRITING, unless forced, where it would keep a runner waiting too long; READ_ONLY.
 */
export async function deleteCampaignSet(
  { database, logger, artifactsDirectory }: DeletionTools,
  set: CampaignSet,
  force: boolean,
) {
  const { dialect, readOnly } = database;
  requireWritable(readOnly);
  if (!force) {
    const { experimentIds } = await contentsOf(database.kysely, set);
    const { lockSeconds } = await estimate(database, experimentIds);
    await refuseLongLock(database, set.id, lockSeconds);
  }
  const { runs, ...deleted } = await dialect.withWriteTransaction(async (transaction) => {
    for (const campaignId of await set.listCampaigns(transaction))
      await campaigns.lockCampaign(transaction, dialect, campaignId);
    const { campaignIds, experimentIds } = await contentsOf(transaction, set);
    const counters = await judge(transaction, set, { campaignIds, experimentIds });
    const locked = await inBatches(experimentIds, (ids) =>
      campaigns.listRunsOfExperiments(transaction, ids, dialect),
    );
    refuseActiveRuns(set.subject, locked.flat());
    for (const campaignId of campaignIds)
      await deleteCampaignRows({ kysely: transaction }, campaignId);
    const rows = await inBatches(experimentIds, (ids) => deleteExperimentRows(transaction, ids));
    return { ...counters, ...addedUp(noRows, rows), runs: locked.flat() };
  });
  const runIds = runs.map(({ runId }) => runId);
  const { removed, failures } = artifactsDirectory
    ? await removeArtifactDirectories(artifactsDirectory, runIds)
    : { removed: 0, failures: [] };
  logFailures(logger, failures, 'removed');
  return { deleted: true, ...deleted, artifactDirectoriesDeleted: removed };
}

/** What {@link deleteCampaignSet} would remove now, and whether it may. What the set's `notFound` says. */
export async function previewCampaignSet(
  { database, logger, artifactsDirectory }: DeletionTools,
  set: CampaignSet,
) {
  const { kysely } = database;
  const contents = await contentsOf(kysely, set);
  const { counters, active } = await stateOf(kysely, set, contents);
  const found = await inBatches(contents.experimentIds, (ids) =>
    campaigns.listRunsOfExperiments(kysely, ids),
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
  const { rows, lockSeconds } = await estimate(database, contents.experimentIds);
  return {
    deletable: runningRuns === 0 && active === undefined,
    runningRuns,
    ...(await describeLock(database, lockSeconds)),
    ...counters,
    ...rows,
    artifactDirectoriesDeleted: directories.length,
  };
}

/** The rows of the campaigns themselves; throws unless they may be deleted. */
async function judge(kysely: Kysely, set: CampaignSet, contents: Contents) {
  const { counters, active } = await stateOf(kysely, set, contents);
  if (active === undefined) return counters;
  throw new ProblemError(
    'RUNS_ACTIVE',
    `${set.subject} cannot be deleted while it is RUNNING and adds trials: its last activity was at ${active}`,
  );
}

/** How many rows of their own the campaigns have, and when one of them that is still RUNNING was active last. */
async function stateOf(kysely: Kysely, set: CampaignSet, contents: Contents) {
  const { campaignIds, experimentIds } = contents;
  const present: campaigns.DeletableCampaign[] = [];
  for (const campaignId of campaignIds) {
    const campaign = await campaigns.findDeletableCampaign(kysely, campaignId);
    if (campaign) present.push(campaign);
  }
  if (present.length + experimentIds.length === 0) throw set.notFound();
  const counters = {
    campaignsDeleted: present.length,
    experimentsDeleted: experimentIds.length,
    ...addedUp(noCampaignRows, present),
  };
  return { counters, active: present.map(recentActivity).find((time) => time !== undefined) };
}

function recentActivity(campaign: campaigns.DeletableCampaign): string | undefined {
  const lastActivityAt = campaign.newestTrialAt ?? campaign.startedAt ?? '';
  const isRecent = Date.now() - Date.parse(lastActivityAt) < silentMillis;
  return isRunning(campaign) && isRecent ? lastActivityAt : undefined;
}

async function estimate(database: Database, experimentIds: readonly string[]) {
  const parts = await inBatches(experimentIds, (ids) => estimateLock(database, ids));
  return {
    rows: addedUp(
      noRows,
      parts.map(({ rows }) => rows),
    ),
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

const noCampaignRows = { trialsDeleted: 0, optimizersDeleted: 0, aggregatesDeleted: 0 };

const noRows: ExperimentRows = {
  runsDeleted: 0,
  runObjectivesDeleted: 0,
  iterationsDeleted: 0,
  checkpointsDeleted: 0,
  eventsDeleted: 0,
  controlRequestsDeleted: 0,
  paramsDeleted: 0,
};

/** The numbers of `nothing`, each added up over the parts. */
function addedUp<Counts extends object>(nothing: Counts, parts: readonly Counts[]): Counts {
  const keys = Object.keys(nothing) as (keyof Counts)[];
  const sums = keys.map((key) => [key, parts.reduce((sum, part) => sum + Number(part[key]), 0)]);
  return Object.fromEntries(sums) as Counts;
}
