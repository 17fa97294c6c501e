import type { Database } from '#server/db/database.ts';
import type { DatabaseDialect } from '#server/db/dialect.ts';
import { ProblemError, requireWritable, shortened } from '#server/errors.ts';
import type { Log } from '#server/logger.ts';
import { inBatches } from '#server/db/batches.ts';
import {
  listDeletableCampaigns,
  lockCampaigns,
  type DeletableCampaign,
} from '#server/repositories/campaign-deletion.ts';
import {
  countExperimentRows,
  deleteExperimentRows,
  estimateJsonBytes,
  type ExperimentRows,
} from '#server/repositories/deletion.ts';
import { deleteCampaign } from '#server/repositories/imported.ts';
import {
  listPresentExperiments,
  listRunStates,
  type RunState,
} from '#server/repositories/locks.ts';
import { isRunning } from '#shared/words.ts';
import {
  findArtifactDirectories,
  removeArtifactDirectories,
  type ArtifactFailure,
} from './artifact-directories.ts';
import { runnerWritingMessage, wouldStarveRunner } from './long-writes.ts';

/** What deleting needs besides the database. */
export interface DeletionTools {
  database: Database;
  logger: Log;
  /** Root of the runner's artifacts; undefined where none is known: then no directory is touched. */
  artifactsDirectory?: string | undefined;
}

/** A RUNNING campaign that has added no trial for so long has lost its runner. */
const silentMillis = 600_000;

/** Experiments that are dealt with by one statement. */
const batchSize = 1_000;

type Kysely = Database['kysely'];

/** Campaigns and experiments that go together. */
export interface DeletionSet {
  id: string;
  /** What messages call it: `Campaign "x"`. */
  subject: string;
  /** Ids of its campaigns, whether they are there or not. */
  listCampaigns: (kysely: Kysely) => Promise<readonly string[]>;
  /** Ids of the experiments that are its alone, whether they are there or not. */
  listExperiments: (kysely: Kysely, campaignIds: readonly string[]) => Promise<readonly string[]>;
  notFound: () => ProblemError;
}

/** What is there of a set. */
interface Contents {
  campaigns: readonly DeletableCampaign[];
  experimentIds: readonly string[];
  runs: readonly RunState[];
}

/** Locked until the transaction ends where `dialect` is given, so that nothing starts, ends or joins meanwhile. */
async function contentsOf(
  kysely: Kysely,
  set: DeletionSet,
  dialect?: DatabaseDialect,
): Promise<Contents> {
  const campaignIds = await set.listCampaigns(kysely);
  if (dialect) await lockCampaigns(kysely, dialect, campaignIds);
  const campaigns = await listDeletableCampaigns(kysely, campaignIds);
  const named = await set.listExperiments(
    kysely,
    campaigns.map(({ campaignId }) => campaignId),
  );
  const experimentIds = await inBatches(named, batchSize, (ids) =>
    listPresentExperiments(kysely, ids, dialect),
  );
  if (campaigns.length + experimentIds.length === 0) throw set.notFound();
  const runs = await inBatches(experimentIds, batchSize, (ids) =>
    listRunStates(kysely, ids, dialect),
  );
  return { campaigns, experimentIds, runs };
}

/**
 * Deletes campaigns with their optimizers, trials and aggregates, and experiments with all that their runs wrote, in
 * one transaction that also judges whether it may; then, best effort, the artifact directories of the runs. References
 * stay, as they are the suite's. What the set's `notFound` says; RUNS_ACTIVE, naming them, while runs are RUNNING, or
 * while a campaign has lately added trials; RUNNER_WRITING, unless forced, where it would keep a runner waiting too
 * long; READ_ONLY.
 */
export async function deleteSet(
  { database, logger, artifactsDirectory }: DeletionTools,
  set: DeletionSet,
  force: boolean,
) {
  const { dialect, readOnly } = database;
  requireWritable(readOnly);
  if (!force) await refuseLongLock(database, set);
  const { contents, rows } = await dialect.withWriteTransaction(async (transaction) => {
    const locked = await contentsOf(transaction, set, dialect);
    refuseActive(set, locked);
    for (const { campaignId } of locked.campaigns) {
      await deleteCampaign({ kysely: transaction }, campaignId);
    }
    const deleted = await inBatches(locked.experimentIds, batchSize, async (ids) => [
      await deleteExperimentRows(transaction, ids),
    ]);
    return { contents: locked, rows: addedUp(noRows, deleted) };
  });
  const runIds = contents.runs.map(({ runId }) => runId);
  const { removed, failures } = artifactsDirectory
    ? await removeArtifactDirectories(artifactsDirectory, runIds)
    : { removed: 0, failures: [] };
  logFailures(logger, failures, 'removed');
  return { deleted: true, ...countersOf(contents), ...rows, artifactDirectoriesDeleted: removed };
}

