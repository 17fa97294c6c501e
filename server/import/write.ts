import type { Campaign, DataSet, Experiment } from './data-set.ts';
import type { Database } from '#server/db/database.ts';
import type {
  NewIteration,
  OptimizerReferences,
  NewObjective,
  NewRun,
  NewTrial,
} from '#server/repositories/recording.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import { ImportRefusal } from './refusal.ts';
import {
  formatConfigYaml,
  record,
  type NewEvent,
  type Recorder,
  type Instant,
  formatInstant,
} from '#server/recording/recorder.ts';
import { countRows, getRows } from './run-groups.ts';
import { deleteEmptyExperiments, deleteRows } from '#server/repositories/deletion.ts';
import { computeExpectedRuntime, computeSuccessRate } from '#server/stats/runtime.ts';
import { getFirstHit } from '#server/domain/trace.ts';
import { isRunnerWriting } from '#server/records/liveness.ts';
import { isFault, retainFaults, type StoredStatus, summariseNotes } from './notes.ts';
import {
  deleteImportedRuns,
  listChangingCampaigns,
  listImportedCampaigns,
  listImportedExperiments,
  listImportedRuns,
  listTrialsOfRuns,
  lockDataSet,
  getMarkKey,
  type StoredRun,
} from '#server/repositories/data-sets.ts';
import {
  listChangedTargets,
  listRunsWithoutTrials,
  shareTargets,
  type StoredTrial,
  TrialRepetitions,
  type Comparison,
  hasSameRuns,
  refuseChangedRuns,
  refuseForeignRows,
  refuseRunningRuns,
  getStatus,
} from './compare.ts';

/** A data set to write, with its options. */
export interface WriteJob {
  dataSet: DataSet;
  comparison: Comparison;
  /** The trials of the stored runs, read before the write lock because there may be many; empty for a replacement. */
  storedTrials: readonly StoredTrial[];
  /** Whether to first delete the stored campaigns, experiments and runs of the data set. */
  isReplacement: boolean;
  /** Whether to also write its expected runtimes as reference results. */
  isReference: boolean;
  now: Instant;
  /** Longest time to hold the write lock while a runner is writing, in milliseconds; Infinity for no limit. */
  maximumLockMillis: number;
  /** Receives the numbers of written runs and rows after each experiment with new or extended runs. */
  onWritten: (runCount: number, rowCount: number) => void;
  signal: AbortSignal;
}

type LockTimer = ReturnType<typeof startLockTimer>;

/**
 * Writes the new and extended runs of a data set, and missing trials of unchanged runs. First deletes superseded runs
 * or, for a replacement, the stored data set. Uses one transaction, so it changes nothing if it fails. Throws
 * {@link ImportRefusal}:
 * - RUNS_ACTIVE: a run to change or to delete is RUNNING; see {@link refuseRunningRuns}
 * - IMPORT_CONFLICT: the import would overwrite rows that no import of this name wrote; see {@link refuseForeignRows}
 * - CHANGED_MEANWHILE: another import has changed a run to write or to delete; never for a replacement
 * - RUNNER_WRITING: the lock lasts longer than `job.maximumLockMillis` while a runner is writing
 *
 * Throws the reason of `job.signal` if it is aborted while this function writes runs, and the errors of {@link record}.
 */
