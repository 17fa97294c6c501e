import type { Database } from '#server/db/database.ts';
import type { RowCounts } from '#server/db/dialect.ts';
import type { RunTrace } from '#server/domain/trace.ts';
import { estimateDeletion, type DeletedIds } from '#server/repositories/deletion.ts';
import {
  listConfigs,
  listImportedCampaigns,
  listImportedExperiments,
  listChangingCampaigns,
  listImportedRuns,
  listRunIdPrefixes,
  listImportMarks,
  listTrialsOfRuns,
} from '#server/repositories/data-sets.ts';
import { describeWritingRunner, isLockTooLong } from '#server/records/liveness.ts';
import { createClock } from '#server/recording/recorder.ts';
import { isRunning } from '#shared/words.ts';
import {
  type Comparison,
  compareWithStoredRuns,
  refuseForeignRows,
  formatIds,
  listChangedTargets,
  listRunsWithoutTrials,
  shareTargets,
  type StoredTrial,
} from './compare.ts';
import { type DataSet, type Experiment, readStoredExperiments } from './data-set.ts';
import { type ImportNote, NoteBook } from './notes.ts';
import {
  getDataSetName,
  noteDirections,
  type PreviousImport,
  type ImportOptions,
  type ImportProgress,
  readDataSet,
} from './read-data-set.ts';
import { ImportRefusal } from './refusal.ts';
import type { ImportSource } from './source/read-source.ts';
import { countRows } from './run-groups.ts';
import { makeReferences, makeRunDeletion, writeDataSet } from './write.ts';

/** The result of an import. */
export interface ImportResult {
  dataset: string;
  campaigns: {
    /** Id of the campaign; null, like `suite`, for data of an unknown suite without a stored campaign. */
    campaignId: string | null;
    suite: string | null;
    optimizers: number;
    experiments: number;
    runs: number;
    iterations: number;
  }[];
  /** Algorithms by their names in the source, with their names in the database. */
  algorithms: { source: string; name: string }[];
  /**
   * Number of runs that the database already contained with the same or further rows. After a watch: number of runs of
   * the data set that the database contained before the watch, with any rows.
   */
  skipped: number;
  /** Number of stored runs that the import overwrites, see {@link Comparison}; 0 after a watch. */
  extended: number;
  notes: ImportNote[];
}

/**
 * Imports a folder, archive or table into the database as one data set, in one transaction. Writes a campaign for each
 * known suite of each family of formats, with its optimizers, experiments, runs and trials. For other data, writes only
 * experiments with runs, unless the database has their campaign. A second import of the same data with the same options
 * changes nothing, unless the options require replacement or references. Overwrites the `extendedIds` and deletes the
 * `supersededIds` of the {@link Comparison}. Completes campaigns of an interrupted watch.
 *
 * Rejects with {@link ImportRefusal}, and then changes nothing:
 * - the errors of {@link readDataSet}, such as FORMAT_UNKNOWN
 * - IMPORT_CONFLICT: the data set has other values in the database; without `options.name` and `options.dryRun`,
 *   another data set has the same content; the database has rows with the same ids that no import of this name wrote
 *   or, with `options.asReference`, references that no import wrote
 * - CHANGED_MEANWHILE: another import changed the runs meanwhile
 * - RUNS_ACTIVE: runs to change or to delete are RUNNING
 * - RUNNER_WRITING: without `options.force`, an active runner would wait too long, or has waited too long, for the
 *   write lock
 * - READ_ONLY: the database is read-only, without `options.dryRun`
 * - CANCELLED: `signal` is aborted
 *
 * Also rejects with the errors of the system and of the database.
 */