/** What {@link deleteSet} would remove now, and whether it may. What the set's `notFound` says. */
export async function previewSet(
  { database, logger, artifactsDirectory }: DeletionTools,
  set: DeletionSet,
) {
  const contents = await contentsOf(database.kysely, set);
  const runIds = contents.runs.map(({ runId }) => runId);
  const { directories, failures } = artifactsDirectory
    ? await findArtifactDirectories(artifactsDirectory, runIds)
    : { directories: [], failures: [] };
  logFailures(logger, failures, 'read');
  const runningRuns = contents.runs.filter(isRunning).length;
  const { rows, lockSeconds } = await estimate(database, contents);
  return {
    deletable: runningRuns === 0 && activityIn(contents) === undefined,
    runningRuns,
    // An estimate, so to tenths of a second.
    lockSeconds: Math.round(lockSeconds * 10) / 10,
    needsForce: await wouldStarveRunner(database, lockSeconds),
    ...countersOf(contents),
    ...rows,
    artifactDirectoriesDeleted: directories.length,
  };
}

/** Refuses a deletion whose lock would keep a runner that is writing waiting too long. RUNNER_WRITING. */
async function refuseLongLock(database: Database, set: DeletionSet): Promise<void> {
  const { lockSeconds } = await estimate(database, await contentsOf(database.kysely, set));
  if (!(await wouldStarveRunner(database, lockSeconds))) return;
  throw new ProblemError(
    'RUNNER_WRITING',
    runnerWritingMessage(`deleting "${shortened(set.id)}"`, lockSeconds, 'delete with force=true'),
  );
}

/** Throws RUNS_ACTIVE, naming what is, while anything in the set is active. */
function refuseActive({ subject }: DeletionSet, contents: Contents): void {
  const lastActivity = activityIn(contents);
  if (lastActivity !== undefined) {
    throw new ProblemError(
      'RUNS_ACTIVE',
      `${subject} cannot be deleted while it is RUNNING and adds trials: its last activity was at ${lastActivity}`,
    );
  }
  const active = contents.runs.filter(isRunning).map(({ runId }) => runId);
  if (active.length === 0) return;
  const named = active.slice(0, 5).map((runId) => `"${shortened(runId)}"`);
  const others = active.length > 5 ? ` and ${active.length - 5} more` : '';
  throw new ProblemError(
    'RUNS_ACTIVE',
    `${subject} cannot be deleted while ${named.join(', ')}${others} ` +
      `${active.length === 1 ? 'is' : 'are'} RUNNING: stop first`,
  );
}

/** When a campaign that is still RUNNING was active, if that was lately. */
function activityIn({ campaigns }: Contents): string | undefined {
  const running = campaigns.filter(isRunning);
  const times = running.map(({ newestTrialAt, startedAt }) => newestTrialAt ?? startedAt ?? '');
  return times.find((time) => Date.now() - Date.parse(time) < silentMillis);
}

/** How many experiments, campaigns and rows of these there are. */
function countersOf({ campaigns, experimentIds }: Contents) {
  return {
    campaignsDeleted: campaigns.length,
    experimentsDeleted: experimentIds.length,
    ...addedUp({ trialsDeleted: 0, optimizersDeleted: 0, aggregatesDeleted: 0 }, campaigns),
  };
}

/** What deleting the experiments removes, and for how long it keeps others from writing. */
async function estimate({ kysely, dialect }: Database, { experimentIds }: Contents) {
  const parts = await inBatches(experimentIds, batchSize, async (ids) => {
    const rows = await countExperimentRows(kysely, ids);
    const rowCount = Object.values(rows).reduce((sum, count) => sum + count, 0);
    const bytes = await estimateJsonBytes(kysely, ids, rows);
    return [{ rows, lockSeconds: dialect.deletionLockSeconds(rowCount, bytes) }];
  });
  const rows = addedUp(
    noRows,
    parts.map((part) => part.rows),
  );
  return { rows, lockSeconds: parts.reduce((sum, part) => sum + part.lockSeconds, 0) };
}

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
function addedUp<Counts extends object>(
  nothing: Counts,
  parts: readonly NoInfer<Counts>[],
): Counts {
  const keys = Object.keys(nothing) as (keyof Counts)[];
  const sums = keys.map((key) => [key, parts.reduce((sum, part) => sum + Number(part[key]), 0)]);
  return Object.fromEntries(sums) as Counts;
}

function logFailures(logger: Log, failures: readonly ArtifactFailure[], undone: string): void {
  for (const failure of failures) {
    logger.warn(failure, `an artifact directory could not be ${undone}`);
  }
}