export async function writeDataSet(database: Database, job: WriteJob): Promise<void> {
  const { dataSet, comparison } = job;
  await record(database, async (recorder, transaction) => {
    const timer = startLockTimer(transaction, job);
    await lockDataSet(transaction, dataSet.name);
    const existingRuns = await listImportedRuns(transaction, dataSet.name);
    const runsToChange = listRunsToChange(existingRuns, job);
    await refuseRunningRuns(transaction, dataSet, runsToChange);
    if (job.isReplacement) await deleteDataSet(transaction, dataSet.name, existingRuns);
    else refuseChangedRuns(dataSet, comparison, existingRuns);
    await deleteImportedRuns(transaction, dataSet.name, comparison.supersededIds);
    await refuseForeignRows(transaction, dataSet, comparison.newIds, existingRuns, job.isReference);
    await transaction.dialect.expectGrowth(transaction.kysely);
    const storedTrials = await readStoredTrials(transaction, job, existingRuns);
    const repetitions = new TrialRepetitions(storedTrials);
    const storedCampaigns = await listChangingCampaigns(transaction, dataSet.name);
    for (const campaign of dataSet.campaigns) {
      const isInCampaign = (row: { campaign_id: string }) =>
        row.campaign_id === campaign.campaignId;
      const storedParts = {
        campaign: storedCampaigns.find(isInCampaign),
        trials: storedTrials.filter(isInCampaign),
        repetitions,
      };
      await writeCampaign(recorder, campaign, storedParts, job, timer);
    }
    await deleteUnplannedExperiments(transaction, dataSet, runsToChange);
    await recorder.writeEvents([makeImportedEvent(dataSet, countRuns(comparison), job.now)]);
    await timer.check();
  });
}

/**
 * Returns the trials of the stored runs that remain; none for a replacement. Reads the trials again only if another
 * client has added, changed or deleted a run of the data set since the comparison.
 */
async function readStoredTrials(
  transaction: Database,
  { comparison: { storedRuns, supersededIds }, storedTrials, isReplacement }: WriteJob,
  existingRuns: readonly StoredRun[],
): Promise<readonly StoredTrial[]> {
  if (isReplacement) return [];
  const deletedIds = new Set(supersededIds);
  const trials = hasSameRuns(existingRuns, storedRuns)
    ? storedTrials
    : await listTrialsOfRuns(transaction, existingRuns);
  return trials.filter((trial) => !deletedIds.has(trial.run_id));
}

/** Starts a timer of the write lock. */
function startLockTimer(
  transaction: Database,
  { dataSet: { name, notes }, maximumLockMillis }: WriteJob,
) {
  let end = performance.now() + maximumLockMillis;
  return {
    /** Inspects the runners at most once in `maximumLockMillis`, and rejects with RUNNER_WRITING if one is writing. */
    check: async () => {
      if (performance.now() < end) return;
      end = performance.now() + maximumLockMillis;
      if (!(await isRunnerWriting(transaction))) return;
      throw new ImportRefusal(
        'RUNNER_WRITING',
        `A runner is writing, and importing "${name}" blocked it for longer than estimated, so the import changed nothing. ` +
          'Wait until it has ended, or import with force=true (--force)',
        notes,
      );
    },
  };
}

/** Returns the stored runs to delete or to change. */
function listRunsToChange(
  existingRuns: readonly StoredRun[],
  { comparison: { extendedIds, supersededIds }, isReplacement }: WriteJob,
): StoredRun[] {
  const changedIds = new Set([...extendedIds, ...supersededIds]);
  return existingRuns.filter(({ runId }) => isReplacement || changedIds.has(runId));
}

/**
 * Deletes the experiments, runs and campaigns that imports of this name have written. Retains campaigns with trials of
 * other runs, and reference results. If a runner also used an experiment, deletes only its imported runs.
 */
async function deleteDataSet(
  transaction: Database,
  name: string,
  existingRuns: readonly StoredRun[],
): Promise<void> {
  const experimentIds = await listImportedExperiments(transaction, name);
  const campaignIds = await listImportedCampaigns(transaction, name);
  await deleteRows(transaction, { campaignIds, experimentIds });
  const deletedIds = new Set(experimentIds);
  const sharedRuns = existingRuns.filter(({ experimentId }) => !deletedIds.has(experimentId));
  await deleteRows(transaction, makeRunDeletion(sharedRuns.map(({ runId }) => runId)));
}

/** Returns the ids for the deletion of these runs only, without their experiments. */
export function makeRunDeletion(runIds: readonly string[]) {
  return { campaignIds: [], experimentIds: [], runIds };
}

