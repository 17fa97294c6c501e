import type { Database } from '#server/db/database.ts';
import { findSilentRunIds } from '#server/records/liveness.ts';
import {
  listImportedCampaigns,
  listImportMarks,
  listPresentIds,
  type StoredRun,
  type listTrialsOfRuns,
} from '#server/repositories/data-sets.ts';
import { listPresentExperiments, listRunStates } from '#server/repositories/locks.ts';
import { listOptimizersWithOtherReferences } from '#server/repositories/recording.ts';
import { isRunning } from '#shared/words.ts';
import {
  type Campaign,
  type DataSet,
  type Experiment,
  getProblemKey,
  getRunIdPrefix,
  updateBest,
} from './data-set.ts';
import { ImportRefusal } from './refusal.ts';
import { type ImportedRun, getRows, type Rows } from './run-groups.ts';

type PlannedRun = Experiment['runs'][number];

/**
 * The ids of the runs of a data set, by the action of an import on them. Omits runs of an unknown instance that the
 * database contains with their instance, because the source is an older copy that does not list them yet.
 */
export interface Comparison {
  /** The stored runs of the data set of this name. */
  storedRuns: readonly StoredRun[];
  /** Runs to add: those that the database does not contain yet, or all runs if the import replaces the data set. */
  newIds: Set<string>;
  /**
   * Stored runs to overwrite: in the source, they have more rows or evaluations, or have ended, or belong to another
   * experiment because its configuration differs.
   */
  extendedIds: Set<string>;
  /** Other runs that the database contains with the same or further rows, and at least as many evaluations. */
  unchangedIds: Set<string>;
  /** Runs that the database contains with other values, sorted. */
  conflictingIds: string[];
  /**
   * Stored runs of an unknown instance that the source lists with their instance. If the source also contains another
   * run with the id of such a run, the id is in `newIds` too.
   */
  supersededIds: string[];
}

/** Compares a data set with the stored runs of its name. Changes nothing in the database. */
export async function compareWithStoredRuns(
  database: Database,
  dataSet: DataSet,
  storedRuns: readonly StoredRun[],
): Promise<Comparison> {
  const runs = dataSet.campaigns.flatMap(({ experiments }) =>
    experiments.flatMap((experiment) => experiment.runs.map((run) => ({ experiment, run }))),
  );
  const plannedRunsById = new Map(runs.map(({ run }) => [run.runId, run]));
  const traces = await readTraces(database, storedRuns);
  const listedRuns = storedRuns.filter(({ runId }) => !unknownInstanceId.test(runId));
  const isOlder = (run: PlannedRun) => isOlderState(run, listedRuns, traces);
  const states = storedRuns.map((run) => {
    const plannedRun = plannedRunsById.get(run.runId);
    if (!plannedRun) return { run, state: 'absent' };
    const state = getState(run, traces.get(run.runId), plannedRun);
    return { run, state: state === 'conflicting' && isOlder(plannedRun) ? 'older' : state };
  });
  const listIdsInState = (state: string) =>
    states.filter((stateOfRun) => stateOfRun.state === state).map(({ run }) => run.runId);
  const storedIds = new Set(storedRuns.map(({ runId }) => runId));
  const newRuns = runs.filter(({ run }) => !storedIds.has(run.runId) && !isOlder(run));
  const supersededIds = states.flatMap(({ run, state }) =>
    (state === 'absent' || state === 'conflicting') &&
    isSuperseded(run, traces.get(run.runId), newRuns, dataSet.name)
      ? run.runId
      : [],
  );
  const deletedIds = new Set(supersededIds);
  return {
    storedRuns,
    newIds: new Set([
      ...newRuns.map(({ run }) => run.runId),
      ...supersededIds.filter((runId) => plannedRunsById.has(runId)),
    ]),
    extendedIds: new Set(listIdsInState('extended')),
    unchangedIds: new Set(listIdsInState('unchanged')),
    conflictingIds: listIdsInState('conflicting')
      .filter((runId) => !deletedIds.has(runId))
      .sort(),
    supersededIds,
  };
}

/** Returns the rows of stored runs by their ids. A run without iterations has empty rows. */
export async function readTraces(
  database: Database,
  storedRuns: readonly StoredRun[],
): Promise<Map<string, Rows>> {
  const traces = new Map<string, Rows>();
  await database.dialect.readTraces(storedRuns, (runId, pairs) => {
    const evaluations = pairs.filter((_, index) => index % 2 === 0);
    const values = pairs.filter((_, index) => index % 2 === 1);
    traces.set(runId, { evaluations, values });
  });
  return traces;
}

