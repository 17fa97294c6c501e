import type { Database } from '#server/db/database.ts';
import type { StoredInteger } from '#server/db/schema.ts';
import {
  findFirstDifference,
  getStatus,
  isSuperseded,
  startsWithRows,
  noRows,
  readTraces,
  refuseForeignRows,
  refuseRunningRuns,
  listChangedTargets,
  shareTargets,
  type StoredTrial,
  TrialRepetitions,
} from '#server/import/compare.ts';
import type { Campaign, DataSet, Experiment } from '#server/import/data-set.ts';
import { retainFaults, NoteBook, type StoredStatus } from '#server/import/notes.ts';
import { ImportRefusal } from '#server/import/refusal.ts';
import { getRows, type Rows } from '#server/import/run-groups.ts';
import {
  makeCampaignRow,
  makeImportedEvent,
  makeIterationRows,
  makeObjectiveRow,
  makeOptimizerRows,
  makeTrialRow,
  makeRunRow,
  missingEndMessage,
} from '#server/import/write.ts';
import { batchChanges, type Change, orderChanges } from './changes.ts';
import {
  createClock,
  formatInstant,
  type Instant,
  record,
  type NewEvent,
  type Recorder,
} from '#server/recording/recorder.ts';
import { deleteEmptyExperiments } from '#server/repositories/deletion.ts';
import {
  deleteImportedRuns,
  findImportMark,
  getMarkKey,
  listChangingCampaigns,
  listImportedRuns,
  listImportMarks,
  listPresentIds,
  listTrialsOfRuns,
  lockDataSet,
  type StoredRun,
} from '#server/repositories/data-sets.ts';
import type { NewCampaign, NewTrial } from '#server/repositories/recording.ts';

type PlannedRun = Experiment['runs'][number];

/** A run of the data set as it is in the database. */
interface CurrentRun {
  experimentId: string;
  status: string;
  evaluations: StoredInteger | null;
  rows: Rows;
  /** The block of the data files from which this watch wrote the run; null if only earlier imports wrote it. */
  block: string | null;
}

/** Number of runs that a transaction added, and of rows that it wrote, including rewritten ones. */
export interface WrittenCounts {
  runCount: number;
  rowCount: number;
}

/** The content of a folder to write. */
export interface FolderDataSet {
  dataSet: DataSet;
  /**
   * Returns the block of a run by its origin. Returns a different block for the same origin after a truncation,
   * replacement or deletion of the files.
   */
  getBlock: (origin: string) => string;
}

/** Maximum number of trials in a transaction. */
const trialsPerTransaction = 500;

const readClock = createClock();

/**
 * The data set of a watched folder in the database. Writes only changes, in short transactions. Its event, which is the
 * mark of its rows, contains the id of the watch until {@link WatchedDataSet.end}.
 */
export class WatchedDataSet {
  readonly #database: Database;
  readonly #name: string;
  readonly #watchId: string;
  readonly #runs: Map<string, CurrentRun>;
  readonly #previousIds: ReadonlySet<string>;
  /** The stored campaigns before this watch, by their ids. */
  readonly #previousCampaigns: ReadonlyMap<string, StoredStatus>;
  readonly #experimentIds: Set<string>;
  /** The stored trials by campaign and run, also of runs whose files no longer exist. */
  readonly #trials: Map<string, StoredTrial>;
  readonly #repetitions: TrialRepetitions;
  /** The stored state of trials, campaigns and the mark as text, by run id, campaign id and `mark`. */
  readonly #writtenStates: Map<string, string>;
  /** The blocks of all written runs, also of a deleted run that the watch has not written under its new id yet. */
  readonly #writtenBlocks = new Set<string>();
  /** The rows of the written campaigns, as they are when all their runs have ended. */
  readonly #endedCampaigns = new Map<string, NewCampaign>();
  #eventId: number | null = null;