/** Deletes the previous experiments of the changed runs, unless the data set contains them or they still have runs. */
async function deleteUnplannedExperiments(
  transaction: Database,
  { campaigns }: DataSet,
  changedRuns: readonly StoredRun[],
): Promise<void> {
  const plannedIds = new Set(
    campaigns.flatMap(({ experiments }) =>
      experiments.map(({ record: { experimentId } }) => experimentId),
    ),
  );
  const unplannedIds = [...new Set(changedRuns.map(({ experimentId }) => experimentId))].filter(
    (experimentId) => !plannedIds.has(experimentId),
  );
  await deleteEmptyExperiments(transaction, unplannedIds);
}

async function writeCampaign(
  recorder: Recorder,
  campaign: Campaign,
  storedParts: {
    campaign: StoredStatus | undefined;
    trials: readonly StoredTrial[];
    repetitions: TrialRepetitions;
  },
  job: WriteJob,
  timer: LockTimer,
): Promise<void> {
  const { campaignId, suite } = campaign;
  const { trials, repetitions } = storedParts;
  const experiments = shareTargets(campaign.experiments, trials);
  const trialsByRun = new Map(trials.map((trial) => [trial.run_id, trial]));
  const idsWithoutTrial = listRunsWithoutTrials(campaign, job.comparison, trials);
  const createdAt = formatInstant(job.now);
  if (campaignId !== null && suite !== null) {
    const row = makeCampaignRow(campaignId, suite, experiments, trials, job);
    const importedIds = new Set(experiments.flatMap(({ runs }) => runs.map(({ runId }) => runId)));
    const isWhole = trials.every(({ run_id }) => importedIds.has(run_id));
    await recorder.writeCampaign(isWhole ? row : retainFaults(row, storedParts.campaign));
    await recorder.writeOptimizers(makeOptimizerRows(campaignId, experiments, job));
    for (const { runIds, target } of listChangedTargets(experiments, trials))
      await recorder.setUnreachedTarget(campaignId, runIds, target);
  }
  for (const experiment of experiments) {
    await writeExperiment(recorder, experiment, job, timer);
    if (campaignId !== null) {
      const runs = [
        ...listChangedRuns(experiment, job),
        ...listRunsWithOldTarget(experiment, trialsByRun, job),
        ...experiment.runs.filter(({ runId }) => idsWithoutTrial.has(runId)),
      ];
      await recorder.writeTrials(
        runs.map((run) => makeTrialRow(campaignId, experiment, run, { repetitions, createdAt })),
      );
    }
  }
  if (job.isReference && suite !== null) {
    for (const references of makeReferences(suite, experiments, job.dataSet, createdAt))
      await recorder.writeReferences(
        job.isReplacement ? { ...references, dimensions: null } : references,
      );
  }
}

/** Returns the row of a campaign with these experiments and stored trials. An unknown dimension is 0. */
export function makeCampaignRow(
  campaignId: string,
  suite: string,
  experiments: readonly Experiment[],
  storedTrials: readonly Pick<StoredTrial, 'function_id' | 'dimension' | 'instance_id'>[],
  { dataSet, now }: Pick<WriteJob, 'dataSet' | 'now'>,
) {
  const time = formatInstant(now);
  const hasFaults = dataSet.notes.some(isFault);
  return {
    campaign_id: campaignId,
    name: dataSet.name,
    suite,
    dimensions_json: formatSortedJson([
      ...experiments.map(({ group }) => group.dimension ?? 0),
      ...storedTrials.map(({ dimension }) => dimension),
    ]),
    instances_json: formatSortedJson([
      ...experiments.flatMap(({ runs }) => runs.map((run) => run.instance)),
      ...storedTrials.map(({ instance_id }) => instance_id),
    ]),
    functions_json: formatSortedJson([
      ...experiments.map(({ functionNumber }) => functionNumber),
      ...storedTrials.map(({ function_id }) => function_id),
    ]),
    status: hasFaults ? 'COMPLETED_WITH_ERRORS' : 'COMPLETED',
    created_at: time,
    started_at: time,
    finished_at: time,
    notes: dataSet.notes.length === 0 ? null : summariseNotes(dataSet.notes),
  };
}