/**
 * Returns whether two lists contain the same runs in any order, with the same experiments, statuses and evaluations.
 */
export function hasSameRuns(runs: readonly StoredRun[], otherRuns: readonly StoredRun[]): boolean {
  const runsById = new Map(runs.map((run) => [run.runId, run]));
  return (
    runs.length === otherRuns.length &&
    otherRuns.every(({ runId, experimentId, status, evaluations }) => {
      const run = runsById.get(runId);
      return (
        run?.experimentId === experimentId &&
        run.status === status &&
        run.evaluations === evaluations
      );
    })
  );
}

/** Rows of a run without iterations. */
export const noRows: Rows = { evaluations: [], values: [] };

function getState(
  storedRun: StoredRun,
  rows: Rows = noRows,
  plannedRun: PlannedRun,
): 'unchanged' | 'extended' | 'conflicting' {
  const hasSameStatus = storedRun.status === getStatus(plannedRun);
  const evaluations = Number(storedRun.evaluations ?? 0);
  const plannedRows = getRows(plannedRun.trace);
  if (startsWithRows(plannedRows, rows) && plannedRun.trace.usedEvaluations <= evaluations) {
    const hasSameRows = startsWithRows(rows, plannedRows);
    const hasCurrentStatus = hasSameStatus || (!plannedRun.isFinalised && !isRunning(storedRun));
    const hasSameExperiment = storedRun.experimentId === plannedRun.experimentId;
    return !hasSameRows || (hasCurrentStatus && hasSameExperiment) ? 'unchanged' : 'extended';
  }
  return startsWithRows(rows, plannedRows) ? 'extended' : 'conflicting';
}

/**
 * Returns the status of an imported run: RUNNING while a logger may still write it; otherwise COMPLETED if the index
 * states its end or the run is from a table; otherwise STOPPED.
 */
export function getStatus({
  isFinalised,
  isRunning: isGrowing,
}: Pick<ImportedRun, 'isFinalised' | 'isRunning'>): string {
  if (isGrowing) return 'RUNNING';
  return isFinalised ? 'COMPLETED' : 'STOPPED';
}

/**
 * Returns whether `firstRows` may be an earlier state of `allRows`: for each row of `firstRows`, `allRows` has the same
 * value at the same evaluations, and `allRows` does not end earlier. The value of `allRows` at a number of evaluations
 * is the value of its last row up to this number, or of any row with exactly this number. Returns true for empty
 * `firstRows`. `allRows` may have rows between those of `firstRows`, because loggers do not write all files at the same
 * time.
 */
export function startsWithRows(firstRows: Rows, allRows: Rows): boolean {
  const [count, totalCount] = [firstRows.evaluations.length, allRows.evaluations.length];
  if ((firstRows.evaluations[count - 1] ?? -1) > (allRows.evaluations[totalCount - 1] ?? -1))
    return false;
  let row = -1;
  for (let index = 0; index < count; index += 1) {
    const evaluations = firstRows.evaluations[index] ?? 0;
    const value = firstRows.values[index];
    while (
      (allRows.evaluations[row + 1] ?? Infinity) <= evaluations &&
      // Of several rows with the same evaluations, a later one may be the next row of `firstRows`.
      (allRows.evaluations[row] !== evaluations || allRows.values[row] !== value)
    )
      row += 1;
    if (allRows.values[row] !== value) return false;
  }
  return true;
}

/**
 * Returns the position, from 0, of the first row in which two lists of rows differ. If they are equal up to the end of
 * the shorter list, returns the length of this list.
 */
export function findFirstDifference(a: Rows, b: Rows): number {
  const length = Math.min(a.evaluations.length, b.evaluations.length);
  let row = 0;
  while (
    row < length &&
    a.evaluations[row] === b.evaluations[row] &&
    a.values[row] === b.values[row]
  )
    row += 1;
  return row;
}

/** A run to add, with its experiment. */
interface NewRun {
  experiment: Pick<Experiment, 'group'>;
  run: PlannedRun;
}

/** Pattern of the id of a run of instance 0. Its two groups are the parts of the id before the instance. */
const unknownInstanceId = /^(imp-[0-9a-f]{12})(-f\d+-d\d+-i)0-r\d+$/;

/**
 * Returns whether a run to import may be the beginning of one of `storedRuns`, whose instances are known, with the same
 * algorithm on the same problem. Returns false for a run whose instance is known or whose end the index states, and for
 * runs of tables (see {@link isSuperseded}).
 */