export async function importDataSets(
  database: Database,
  source: ImportSource,
  options: ImportOptions = {},
  onProgress: (progress: ImportProgress) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ImportResult> {
  if (database.isReadOnly && !options.dryRun)
    throw new ImportRefusal(
      'READ_ONLY',
      `${database.name} is read-only, so the import wrote nothing. Choose another database`,
    );
  try {
    const previousImport = await findPreviousImport(database, getDataSetName(source, options));
    const dataSet = await readDataSet(source, options, onProgress, signal, previousImport);
    const comparison = await compare(database, dataSet, previousImport, options);
    const { newIds, extendedIds, supersededIds } = comparison;
    const hasChanges = newIds.size + extendedIds.size + supersededIds.length > 0;
    if (
      !options.dryRun &&
      (hasChanges ||
        options.replace ||
        options.asReference ||
        (await hasUnfinishedCampaign(database, dataSet, comparison)))
    )
      await write(database, dataSet, comparison, options, onProgress, signal);
    return makeResult(dataSet, comparison);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw makeCancelledError();
  }
}

/**
 * Returns whether a campaign of the data set is RUNNING or lacks trials although no stored run of the data set is
 * RUNNING, as after an interrupted watch.
 */
async function hasUnfinishedCampaign(
  database: Database,
  dataSet: DataSet,
  comparison: Comparison,
): Promise<boolean> {
  const { storedRuns } = comparison;
  if (storedRuns.some(isRunning)) return false;
  const campaigns = await listChangingCampaigns(database, dataSet.name);
  const runningIds = new Set(campaigns.filter(isRunning).map((row) => row.campaign_id));
  const trials = await listTrialsOfRuns(database, storedRuns);
  return dataSet.campaigns.some(
    (campaign) =>
      runningIds.has(campaign.campaignId ?? '') ||
      listRunsWithoutTrials(campaign, comparison, trials).size > 0,
  );
}

/** Returns the error of a cancelled import. */
export function makeCancelledError(): ImportRefusal {
  return new ImportRefusal('CANCELLED', 'The import was cancelled and changed nothing');
}

/**
 * Returns the results of previous imports of the data set of this name. If no experiment belongs only to this data set,
 * for example after its deletion, all results except `campaigns` are empty or false.
 */
export async function findPreviousImport(
  database: Database,
  name: string,
): Promise<PreviousImport> {
  const prefixes = await listRunIdPrefixes(database, name);
  const marks =
    prefixes.size > 0
      ? (await listImportMarks(database)).filter((mark) => mark.dataSet === name)
      : [];
  return {
    // The newest mark is the first. In reverse order, newer names replace older ones.
    names: new Map(
      marks.toReversed().flatMap(({ algorithms }) => Object.entries(algorithms ?? {})),
    ),
    hasUnknownNames: marks.some(({ algorithms }) => algorithms === null),
    campaigns: new Set(await listImportedCampaigns(database, name)),
    prefixes,
    experiments: readStoredExperiments(await listConfigs(database, [...prefixes.keys()])),
    digests: new Set(marks.map(({ sha256 }) => sha256)),
  };
}

async function compare(
  database: Database,
  dataSet: DataSet,
  previousImport: PreviousImport,
  options: ImportOptions,
): Promise<Comparison> {
  const storedRuns = await listImportedRuns(database, dataSet.name);
  const comparison = options.replace
    ? makeFullComparison(dataSet, storedRuns)
    : await compareWithStoredRuns(database, dataSet, storedRuns);
  const { experiments } = previousImport;
  const comparedRuns = options.replace ? [] : storedRuns;
  noteDirections(dataSet, comparedRuns, experiments, comparison.unchangedIds);
  await noteSameContent(database, dataSet, options);
  await refuseForeignRows(
    database,
    dataSet,
    comparison.newIds,
    storedRuns,
    options.asReference ?? false,
  );
  const { conflictingIds } = comparison;
  if (conflictingIds.length === 0) return comparison;
  throw new ImportRefusal(
    'IMPORT_CONFLICT',
    `"${dataSet.name}" exists with other values (${formatIds(conflictingIds)}): replace it, or give another name`,
    dataSet.notes,
  );
}

function makeFullComparison(
  { campaigns }: DataSet,
  storedRuns: Comparison['storedRuns'],
): Comparison {
  const runs = campaigns.flatMap(({ experiments }) =>
    experiments.flatMap((experiment) => experiment.runs),
  );
  return {
    storedRuns,
    newIds: new Set(runs.map(({ runId }) => runId)),
    extendedIds: new Set(),
    unchangedIds: new Set(),
    conflictingIds: [],
    supersededIds: [],
  };
}

/**
 * Throws IMPORT_CONFLICT if a stored data set of another name has the same content. With `options.name` or
 * `options.dryRun`, adds a note instead.
 */
async function noteSameContent(
  database: Database,
  { name, sha256, notes }: DataSet,
  options: ImportOptions,
): Promise<void> {
  const marks = (await listImportMarks(database)).filter((mark) => mark.sha256 === sha256);
  for (const { dataSet: storedName } of marks) {
    if (storedName === name || !(await listImportedExperiments(database, storedName)).length)
      continue;
    if (options.name === undefined && !options.dryRun)
      throw new ImportRefusal(
        'IMPORT_CONFLICT',
        `The data set "${storedName}" already has the same content: give a name to import it again`,
        notes,
      );
    const noteBook = new NoteBook();
    noteBook.add('SAME_CONTENT', { detail: storedName });
    notes.push(...noteBook.list());
    return;
  }
}

async function write(
  database: Database,
  dataSet: DataSet,
  comparison: Comparison,
  options: ImportOptions,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const changedIds = new Set([...comparison.newIds, ...comparison.extendedIds]);
  const runs = dataSet.campaigns
    .flatMap(({ experiments }) => experiments.flatMap((experiment) => experiment.runs))
    .filter(({ runId }) => changedIds.has(runId));
  const totals = {
    phase: 'writing' as const,
    bytes: dataSet.bytes,
    totalBytes: dataSet.bytes,
    totalRuns: runs.length,
    totalRows: countIterations(runs),
  };
  const storedTrials = options.replace
    ? []
    : await listTrialsOfRuns(database, comparison.storedRuns);
  const maximumLockMillis = options.force
    ? Infinity
    : await getMaximumLockMillis(database, dataSet, comparison, storedTrials, options);
  const progress = { runs: 0, rows: 0 };
  onProgress({ ...totals, ...progress });
  const onWritten = (runCount: number, rowCount: number) => {
    progress.runs += runCount;
    progress.rows += rowCount;
    onProgress({ ...totals, ...progress });
  };
  await writeDataSet(database, {
    dataSet,
    comparison,
    storedTrials,
    isReplacement: options.replace ?? false,
    isReference: options.asReference ?? false,
    now: createClock()(),
    maximumLockMillis,
    onWritten,
    signal,
  });
}

/**
 * Maximum time of the write lock while a runner is writing, in milliseconds. A runner fails after a wait of 5 to 10 s.
 */
const runnerLockMillis = 3_000;

/**
 * Returns the maximum time of the write lock of the import while a runner is writing, in milliseconds; Infinity if the
 * lock blocks no runner. Throws RUNNER_WRITING if a runner is writing and would wait too long. Estimates the wait from
 * the rows to write and to delete, and from the number of stored runs.
 */
async function getMaximumLockMillis(
  database: Database,
  dataSet: DataSet,
  comparison: Comparison,
  storedTrials: readonly StoredTrial[],
  { replace, asReference: isReference = false }: ImportOptions,
): Promise<number> {
  const { dialect } = database;
  const lockSeconds =
    dialect.estimateWritingLockSeconds(
      countRowsToWrite(dataSet, comparison, storedTrials, isReference),
      comparison.storedRuns.length,
    ) +
    (await estimateDeletingSeconds(database, makeRunDeletion(comparison.supersededIds), [])) +
    (replace ? await estimateReplacingSeconds(database, dataSet.name) : 0);
  if (lockSeconds === 0) return Infinity;
  if (!(await isLockTooLong(database, lockSeconds))) return runnerLockMillis;
  throw new ImportRefusal(
    'RUNNER_WRITING',
    describeWritingRunner(
      `importing "${dataSet.name}"`,
      lockSeconds,
      'import with force=true (--force)',
    ),
    dataSet.notes,
  );
}

/** Estimates the number of rows of each table that {@link writeDataSet} writes. */
function countRowsToWrite(
  dataSet: DataSet,
  { newIds, extendedIds }: Comparison,
  storedTrials: readonly StoredTrial[],
  isReference: boolean,
): RowCounts {
  const { campaigns } = dataSet;
  const experiments = campaigns.flatMap((campaign) =>
    campaign.experiments.map((experiment) => ({
      ...experiment,
      hasTrials: campaign.campaignId !== null,
      changedRuns: experiment.runs.filter(
        ({ runId }) => newIds.has(runId) || extendedIds.has(runId),
      ),
    })),
  );
  const changedExperiments = experiments.filter((experiment) => experiment.changedRuns.length > 0);
  const addUp = (getCount: (experiment: (typeof changedExperiments)[number]) => number) =>
    changedExperiments.reduce((sum, experiment) => sum + getCount(experiment), 0);
  const outdatedTrialCount = campaigns
    .flatMap((campaign) => {
      const trials = storedTrials.filter((trial) => trial.campaign_id === campaign.campaignId);
      return listChangedTargets(shareTargets(campaign.experiments, trials), trials);
    })
    .reduce((sum, { runIds }) => sum + runIds.length, 0);
  const trialCount = addUp(({ hasTrials, changedRuns: { length } }) => (hasTrials ? length : 0));
  const runCount = addUp((experiment) => experiment.changedRuns.length);
  const campaignsWithId = campaigns.filter(({ campaignId }) => campaignId !== null);
  const optimizerCounts = campaignsWithId.map((campaign) => countOptimizers(campaign.experiments));
  const references = isReference
    ? campaigns.flatMap((campaign) =>
        campaign.suite === null
          ? []
          : makeReferences(campaign.suite, campaign.experiments, dataSet, ''),
      )
    : [];
  return new Map([
    ['experiments', changedExperiments.length],
    ['experiment_params', addUp(({ record }) => record.params.length)],
    // The import writes an extended run and then changes it.
    ['runs', runCount + extendedIds.size],
    ['run_objectives', runCount],
    ['iterations', addUp((experiment) => countIterations(experiment.changedRuns))],
    ['coco_trials', trialCount + outdatedTrialCount],
    ['coco_campaigns', campaignsWithId.length],
    ['coco_optimizer_configs', optimizerCounts.reduce((sum, count) => sum + count, 0)],
    ['coco_reference_results', references.reduce((sum, { rows }) => sum + rows.length, 0)],
    ['events', 1],
  ]);
}

function countOptimizers(experiments: readonly Experiment[]): number {
  return new Set(experiments.map(({ group }) => group.algorithm)).size;
}

function countIterations(runs: readonly { trace: RunTrace }[]): number {
  return runs.reduce((sum, { trace }) => sum + countRows(trace), 0);
}

async function estimateReplacingSeconds(database: Database, name: string): Promise<number> {
  const ids = {
    campaignIds: await listImportedCampaigns(database, name),
    experimentIds: await listImportedExperiments(database, name),
  };
  const runs = await listImportedRuns(database, name);
  const runIds = runs.map(({ runId }) => runId);
  return estimateDeletingSeconds(database, ids, runIds);
}

async function estimateDeletingSeconds(
  database: Database,
  ids: DeletedIds,
  runsOfExperiments: readonly string[],
): Promise<number> {
  return (await estimateDeletion(database, ids, runsOfExperiments)).lockSeconds;
}

/** Returns the result of an import or a watch of a data set. */
export function makeResult(
  { name, campaigns, names, notes }: DataSet,
  comparison: Pick<Comparison, 'unchangedIds' | 'extendedIds'>,
): ImportResult {
  const campaignsById = Map.groupBy(campaigns, ({ campaignId }) => campaignId);
  return {
    dataset: name,
    campaigns: [...campaignsById].map(([campaignId, members]) => {
      const experiments = members.flatMap((campaign) => campaign.experiments);
      const runs = experiments.flatMap((experiment) => experiment.runs);
      const suite = members[0]?.suite ?? null;
      return {
        campaignId,
        suite,
        optimizers: countOptimizers(experiments),
        experiments: experiments.length,
        runs: runs.length,
        iterations: countIterations(runs),
      };
    }),
    algorithms: [...names].map(([source, algorithm]) => ({ source, name: algorithm })),
    skipped: comparison.unchangedIds.size,
    extended: comparison.extendedIds.size,
    notes,
  };
}