function formatSortedJson(numbers: readonly number[]): string {
  return JSON.stringify([...new Set(numbers)].sort((a, b) => a - b));
}

/** Returns one row for each optimizer of these experiments, with the types of its last experiment. */
export function makeOptimizerRows(
  campaignId: string,
  experiments: readonly Experiment[],
  job: Pick<WriteJob, 'dataSet' | 'now'>,
) {
  const experimentsByName = new Map(
    experiments.map((experiment) => [experiment.group.algorithm, experiment]),
  );
  return [...experimentsByName].map(
    ([
      optimizer,
      {
        group,
        record: { columns },
      },
    ]) => ({
      campaign_id: campaignId,
      optimizer_id: optimizer,
      config_path: `import:${job.dataSet.name}`,
      algorithm_type: columns.algorithm_type,
      model_type: columns.model_type,
      representation_type: columns.representation_type,
      config_yaml: formatConfigYaml({ algorithm: { type: group.algorithm } }),
      created_at: formatInstant(job.now),
    }),
  );
}

function listChangedRuns({ runs }: Experiment, { comparison }: WriteJob): Experiment['runs'] {
  const { newIds, extendedIds } = comparison;
  return runs.filter(({ runId }) => newIds.has(runId) || extendedIds.has(runId));
}

/**
 * Returns the unchanged runs whose stored trials have another target, for example because the data set has a better
 * value now. Omits runs whose stored trials have other evaluations or another best value.
 */
function listRunsWithOldTarget(
  { runs, target }: Experiment,
  trialsByRun: ReadonlyMap<string, StoredTrial>,
  { comparison: { unchangedIds } }: WriteJob,
): Experiment['runs'] {
  return runs.filter((run) => {
    const trial = trialsByRun.get(run.runId);
    return (
      unchangedIds.has(run.runId) &&
      trial?.target_value !== target &&
      Number(trial?.evaluations) === run.trace.usedEvaluations &&
      trial?.best_fitness === run.trace.best.at(-1)
    );
  });
}

/** Maximum number of iterations that an import writes between two checks of the signal and of the lock timer. */
const maximumBatchRows = 3_000;

async function writeExperiment(
  recorder: Recorder,
  experiment: Experiment,
  job: WriteJob,
  timer: LockTimer,
): Promise<void> {
  const runs = listChangedRuns(experiment, job);
  if (runs.length === 0) return;
  // Lets the event loop handle signals and progress reports, because a SQLite transaction never waits.
  await new Promise(setImmediate);
  job.signal.throwIfAborted();
  await timer.check();
  await recorder.writeExperiment(experiment.record, job.now);
  await recorder.writeRuns(runs.map((run) => makeRunRow(experiment, run)));
  for (const run of runs.filter(({ runId }) => job.comparison.extendedIds.has(runId))) {
    const { run_id: runId, start_time: _startTime, ...change } = makeRunRow(experiment, run);
    await recorder.changeRun(runId, change);
  }
  for (const rows of splitIterations(runs)) {
    await recorder.writeIterations(rows);
    await new Promise(setImmediate);
    job.signal.throwIfAborted();
    await timer.check();
  }
  await recorder.writeObjectives(runs.map(makeObjectiveRow));
  job.onWritten(
    runs.length,
    runs.reduce((sum, { trace }) => sum + countRows(trace), 0),
  );
}