function isOlderState(
  { runId, origin, isFinalised, trace }: PlannedRun,
  storedRuns: readonly StoredRun[],
  traces: ReadonlyMap<string, Rows>,
): boolean {
  const [, prefix, problem] = unknownInstanceId.exec(runId) ?? [];
  if (prefix === undefined || problem === undefined || origin === undefined || isFinalised)
    return false;
  const rows = getRows(trace);
  return storedRuns.some(
    (run) =>
      run.runId.startsWith(prefix + problem) &&
      startsWithRows(rows, traces.get(run.runId) ?? noRows),
  );
}

/**
 * Returns whether a stored run of the unknown instance 0 may be the beginning of a new run with an instance on the same
 * problem. Both runs must have the same algorithm, or the import of the stored run did not know the algorithm and used
 * the name of the data set instead. Returns false for a COMPLETED run, because an index states its end, and for
 * undefined `rows`. Runs of tables have no origin and never get another instance, although their ids also end in
 * `-i0-r…` if their seed is 0.
 */
export function isSuperseded(
  { runId, status }: Pick<StoredRun, 'runId' | 'status'>,
  rows: Rows | undefined,
  newRuns: readonly NewRun[],
  dataSet: string,
): boolean {
  const [, prefix, problem] = unknownInstanceId.exec(runId) ?? [];
  if (prefix === undefined || problem === undefined || rows === undefined) return false;
  if (status === 'COMPLETED') return false;
  return newRuns.some(
    ({ experiment: { group }, run }) =>
      run.origin !== undefined &&
      run.instance !== 0 &&
      run.runId.includes(problem) &&
      startsWithRows(rows, getRows(run.trace)) &&
      (run.runId.startsWith(prefix) ||
        prefix === getRunIdPrefix(dataSet, { ...group, algorithm: dataSet })),
  );
}

/**
 * Throws IMPORT_CONFLICT if the import would overwrite a campaign, an experiment or a run that no import of this name
 * wrote. If `isReference` is true, also throws it if the import would overwrite references that no import wrote.
 * `newIds` contains the ids of the runs to add, and `existingRuns` the stored runs of the data set.
 */
export async function refuseForeignRows(
  database: Database,
  { name, campaigns, notes }: DataSet,
  newIds: ReadonlySet<string>,
  existingRuns: readonly StoredRun[],
  isReference: boolean,
): Promise<void> {
  if (isReference) await refuseForeignReferences(database, campaigns, notes);
  const experiments = campaigns
    .flatMap((campaign) => campaign.experiments)
    .filter(({ runs }) => runs.some(({ runId }) => newIds.has(runId)));
  const ownIds = new Set([
    ...existingRuns.flatMap(({ runId, experimentId }) => [runId, experimentId]),
    ...(await listImportedCampaigns(database, name)),
  ]);
  const presentIds = [
    ...(await listPresentIds(
      database,
      'coco_campaigns',
      campaigns.flatMap(({ campaignId }) => campaignId ?? []),
    )),
    ...(await listPresentIds(
      database,
      'experiments',
      experiments.map(({ record }) => record.experimentId),
    )),
    ...(await listPresentIds(database, 'runs', [...newIds])),
  ];
  const foreignIds = presentIds.filter((id) => !ownIds.has(id));
  if (foreignIds.length === 0) return;
  throw new ImportRefusal(
    'IMPORT_CONFLICT',
    `The database holds rows with the ids of "${name}" that no import of this name wrote ` +
      `(${formatIds(foreignIds)}): import under another name`,
    notes,
  );
}

async function refuseForeignReferences(
  database: Database,
  campaigns: DataSet['campaigns'],
  notes: DataSet['notes'],
): Promise<void> {
  for (const { suite, experiments } of campaigns) {
    const otherOptimizers = new Set(
      suite === null ? [] : await listOptimizersWithOtherReferences(database, suite),
    );
    const experiment = experiments.find(({ group }) => otherOptimizers.has(group.algorithm));
    if (!experiment) continue;
    throw new ImportRefusal(
      'IMPORT_CONFLICT',
      `The database holds references of "${experiment.group.algorithm}" in ${suite} that no import wrote: ` +
        'import without writing references',
      notes,
    );
  }
}

/**
 * Throws CHANGED_MEANWHILE if another import changed the runs to write or to delete after the comparison.
 * `existingRuns` contains the stored runs of the data set now.
 */