  private constructor(
    database: Database,
    name: string,
    watchId: string,
    runs: Map<string, CurrentRun>,
    previousTrials: readonly StoredTrial[],
    previousCampaigns: Awaited<ReturnType<typeof listChangingCampaigns>>,
  ) {
    this.#database = database;
    this.#name = name;
    this.#watchId = watchId;
    this.#runs = runs;
    this.#previousIds = new Set(runs.keys());
    this.#experimentIds = new Set([...runs.values()].map(({ experimentId }) => experimentId));
    this.#trials = new Map(previousTrials.map((trial) => [getTrialKey(trial), trial]));
    this.#repetitions = new TrialRepetitions(previousTrials);
    this.#previousCampaigns = new Map(previousCampaigns.map((row) => [row.campaign_id, row]));
    this.#writtenStates = new Map([
      ...previousCampaigns.map((row): [string, string] => [row.campaign_id, describeCampaign(row)]),
      ...previousTrials.map((row): [string, string] => [row.run_id, describeTrial(row)]),
    ]);
  }

  /**
   * Opens the data set of this name, and reads its stored runs, trials and campaigns. `watchId` is a new id for this
   * watch. Rejects with RUNS_ACTIVE like {@link refuseRunningRuns}, for example while another watch writes the runs.
   */
  static async open(database: Database, name: string, watchId: string): Promise<WatchedDataSet> {
    const storedRuns = await listImportedRuns(database, name);
    await refuseRunningRuns(database, { name, notes: [] }, storedRuns);
    const traces = await readTraces(database, storedRuns);
    const runs = storedRuns.map(({ runId, ...run }): [string, CurrentRun] => [
      runId,
      { ...run, rows: traces.get(runId) ?? noRows, block: null },
    ]);
    const trials = await listTrialsOfRuns(database, storedRuns);
    const campaigns = await listChangingCampaigns(database, name);
    return new WatchedDataSet(database, name, watchId, new Map(runs), trials, campaigns);
  }

  /** Returns the number of stored runs, and the number of those that are RUNNING. */
  count(): { runs: number; running: number } {
    const runs = [...this.#runs.values()];
    return { runs: runs.length, running: runs.filter(({ status }) => status === 'RUNNING').length };
  }

  /**
   * Writes the changes since the last call, and calls `onWritten` after each transaction with changed runs. Retains
   * stored runs whose rows come from an earlier import or from other files, if these rows differ or continue further.
   * Adds a note to `dataSet.notes` if some differ. Rejects with {@link ImportRefusal} or the error of the database.
   * Then earlier transactions remain, and the next call continues after them.
   */
  async write(
    { dataSet, getBlock }: FolderDataSet,
    onWritten: (writtenCounts: WrittenCounts) => void,
  ): Promise<void> {
    const { changes, differingIds, retainedIds } = this.#compare(dataSet, getBlock);
    const notes = new NoteBook();
    notes.addAll(dataSet.notes);
    if (differingIds.length > 0)
      notes.add('STORED_DIFFERENTLY', { count: differingIds.length, detail: differingIds[0] });
    dataSet.notes = notes.list();
    for (const batch of batchChanges(changes)) {
      await this.#writeRuns(dataSet, batch);
      onWritten({
        runCount: batch.filter((change) => change.isAdded).length,
        rowCount: batch.reduce((sum, { start, end }) => sum + end - start, 0),
      });
    }
    await this.#writeCampaigns(dataSet, retainedIds);
  }

  /** Returns the runs of the data set in the database. */
  listStoredRuns(): StoredRun[] {
    return Array.from(this.#runs, ([runId, { experimentId, status, evaluations }]) => ({
      runId,
      experimentId,
      status,
      evaluations,
    }));
  }

  /** Returns the ids of the runs of `dataSet` that the database contained before this watch. */
  listPreviousIds(dataSet: DataSet): string[] {
    const ids = listRuns(dataSet).map(({ run }) => run.runId);
    return ids.filter((runId) => this.#previousIds.has(runId));
  }

  /**
   * Returns the changes to write. `retainedIds` are the ids of runs that must not change: their stored rows come from
   * an earlier import or from other files, and differ or continue further. `differingIds` are the ids of the retained
   * runs with differing rows.
   */
  #compare(dataSet: DataSet, getBlock: FolderDataSet['getBlock']) {
    const plannedRuns = listRuns(dataSet).map((item) => {
      const { origin } = item.run;
      return { ...item, block: origin === undefined ? null : getBlock(origin) };
    });
    const plannedIds = new Set(plannedRuns.map(({ run }) => run.runId));
    const idsByBlock = new Map(plannedRuns.map(({ run, block }) => [block, run.runId]));
    /** Returns whether the block of a stored run now has another id, for example because an index now lists the run. */
    const isRenamed = (runId: string) => {
      const block = this.#runs.get(runId)?.block ?? null;
      return block !== null && (idsByBlock.get(block) ?? runId) !== runId;
    };
    const storedIdsByBlock = Map.groupBy(
      this.#runs.keys(),
      (runId) => this.#runs.get(runId)?.block,
    );
    const listOtherIds = (run: PlannedRun, block: string | null) =>
      block === null
        ? []
        : (storedIdsByBlock.get(block) ?? []).filter((runId) => runId !== run.runId);
    const unfinishedRuns = [...this.#runs].filter(
      ([runId, { status }]) => status !== 'COMPLETED' && !plannedIds.has(runId),
    );
    const listEarlierStates = (item: { experiment: Experiment; run: PlannedRun }) =>
      unfinishedRuns.flatMap(([runId, { status, rows }]) => {
        const isEarlierState =
          status === 'RUNNING'
            ? canBeSameRun(runId, item.run.runId) && startsWithRows(rows, getRows(item.run.trace))
            : isSuperseded({ runId, status }, rows, [item], dataSet.name);
        return isEarlierState && !isRenamed(runId) ? runId : [];
      });
    const differingIds: string[] = [];
    const retainedIds = new Set<string>();
    const changes = plannedRuns.flatMap(({ block, ...item }): Change[] => {
      const { run } = item;
      const rows = getRows(run.trace);
      const storedRun = isRenamed(run.runId) ? undefined : this.#runs.get(run.runId);
      const end = rows.evaluations.length;
      const change = { ...item, block, end, isComplete: true, isIdTaken: false };
      // An earlier import may also have stored the run under its new id.
      const otherIds = listOtherIds(run, block);
      if (!storedRun) {
        const supersededIds = [...otherIds, ...listEarlierStates(item)];
        const isAdded =
          supersededIds.length === 0 && !(block !== null && this.#writtenBlocks.has(block));
        return [{ ...change, isNew: true, isAdded, start: 0, supersededIds }];
      }
      const isSameBlock = block !== null && storedRun.block === block;
      if (!isSameBlock && !startsWithRows(storedRun.rows, rows)) {
        retainedIds.add(run.runId);
        if (!startsWithRows(rows, storedRun.rows)) differingIds.push(run.runId);
        return [];
      }
      const start = findFirstDifference(storedRun.rows, rows);
      const isUnchanged =
        start === end &&
        otherIds.length === 0 &&
        storedRun.rows.evaluations.length === end &&
        storedRun.status === getStatus(run) &&
        Number(storedRun.evaluations ?? 0) === run.trace.usedEvaluations &&
        storedRun.experimentId === run.experimentId;
      return isUnchanged
        ? []
        : [{ ...change, isNew: false, isAdded: false, start, supersededIds: otherIds }];
    });
    return { changes: orderChanges(changes), differingIds, retainedIds };
  }

  async #writeRuns(dataSet: DataSet, changes: readonly Change[]): Promise<void> {
    const now = readClock();
    const supersededIds = changes.flatMap((change) => [
      ...change.supersededIds,
      ...(change.isIdTaken ? [change.run.runId] : []),
    ]);
    const newIds = new Set(changes.filter(({ isNew }) => isNew).map(({ run }) => run.runId));
    const changedIds = [
      ...changes.filter(({ isNew }) => !isNew).map(({ run }) => run.runId),
      ...supersededIds,
    ];
    const campaigns = listChangedCampaigns(changes);
    const experiments = campaigns.flatMap((campaign) => campaign.experiments);
    const previousExperimentIds = [...supersededIds, ...changedIds].flatMap(
      (runId) => this.#runs.get(runId)?.experimentId ?? [],
    );
    await this.#record(dataSet, now, changedIds, async (recorder, transaction) => {
      await deleteImportedRuns(transaction, this.#name, supersededIds);
      if (newIds.size > 0) {
        const changedDataSet = { ...dataSet, campaigns };
        await refuseForeignRows(transaction, changedDataSet, newIds, this.listStoredRuns(), false);
        await transaction.dialect.expectGrowth(transaction.kysely);
      }
      for (const { record: experiment } of experiments) {
        if (!this.#experimentIds.has(experiment.experimentId))
          await recorder.writeExperiment(experiment, now);
      }
      for (const change of changes) await this.#writeRun(recorder, change);
      await deleteEmptyExperiments(transaction, previousExperimentIds);
    });
    for (const runId of supersededIds) {
      this.#runs.delete(runId);
      this.#writtenStates.delete(runId);
    }
    const deletedIds = new Set(supersededIds);
    for (const [key, trial] of deletedIds.size === 0 ? [] : this.#trials)
      if (deletedIds.has(trial.run_id)) this.#trials.delete(key);
    for (const change of changes) {
      this.#runs.set(change.run.runId, toCurrentRun(change));
      if (change.block !== null) this.#writtenBlocks.add(change.block);
    }
    this.#experimentIds.clear();
    for (const { experimentId } of this.#runs.values()) this.#experimentIds.add(experimentId);
  }

  async #writeRun(recorder: Recorder, change: Change): Promise<void> {
    const { experiment, run, isNew, start, end, isComplete } = change;
    const row = makeRunRow(experiment, isComplete ? run : { ...run, isRunning: true });
    const { run_id: runId, start_time: _startTime, ...columns } = row;
    if (isNew) await recorder.writeRuns([row]);
    else await recorder.changeRun(runId, columns);
    await recorder.writeIterations(makeIterationRows(run, start, end));
    const storedRows = this.#runs.get(runId)?.rows.evaluations.length ?? 0;
    if (isComplete && !isNew && storedRows > end) await recorder.deleteIterations(runId, end);
    await recorder.writeObjectives([makeObjectiveRow(run)]);
  }

  /**
   * Writes the campaigns and trials that have changed. Writes no campaign without ended runs, and only trials of ended
   * runs. The trials of the retained runs (`retainedIds`) change only if their problem has a new target.
   */
  async #writeCampaigns(dataSet: DataSet, retainedIds: ReadonlySet<string>): Promise<void> {
    for (const campaign of dataSet.campaigns) {
      const { campaignId, suite } = campaign;
      const endedExperiments = campaign.experiments
        .map((experiment) => ({
          ...experiment,
          runs: experiment.runs.filter((run) => this.#hasEnded(run)),
        }))
        .filter(({ runs }) => runs.length > 0);
      if (campaignId === null || suite === null || endedExperiments.length === 0) continue;
      const now = readClock();
      const hasRunningRuns = campaign.experiments.some(({ runs }) =>
        runs.some((run) => run.isRunning),
      );
      const storedTrials = this.#listTrials(campaignId);
      const experiments = shareTargets(endedExperiments, storedTrials);
      await this.#updateTargets(dataSet, campaignId, experiments, retainedIds);
      const newRow = makeCampaignRow(campaignId, suite, experiments, storedTrials, {
        dataSet,
        now,
      });
      const watchedIds = new Set(
        campaign.experiments.flatMap(({ runs }) => runs.map(({ runId }) => runId)),
      );
      const hasOtherParts = storedTrials.some(
        ({ run_id: runId }) =>
          retainedIds.has(runId) || (this.#previousIds.has(runId) && !watchedIds.has(runId)),
      );
      const endedRow = hasOtherParts
        ? retainFaults(newRow, this.#previousCampaigns.get(campaignId))
        : newRow;
      this.#endedCampaigns.set(campaignId, endedRow);
      const row = hasRunningRuns ? { ...endedRow, status: 'RUNNING', finished_at: null } : endedRow;
      const trials = experiments
        .flatMap((experiment) =>
          experiment.runs.map((run) =>
            makeTrialRow(campaignId, experiment, run, {
              repetitions: this.#repetitions,
              createdAt: formatInstant(now),
            }),
          ),
        )
        .filter(
          (trial) =>
            !retainedIds.has(trial.run_id) &&
            this.#writtenStates.get(trial.run_id) !== describeTrial(trial),
        );
      const text = describeCampaign(row);
      if (trials.length === 0 && this.#writtenStates.get(campaignId) === text) continue;
      const directionsByRun = new Map(
        experiments.flatMap(({ group, runs }) =>
          runs.map(({ runId }) => [runId, group.direction] as const),
        ),
      );
      const optimizers = makeOptimizerRows(campaignId, experiments, { dataSet, now });
      for (let start = 0; start === 0 || start < trials.length; start += trialsPerTransaction) {
        const batch = trials.slice(start, start + trialsPerTransaction);
        const ids = batch.map((trial) => trial.run_id);
        await this.#record(dataSet, now, ids, async (recorder) => {
          await recorder.writeCampaign(row);
          await recorder.writeOptimizers(optimizers);
          await recorder.writeTrials(batch);
        });
        for (const trial of batch) {
          this.#writtenStates.set(trial.run_id, describeTrial(trial));
          const direction = directionsByRun.get(trial.run_id) ?? null;
          this.#trials.set(getTrialKey(trial), { ...trial, direction });
        }
      }
      this.#writtenStates.set(campaignId, text);
    }
  }

  /** Sets the targets of these experiments in stored trials of retained runs and of runs outside of the data set. */
  async #updateTargets(
    dataSet: DataSet,
    campaignId: string,
    experiments: readonly Experiment[],
    retainedIds: ReadonlySet<string>,
  ): Promise<void> {
    const writtenIds = new Set(
      listRuns(dataSet)
        .map(({ run }) => run.runId)
        .filter((runId) => !retainedIds.has(runId)),
    );
    const otherTrials = this.#listTrials(campaignId).filter(
      (trial) => !writtenIds.has(trial.run_id),
    );
    for (const { target, runIds } of listChangedTargets(experiments, otherTrials)) {
      for (let start = 0; start < runIds.length; start += trialsPerTransaction) {
        const ids = new Set(runIds.slice(start, start + trialsPerTransaction));
        await this.#record(dataSet, readClock(), [...ids], (recorder) =>
          recorder.setUnreachedTarget(campaignId, [...ids], target),
        );
        for (const trial of otherTrials.filter(({ run_id }) => ids.has(run_id)))
          this.#trials.set(getTrialKey(trial), { ...trial, target_value: target });
      }
    }
  }

  #listTrials(campaignId: string): StoredTrial[] {
    return [...this.#trials.values()].filter(
      (trial) => trial.campaign_id === campaignId && this.#runs.has(trial.run_id),
    );
  }

  #hasEnded({ runId, isRunning }: PlannedRun): boolean {
    return isRunning !== true && this.#runs.get(runId)?.status !== 'RUNNING';
  }

  /**
   * Ends the watch: sets the runs that are still RUNNING, for example because their files are missing, to STOPPED, ends
   * their campaigns, and completes the mark. Does nothing without such runs and without a written mark. Rejects like
   * {@link write}.
   */
  async end(dataSet: DataSet): Promise<void> {
    const runningRuns = [...this.#runs].filter(([, { status }]) => status === 'RUNNING');
    const ids = runningRuns.map(([runId]) => runId);
    if (this.#eventId === null && ids.length === 0) return;
    await this.#record(
      dataSet,
      readClock(),
      ids,
      async (recorder) => {
        const change = { status: 'STOPPED', error_message: missingEndMessage };
        for (const runId of ids) await recorder.changeRun(runId, change);
        if (ids.length === 0) return;
        for (const row of this.#endedCampaigns.values()) await recorder.writeCampaign(row);
      },
      { isLast: true },
    );
    for (const [, run] of runningRuns) run.status = 'STOPPED';
  }

  /**
   * Runs `writeRows` in a transaction that also writes the mark if its ids, algorithms or watch have changed. Throws
   * IMPORT_CONFLICT if the written mark is missing or belongs to another watch, or if a run of `changedIds` is missing.
   */
  async #record(
    dataSet: DataSet,
    now: Instant,
    changedIds: readonly string[],
    writeRows: (recorder: Recorder, transaction: Database) => Promise<void>,
    { isLast = false } = {},
  ): Promise<void> {
    const event = this.#makeMark(dataSet, now, isLast);
    const { dataset, campaigns, experiments, algorithms, watch } = event.members;
    const text = JSON.stringify([dataset, campaigns, experiments, algorithms, watch]);
    const eventId = await record(this.#database, async (recorder, transaction) => {
      await lockDataSet(transaction, this.#name);
      await this.#requireOwnRows(transaction, changedIds);
      if (this.#eventId === null) await recorder.writeEvents([event]);
      else if (text !== this.#writtenStates.get('mark'))
        await recorder.changeEvent(this.#eventId, event);
      await writeRows(recorder, transaction);
      if (this.#eventId !== null) return this.#eventId;
      const marks = await listImportMarks(transaction);
      return marks.find((mark) => mark.watch === this.#watchId)?.eventId ?? null;
    });
    this.#eventId = eventId;
    this.#writtenStates.set('mark', text);
  }

  async #requireOwnRows(transaction: Database, changedIds: readonly string[]): Promise<void> {
    const mark = this.#eventId === null ? null : await findImportMark(transaction, this.#eventId);
    const presentIds = await listPresentIds(transaction, 'runs', changedIds);
    const isMarkOfWatch = this.#eventId === null || mark?.watch === this.#watchId;
    if (isMarkOfWatch && presentIds.length === new Set(changedIds).size) return;
    throw new ImportRefusal(
      'IMPORT_CONFLICT',
      `Another client deleted or replaced "${this.#name}" during the watch. Start watching again`,
    );
  }

  #makeMark(dataSet: DataSet, now: Instant, isLast: boolean): NewEvent {
    const watchedRuns = [...this.#runs].filter(([runId]) => !this.#previousIds.has(runId));
    const addedCount = listRuns(dataSet).filter(
      ({ run }) => !this.#previousIds.has(run.runId),
    ).length;
    const numbers = {
      added: addedCount,
      extended: 0,
      skipped: listRuns(dataSet).length - addedCount,
    };
    const event = makeImportedEvent(dataSet, numbers, now);
    const { experiments, ...members } = event.members;
    // Runs of deleted files remain marked.
    const experimentEntries = watchedRuns.map(([runId, { experimentId }]) => [
      getMarkKey(experimentId),
      runId.slice(0, runId.indexOf('-', 'imp-'.length)),
    ]);
    return {
      ...event,
      members: {
        ...members,
        experiments: { ...Object(experiments), ...Object.fromEntries(experimentEntries) },
        ...(!isLast && { watch: this.#watchId }),
      },
    };
  }
}

function listRuns({ campaigns }: DataSet) {
  return campaigns.flatMap((campaign) =>
    campaign.experiments.flatMap((experiment) =>
      experiment.runs.map((run) => ({ campaign, experiment, run })),
    ),
  );
}

/** Returns the campaigns with only the experiments that have changed runs. */
function listChangedCampaigns(changes: readonly Change[]): Campaign[] {
  const changesByCampaign = Map.groupBy(changes, ({ campaign }) => campaign);
  return [...changesByCampaign].map(([campaign, changesOfCampaign]) => ({
    ...campaign,
    experiments: [...new Set(changesOfCampaign.map(({ experiment }) => experiment))],
  }));
}

function getTrialKey({ campaign_id, run_id }: Pick<StoredTrial, 'campaign_id' | 'run_id'>): string {
  return `${campaign_id} ${run_id}`;
}

function toCurrentRun({ run, block, end, isComplete }: Change): CurrentRun {
  const { evaluations, values } = getRows(run.trace);
  return {
    experimentId: run.experimentId,
    status: isComplete ? getStatus(run) : 'RUNNING',
    evaluations: run.trace.usedEvaluations,
    rows: {
      evaluations: Array.from(evaluations).slice(0, end),
      values: Array.from(values).slice(0, end),
    },
    block,
  };
}

/** Returns whether the id of a run has an unknown instance, no seed, and the same function and dimension as another. */
function canBeSameRun(runId: string, otherId: string): boolean {
  const problemPattern = /-f\d+-d\d+-i/;
  const [problemPart] = problemPattern.exec(runId) ?? [];
  return /-i0-r\d+$/.test(runId) && problemPart === problemPattern.exec(otherId)?.[0];
}

/** Returns the values of a trial whose changes the watch writes, as text. */
function describeTrial(
  trial: Pick<
    NewTrial,
    'campaign_id' | 'evaluations' | 'best_fitness' | 'evals_to_target' | 'target_value'
  >,
): string {
  const { campaign_id, evaluations, best_fitness, evals_to_target, target_value } = trial;
  return JSON.stringify(
    [campaign_id, evaluations, best_fitness, evals_to_target, target_value].map(String),
  );
}

/** Returns the values of a campaign whose changes the watch writes, as text. */
function describeCampaign(
  row: Pick<
    NewCampaign,
    'status' | 'dimensions_json' | 'instances_json' | 'functions_json' | 'notes'
  >,
): string {
  const { status, dimensions_json, instances_json, functions_json, notes } = row;
  return JSON.stringify([status, dimensions_json, instances_json, functions_json, notes]);
}