/** Yields the iterations of the runs in lists of {@link maximumBatchRows}; the last one may be shorter. */
function* splitIterations(runs: Experiment['runs']): Generator<NewIteration[]> {
  let rows: NewIteration[] = [];
  for (const run of runs) {
    for (const row of makeIterationRows(run)) {
      rows.push(row);
      if (rows.length < maximumBatchRows) continue;
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}

/** Maximum number of notes in the event. */
const maximumEventNotes = 200;

/** Numbers of runs by the action of an import on them. */
interface RunNumbers {
  added: number;
  extended: number;
  skipped: number;
}

function countRuns({ newIds, extendedIds, unchangedIds }: Comparison): RunNumbers {
  return { added: newIds.size, extended: extendedIds.size, skipped: unchangedIds.size };
}

/** Returns the event of an import, with its first 200 notes. Its payload is the mark of the rows of the import. */
export function makeImportedEvent(dataSet: DataSet, numbers: RunNumbers, now: Instant): NewEvent {
  const { name, path, bytes, sha256, campaigns, names, notes } = dataSet;
  return {
    runId: null,
    type: 'imported',
    instant: now,
    members: {
      dataset: name,
      path,
      bytes,
      sha256,
      campaigns: campaigns.flatMap(({ campaignId }) => campaignId ?? []),
      ...numbers,
      notes: notes.slice(0, maximumEventNotes).map((note) => ({ ...note })),
      algorithms: Object.fromEntries(names),
      // Identifies the rows of the data set in later imports and deletions.
      experiments: Object.fromEntries(
        campaigns.flatMap(({ experiments }) =>
          experiments.map((experiment) => [
            getMarkKey(experiment.record.experimentId),
            experiment.runIdPrefix,
          ]),
        ),
      ),
    },
  };
}

/** Usual targets of published expected runtimes, from 10 to 1e-8. */
const targets = [10, 1, 0.1, 1e-3, 1e-5, 1e-7, 1e-8];

/**
 * Returns the expected runtimes of each algorithm of these experiments as reference results; see
 * {@link computeExpectedRuntime}. There is one row for each function, dimension and target that at least one run
 * reached, over the runs of all settings of the algorithm. An unknown dimension is 0. `dimensions` limits the
 * replacement to the functions and dimensions of these experiments, because other parts of the data set may have
 * others.
 */
export function makeReferences(
  suite: string,
  experiments: readonly Experiment[],
  { name, path }: DataSet,
  importedAt: string,
): OptimizerReferences[] {
  const experimentsByOptimizer = Map.groupBy(experiments, ({ group }) => group.algorithm);
  return [...experimentsByOptimizer].map(([optimizer, optimizerExperiments]) => {
    const cells = Map.groupBy(optimizerExperiments, ({ functionNumber, group: { dimension } }) =>
      JSON.stringify([functionNumber, dimension]),
    );
    const rows = [...cells.values()].flatMap(([experiment, ...otherSettings]) => {
      if (!experiment) return [];
      const runs = [experiment, ...otherSettings].flatMap((setting) => setting.runs);
      return targets.flatMap((target) => {
        const outcomes = runs.map(({ trace }) => {
          const hit = getFirstHit(trace, target);
          return {
            isSolved: hit !== null,
            evaluationsToTarget: hit,
            usedEvaluations: trace.usedEvaluations,
          };
        });
        const ert = computeExpectedRuntime(outcomes);
        if (ert === null) return [];
        return {
          suite,
          optimizer_name: optimizer,
          function_id: experiment.functionNumber,
          dimension: experiment.group.dimension ?? 0,
          target_value: target,
          ert,
          success_rate: computeSuccessRate(outcomes),
          source_url: `import:${name} (${path})`,
          imported_at: importedAt,
        };
      });
    });
    const experimentsByFunction = Map.groupBy(
      optimizerExperiments,
      ({ functionNumber }) => functionNumber,
    );
    const dimensions = new Map(
      Array.from(experimentsByFunction, ([functionNumber, experimentsOfFunction]) => [
        functionNumber,
        [...new Set(experimentsOfFunction.map(({ group }) => group.dimension ?? 0))],
      ]),
    );
    return { suite, optimizer, dimensions, rows };
  });
}

type PlannedRun = Experiment['runs'][number];

/** Error message of a STOPPED run, whose end the logger did not write. */
export const missingEndMessage = 'The logger did not write the end of this run';

/**
 * Returns the row of a run. The run starts and ends at the time of its data file, because no other time is known. A
 * RUNNING run has no end.
 */
export function makeRunRow(experiment: Experiment, run: PlannedRun): NewRun {
  const time = getTime(run);
  return {
    run_id: run.runId,
    experiment_id: experiment.record.experimentId,
    seed: run.seed,
    status: getStatus(run),
    start_time: time,
    end_time: run.isRunning ? null : time,
    iterations: countRows(run.trace) - 1,
    evaluations: toExactInteger(run, run.trace.usedEvaluations),
    best_fitness: run.trace.best.at(-1) ?? null,
    error_message: run.isFinalised || run.isRunning ? null : missingEndMessage,
  };
}

/**
 * Returns an iteration for each row of the trace, numbered from 0, or only for the rows from `start` up to `end`,
 * exclusive. There is no population, so the mean is the best value, and the standard deviation is 0.
 */
export function makeIterationRows(run: PlannedRun, start = 0, end = Infinity): NewIteration[] {
  const created_at = getTime(run);
  const { evaluations, values } = getRows(run.trace);
  const length = Math.max(0, Math.min(values.length, end) - start);
  return Array.from({ length }, (_, index) => {
    const iteration = start + index;
    const value = values[iteration] ?? NaN;
    return {
      run_id: run.runId,
      iteration,
      evaluations: toExactInteger(run, evaluations[iteration] ?? 0),
      best_fitness: value,
      mean_fitness: value,
      std_fitness: 0,
      metrics_json: null,
      diagnostics_json: null,
      created_at,
    };
  });
}

/** Returns the best value of a run, with the name that the runner uses; 0 for a run without improvements. */
export function makeObjectiveRow(run: PlannedRun): NewObjective {
  return {
    run_id: run.runId,
    objective_name: 'best_obj_0',
    objective_value: run.trace.best.at(-1) ?? 0,
  };
}

/**
 * Returns the trial of a run, and assigns its repetition in `repetitions`. The budget is the number of used
 * evaluations. An unknown dimension is 0. The trial of a STOPPED run also has the status COMPLETED, because the run
 * used this budget.
 */
export function makeTrialRow(
  campaignId: string,
  experiment: Experiment,
  run: PlannedRun,
  { repetitions, createdAt }: { repetitions: TrialRepetitions; createdAt: string },
) {
  const { group, functionNumber, target } = experiment;
  const hit = getFirstHit(run.trace, target);
  const evaluations = toExactInteger(run, run.trace.usedEvaluations);
  return {
    campaign_id: campaignId,
    optimizer_id: group.algorithm,
    run_id: run.runId,
    function_id: functionNumber,
    instance_id: run.instance,
    dimension: group.dimension ?? 0,
    repetition: repetitions.assign(campaignId, experiment, run),
    budget_evals: evaluations,
    evaluations,
    best_fitness: run.trace.best.at(-1) ?? null,
    runtime_millis: null,
    status: 'COMPLETED',
    reached_target: Number(hit !== null),
    evals_to_target: hit === null ? null : toExactInteger(run, hit),
    target_value: target,
    created_at: createdAt,
  } satisfies NewTrial;
}

/** Latest accepted time: the start of the last day whose year has four digits. */
const lastMillis = Date.UTC(9999, 11, 31);

/** Returns the modification time of the data file; the beginning of 1970 for an earlier, invalid or too late time. */
function getTime({ modifiedAt }: PlannedRun): string {
  const millis = Math.trunc(modifiedAt.getTime());
  const isValidTime = millis >= 0 && millis <= lastMillis;
  return formatInstant(isValidTime ? BigInt(millis) * 1_000_000n : 0n);
}

/** Returns a number of evaluations; above 2^53 − 1, as text with the digits of the data file, or else of the double. */
function toExactInteger({ exactCounts }: PlannedRun, evaluations: number): StoredInteger {
  if (Number.isSafeInteger(evaluations)) return evaluations;
  return exactCounts?.get(evaluations) ?? String(BigInt(evaluations));
}