export function refuseChangedRuns(
  { name, notes }: Pick<DataSet, 'name' | 'notes'>,
  { storedRuns, newIds, extendedIds, supersededIds }: Comparison,
  existingRuns: readonly StoredRun[],
): void {
  const ids = new Set([...newIds, ...extendedIds, ...supersededIds]);
  const listOwnRuns = (runs: readonly StoredRun[]) => runs.filter(({ runId }) => ids.has(runId));
  if (hasSameRuns(listOwnRuns(existingRuns), listOwnRuns(storedRuns))) return;
  throw new ImportRefusal(
    'CHANGED_MEANWHILE',
    `Another import changed "${name}" while this one was reading, so this one wrote nothing. Import again`,
    notes,
  );
}

/**
 * Throws RUNS_ACTIVE if one of these runs is RUNNING. Ignores silent runs if the data set has the mark of a watch,
 * because a crashed watch left them. In a transaction, locks the experiments of these runs, and all runs of these
 * experiments. The statuses of the runs then do not change until the transaction ends.
 */
export async function refuseRunningRuns(
  transaction: Database,
  { name, notes }: Pick<DataSet, 'name' | 'notes'>,
  runs: readonly StoredRun[],
): Promise<void> {
  const { kysely, dialect } = transaction;
  const experimentIds = [...new Set(runs.map(({ experimentId }) => experimentId))];
  const lock = { isLocked: true };
  await listPresentExperiments(kysely, dialect, experimentIds, lock);
  const states = await listRunStates(kysely, dialect, experimentIds, lock);
  const changingIds = new Set(runs.map(({ runId }) => runId));
  const runningRuns = states.filter((run) => changingIds.has(run.runId) && isRunning(run));
  if (runningRuns.length === 0) return;
  const marks = await listImportMarks(transaction);
  const hasWatchMark = marks.some((mark) => mark.dataSet === name && mark.watch !== null);
  const silentIds = hasWatchMark
    ? await findSilentRunIds(
        transaction,
        runningRuns.map((run) => ({ ...run, startTime: null })),
      )
    : new Set<string>();
  const activeRuns = runningRuns.filter(({ runId }) => !silentIds.has(runId));
  if (activeRuns.length === 0) return;
  const ids = formatIds(activeRuns.map(({ runId }) => runId));
  throw new ImportRefusal(
    'RUNS_ACTIVE',
    hasWatchMark
      ? `"${name}" has RUNNING runs (${ids}) that another watch of its folder writes: stop that watch, or wait until they are silent`
      : `"${name}" has runs that are RUNNING (${ids}): stop them first`,
    notes,
  );
}

/** Returns the first three ids of a list as text, with the number of the other ids; empty without ids. */
export function formatIds(ids: readonly string[]): string {
  const remainder = ids.length > 3 ? ` and ${ids.length - 3} more` : '';
  return `${ids.slice(0, 3).join(', ')}${remainder}`;
}

/**
 * Returns the ids of the unchanged runs of a campaign that have no trial, although their stored runs have ended with
 * the same evaluations. An interrupted watch leaves such runs. Returns an empty set for data without a campaign.
 */
export function listRunsWithoutTrials(
  { campaignId, experiments }: Campaign,
  { storedRuns, unchangedIds }: Comparison,
  storedTrials: readonly StoredTrial[],
): Set<string> {
  if (campaignId === null) return new Set();
  const trials = storedTrials.filter((trial) => trial.campaign_id === campaignId);
  const idsWithTrial = new Set(trials.map((trial) => trial.run_id));
  const storedRunsById = new Map(storedRuns.map((run) => [run.runId, run]));
  const ids = experiments.flatMap(({ runs }) =>
    runs.flatMap(({ runId, trace }) => {
      const storedRun = storedRunsById.get(runId);
      const isTrialMissing =
        storedRun !== undefined &&
        !isRunning(storedRun) &&
        Number(storedRun.evaluations ?? 0) === trace.usedEvaluations &&
        unchangedIds.has(runId) &&
        !idsWithTrial.has(runId);
      return isTrialMissing ? runId : [];
    }),
  );
  return new Set(ids);
}

/** A stored trial of an imported run. */
export type StoredTrial = Awaited<ReturnType<typeof listTrialsOfRuns>>[number];

/**
 * Returns the experiments of a campaign with targets that also consider its stored trials. A precision remains the
 * target. The target of a problem without a precision is the best value among the targets of its experiments, and the
 * targets and best values of its stored trials in the same direction.
 */
export function shareTargets(
  experiments: readonly Experiment[],
  storedTrials: readonly StoredTrial[],
): Experiment[] {
  const bestByProblem = new Map<string, number>();
  for (const experiment of experiments) {
    const { group, target } = experiment;
    if (group.precision === null)
      updateBest(bestByProblem, getProblem(experiment), target, group.direction);
  }
  for (const trial of storedTrials) {
    const problem = getProblemOfTrial(trial);
    if (problem === null || trial.direction === null) continue;
    updateBest(bestByProblem, problem, trial.best_fitness, trial.direction);
    // The database may no longer contain the run that reached a stored target.
    updateBest(bestByProblem, problem, trial.target_value, trial.direction);
  }
  return experiments.map((experiment) => {
    const { group, target } = experiment;
    if (group.precision !== null) return experiment;
    return { ...experiment, target: bestByProblem.get(getProblem(experiment)) ?? target };
  });
}

/**
 * Returns the runs whose stored trials have another target than {@link shareTargets} sets for their problem: for each
 * such problem, the new target and the ids of these runs. The new target is better, and no such trial has reached it.
 * Skips problems with a precision.
 */
export function listChangedTargets(
  experiments: readonly Experiment[],
  storedTrials: readonly StoredTrial[],
): { target: number; runIds: string[] }[] {
  const targets = new Map(
    experiments
      .filter(({ group }) => group.precision === null)
      .map((experiment) => [getProblem(experiment), experiment.target]),
  );
  const trialsByProblem = Map.groupBy(storedTrials, getProblemOfTrial);
  return [...targets].flatMap(([problem, target]) => {
    const trials = trialsByProblem.get(problem) ?? [];
    const outdatedTrials = trials.filter((trial) => trial.target_value !== target);
    const runIds = outdatedTrials.map((trial) => trial.run_id);
    return runIds.length === 0 ? [] : [{ target, runIds }];
  });
}

function getProblem({ group, functionNumber }: Experiment): string {
  return getProblemKey({ ...group, functionNumber });
}

/** Returns the {@link getProblemKey} of a trial; null if its direction is unknown. */
function getProblemOfTrial({ function_id, dimension, direction }: StoredTrial): string | null {
  return direction && getProblemKey({ functionNumber: function_id, dimension, direction });
}

/**
 * Assigns the repetitions of trials. A cell of a campaign is an optimizer on a problem instance, and has one trial for
 * each repetition. But several runs of a cell may be a first repetition: runs of the unknown instance 0 with different
 * seeds, or runs of different settings of an algorithm.
 */
export class TrialRepetitions {
  readonly #repetitionsByRun = new Map<string, number>();
  /** The used repetitions of each cell. */
  readonly #cells = new Map<string, { usedRepetitions: Set<number>; maximum: number }>();

  constructor(storedTrials: readonly StoredTrial[]) {
    for (const trial of storedTrials) {
      const { campaign_id, optimizer_id, function_id, dimension, instance_id } = trial;
      const cell = JSON.stringify([campaign_id, optimizer_id, function_id, dimension, instance_id]);
      this.#use(cell, trial.run_id, trial.repetition);
    }
  }

  /**
   * Returns the repetition of the trial of a run, and reserves it. This is the repetition of its stored trial or of the
   * previous call for this run, otherwise `run.repetition`. If another run of the cell uses `run.repetition`, returns
   * the largest used repetition plus 1.
   */
  assign(
    campaignId: string,
    { group, functionNumber }: Experiment,
    run: Experiment['runs'][number],
  ): number {
    const { algorithm, dimension } = group;
    const cell = JSON.stringify([
      campaignId,
      algorithm,
      functionNumber,
      dimension ?? 0,
      run.instance,
    ]);
    const previousRepetition = this.#repetitionsByRun.get(`${cell} ${run.runId}`);
    if (previousRepetition !== undefined) return previousRepetition;
    const { usedRepetitions, maximum } = this.#getCell(cell);
    const repetition = usedRepetitions.has(run.repetition) ? maximum + 1 : run.repetition;
    this.#use(cell, run.runId, repetition);
    return repetition;
  }

  #use(cell: string, runId: string, repetition: number): void {
    const entry = this.#getCell(cell);
    entry.usedRepetitions.add(repetition);
    entry.maximum = Math.max(entry.maximum, repetition);
    this.#cells.set(cell, entry);
    this.#repetitionsByRun.set(`${cell} ${runId}`, repetition);
  }

  #getCell(cell: string) {
    return this.#cells.get(cell) ?? { usedRepetitions: new Set<number>(), maximum: 0 };
  }
}
