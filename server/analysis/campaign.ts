import type { Database } from '#server/db/database.ts';
import { isImported } from '#server/domain/completeness.ts';
import { getValueAt, parseConfig } from '#server/domain/config.ts';
import { makeNotFoundError, truncate, makeValidationError } from '#server/errors.ts';
import { readRunsById, type RunRecord } from '#server/repositories/analysis.ts';
import { findAnyConfiguration, findCampaign } from '#server/repositories/coco.ts';
import {
  listCombinations,
  listOutcomes,
  type ProblemScope,
  type TrialScope,
} from '#server/repositories/trials.ts';
import { getTrialOutcome, type Trial } from '#server/stats/coco-runtime.ts';
import type { RunTrace } from '#server/domain/trace.ts';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import { getOptimizers } from './campaign-cells.ts';
import { loadTraces, type AnalysisContext } from './load.ts';

/** Campaigns of one suite for one analysis, with their names and the direction of the suite. */
export interface CampaignSet {
  campaigns: { campaignId: string; name: string }[];
  /** Names of all campaigns, separated by commas. */
  name: string;
  suite: string;
  direction: ObjectiveDirection;
  /** Whether one of the campaigns is RUNNING. */
  isRunning: boolean;
  /**
   * Whether one of the campaigns comes from imported data without targets. Its targets are then the best values of the
   * data set.
   */
  hasTargetsFromData: boolean;
}

/**
 * A trial with the trace of its run. The trace is null if the trial has no run, or if the iterations of the run contain
 * neither a finite fitness nor evaluations above 0. A trial whose trace has no finite fitness misses every target.
 */
export interface TracedTrial extends Trial {
  trace: RunTrace | null;
  /** Whether an earlier trial of the optimizer on the instance has the same run; see {@link listOutcomes}. */
  isRepeated: boolean;
  /** Whether the run of the trial continued from a checkpoint; false without a run. */
  isResumed: boolean;
}

/**
 * Returns the used evaluations of a trial: the maximum of the number in {@link getTrialOutcome} and the number in the
 * trace; 0 if both are unknown. For a FAILED trial, only the trace counts.
 */
export function getUsedEvaluations(trial: TracedTrial): number {
  return Math.max(getTrialOutcome(trial)?.usedEvaluations ?? 0, trial.trace?.usedEvaluations ?? 0);
}

/**
 * Returns the evaluations that a trial costs as a simulated restart. A FAILED trial costs the larger number of
 * evaluations in its trace and in its row. If both are unknown, it costs its stored budget, or 0 without a budget. Any
 * other trial costs its used evaluations.
 */
export function getRestartCost(trial: TracedTrial): number {
  const usedEvaluations = getUsedEvaluations(trial);
  if (trial.status !== 'FAILED') return usedEvaluations;
  return Math.max(usedEvaluations, trial.evaluations ?? 0) || Math.max(0, trial.budgetEvaluations);
}

/**
 * Returns the campaign with this id and the other requested campaigns, each once. The direction is `max` for the suite
 * PBO of IOHprofiler, ignoring case, and `min` for other suites. Throws CAMPAIGN_NOT_FOUND. Throws VALIDATION_FAILED
 * for campaigns of several suites, because the functions of suites differ.
 */
export async function requireCampaigns(
  database: Database,
  campaignId: string,
  otherIds: readonly string[],
): Promise<CampaignSet> {
  const campaigns = [];
  let hasTargetsFromData = false;
  for (const id of new Set([campaignId, ...otherIds])) {
    const campaign = await findCampaign(database, id);
    if (!campaign) throw makeNotFoundError('campaign', id);
    campaigns.push(campaign);
    hasTargetsFromData ||= isImported(campaign) && !(await hasPrecision(database, id));
  }
  const [suite = '', ...furtherSuites] = new Set(campaigns.map((campaign) => campaign.suite));
  if (furtherSuites.length > 0) {
    const message = `must belong to the suite ${truncate(suite)}, not to ${furtherSuites.map(truncate).join(', ')}`;
    throw makeValidationError([{ path: 'campaign', message }]);
  }
  return {
    campaigns,
    name: campaigns.map(({ name }) => name).join(', '),
    suite,
    direction: /^pbo$/i.test(suite) ? 'max' : 'min',
    isRunning: campaigns.some(isRunning),
    hasTargetsFromData,
  };
}

/**
 * Returns whether an imported campaign has a target precision, which the importer writes to each configuration; also
 * true for a campaign without configurations.
 */
async function hasPrecision(database: Database, campaignId: string): Promise<boolean> {
  const configuration = await findAnyConfiguration(database, campaignId);
  if (configuration === null) return true;
  return getValueAt(parseConfig(configuration), ['import', 'precision']) !== undefined;
}

/** Returns the trials in a scope; ignores the case of optimizer names. */
function filterTrials<Item extends Trial>(
  trials: readonly Item[],
  { optimizer, functionId, dimension }: TrialScope,
): Item[] {
  const names = new Set(optimizer.map((name) => name.toLowerCase()));
  const isAmong = (values: readonly number[], value: number) =>
    values.length === 0 || values.includes(value);
  return trials.filter(
    (trial) =>
      (names.size === 0 || names.has(trial.optimizerId.toLowerCase())) &&
      isAmong(functionId, trial.functionId) &&
      isAmong(dimension, trial.dimension),
  );
}

/**
 * Values by which a query can select trials: optimizers by campaign, then in the natural order of their names;
 * functions and dimensions in ascending order.
 */
export type TrialChoices = Pick<CampaignErts, 'optimizers' | 'functions' | 'dimensions'>;

/** Returns the optimizers of a campaign in the natural order of their names. */
function sortOptimizers(trials: readonly { optimizerId: string }[]): { optimizerId: string }[] {
  const names = getOptimizers(trials).sort(compareNaturally);
  return names.map((optimizerId) => ({ optimizerId }));
}

/** Returns the distinct functions and dimensions of these combinations, in ascending order. */
function getChoices(combinations: readonly Combination[]): Omit<TrialChoices, 'optimizers'> {
  const sortUnique = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  return {
    functions: sortUnique(combinations.map(({ functionId }) => functionId)),
    dimensions: sortUnique(combinations.map(({ dimension }) => dimension)),
  };
}

/** Trials in a scope, and the choices of all trials of the campaigns. */
export interface ScopedTrials<Item> {
  trials: Item[];
  choices: TrialChoices;
}

/**
 * Returns the trials in a scope, without traces, in the order of {@link loadTracedTrials}, and the choices of all
 * trials of the campaigns. {@link createOptimizerRenamer} determines the names of the optimizers.
 */
export async function loadTrials(database: Database, campaignSet: CampaignSet, scope: TrialScope) {
  const { combinations } = await getCampaignCache(database);
  return collectTrials(database, campaignSet, scope, {
    combinations,
    read: (campaignId, filter) => listOutcomes(database, campaignId, filter),
    convert: (trial) => trial,
  });
}

/** A combination of optimizer, function and dimension with trials. */
type Combination = Pick<Trial, 'optimizerId' | 'functionId' | 'dimension'>;

async function readChoices(
  database: Database,
  campaignSet: CampaignSet,
  cachedCombinations: Map<string, Promise<Combination[]>>,
) {
  const combinations: Combination[][] = [];
  for (const { campaignId } of campaignSet.campaigns) {
    const promise = cachedCombinations.get(campaignId) ?? listCombinations(database, campaignId);
    cachedCombinations.set(campaignId, promise);
    promise.catch(() => cachedCombinations.delete(campaignId));
    combinations.push(await promise);
  }
  const rename = createOptimizerRenamer(campaignSet, combinations);
  const choices: TrialChoices = {
    ...getChoices(rename(combinations)),
    optimizers: getOptimizers(rename(combinations.map(sortOptimizers))),
  };
  return { combinations, rename, choices };
}

/** Approximate number of bytes of a trial in the heap. */
const bytesPerTrial = 600;

/** Maximum number of bytes of a {@link TrialCache}: enough for almost 100,000 trials. */
const maximumCachedBytes = 100_000 * bytesPerTrial;

/** Approximate number of bytes of an entry without its value. */
const entryBytes = 1_000;

/**
 * Cache of trials, or of values that analyses compute from trials. Evicts the least recently used entries above {@link
 * maximumCachedBytes}.
 */
class TrialCache<Value> {
  /** The entries, the least recently used one first. `bytes` is 0 while the value is pending. */
  readonly #entries = new Map<string, { promise: Promise<Value>; bytes: number }>();
  readonly #estimateBytes: (value: Value) => number;

  constructor(estimateBytes: (value: Value) => number) {
    this.#estimateBytes = estimateBytes;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /**
   * Returns the value for the key from the cache, or computes it. Rejects if the computation fails, and does not cache
   * the error.
   */
  async ensure(key: string, compute: () => Promise<Value>): Promise<Value> {
    const entry = this.#entries.get(key) ?? { promise: compute(), bytes: 0 };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    try {
      const value = await entry.promise;
      entry.bytes = entryBytes + this.#estimateBytes(value);
      this.#evictOldest();
      return value;
    } catch (error) {
      this.#entries.delete(key);
      throw error;
    }
  }

  #evictOldest(): void {
    let total = this.#entries.values().reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [oldestKey, { bytes }] of this.#entries) {
      if (total <= maximumCachedBytes) break;
      this.#entries.delete(oldestKey);
      total -= bytes;
    }
  }
}

interface CampaignCache {
  snapshot: string;
  /** Combinations by campaign. */
  combinations: Map<string, Promise<Combination[]>>;
  /** Trials by campaign, functions and dimension. */
  trials: TrialCache<TracedTrial[]>;
  /** Values of {@link readDimensions} by campaigns, optimizers, functions, dimension and variant. */
  dimensions: TrialCache<DimensionValue>;
}

/** A value that an analysis computes from the trials of one dimension, with its approximate size. */
interface DimensionValue {
  bytes: number;
}

/** Cache of trials for each database, because reading the runs of the trials takes longer than the computations. */
const campaignCaches = new WeakMap<Database, CampaignCache>();

/** Returns the cache for the current state of the database; an empty cache after a change of the database. */
async function getCampaignCache(database: Database): Promise<CampaignCache> {
  const snapshot = await database.dialect.readSnapshotKey();
  const cache = campaignCaches.get(database);
  if (cache?.snapshot === snapshot) return cache;
  const emptyCache: CampaignCache = {
    snapshot,
    combinations: new Map(),
    trials: new TrialCache((trials) => trials.length * bytesPerTrial),
    dimensions: new TrialCache(({ bytes }) => bytes),
  };
  campaignCaches.set(database, emptyCache);
  return emptyCache;
}

/**
 * Returns the values that `convert` extracts from the trials in a scope, and the choices of all trials of the
 * campaigns. The trials are in the order of the optimizers of the choices, then by dimension, function, instance and
 * repetition. `convert` should extract only the values that an analysis uses, because the traces of a large campaign
 * need much memory.
 */
export async function loadTracedTrials<Item extends Pick<Trial, 'optimizerId'>>(
  context: AnalysisContext,
  campaignSet: CampaignSet,
  scope: TrialScope,
  convert: (trial: TracedTrial) => Item,
): Promise<ScopedTrials<Item>> {
  return collectTrials(context.database, campaignSet, scope, {
    ...createTrialReader(context, campaignSet, await getCampaignCache(context.database)),
    convert,
  });
}

/** Trials of one dimension, in the order of {@link loadTracedTrials}. */
export interface DimensionTrials<Item> {
  dimension: number;
  trials: Item[];
}

/**
 * Returns the choices of all trials of the campaigns, and the values that `convert` computes from the trials in a scope
 * and their traces: one value per dimension, by ascending dimension. Requests with the same campaigns, optimizers,
 * functions and `variant` (JSON) share the value of a dimension, so callers must not change the value.
 */
export async function readDimensions<Value extends DimensionValue>(
  context: AnalysisContext,
  campaignSet: CampaignSet,
  scope: TrialScope,
  {
    variant,
    convert,
  }: { variant: unknown; convert: (trials: DimensionTrials<TracedTrial>) => Value },
): Promise<{ dimensions: AsyncIterable<Value>; choices: TrialChoices }> {
  const cache = await getCampaignCache(context.database);
  const campaignFacts = await readChoices(context.database, campaignSet, cache.combinations);
  const reader = createTrialReader(context, campaignSet, cache);
  // The key includes the names of the campaigns, because the names of optimizers may contain them.
  const campaigns = campaignSet.campaigns.map(({ campaignId, name }) => [campaignId, name]);
  const { optimizer, functionId } = scope;
  return {
    dimensions: mapDimensions(campaignFacts, scope, (dimension) => {
      const key = JSON.stringify([campaigns, optimizer, functionId, dimension, variant]);
      const compute = async () =>
        convert(
          await readTrialsOfDimension(campaignSet, scope, campaignFacts, dimension, reader.read),
        );
      return cache.dimensions.ensure(key, compute) as Promise<Value>;
    }),
    choices: campaignFacts.choices,
  };
}

interface TrialReader<Row> {
  combinations: CampaignCache['combinations'];
  /** Returns the trials of a campaign that match the filter, possibly with other trials. */
  read: (campaignId: string, filter: ProblemScope) => Promise<Row[]>;
}

function createTrialReader(
  context: AnalysisContext,
  { direction }: CampaignSet,
  cache: CampaignCache,
): TrialReader<TracedTrial> {
  return {
    combinations: cache.combinations,
    read: (campaignId, filter) =>
      loadTrialsOfDimension(context, cache, campaignId, direction, filter),
  };
}

async function collectTrials<Row extends Trial, Item extends Pick<Trial, 'optimizerId'>>(
  database: Database,
  campaignSet: CampaignSet,
  scope: TrialScope,
  {
    combinations,
    read,
    convert,
  }: TrialReader<Row> & {
    convert: (trial: Row) => Item;
  },
): Promise<ScopedTrials<Item>> {
  const campaignFacts = await readChoices(database, campaignSet, combinations);
  const trials: Item[] = [];
  const dimensions = mapDimensions(campaignFacts, scope, (dimension) =>
    readTrialsOfDimension(campaignSet, scope, campaignFacts, dimension, read),
  );
  for await (const dimensionTrials of dimensions)
    for (const trial of dimensionTrials.trials) trials.push(convert(trial));
  sortByOptimizer(trials, campaignFacts.choices);
  return { trials, choices: campaignFacts.choices };
}

type CampaignFacts = Awaited<ReturnType<typeof readChoices>>;

/** Yields the value for each dimension in a scope, by ascending dimension. */
async function* mapDimensions<Value>(
  { combinations }: CampaignFacts,
  scope: TrialScope,
  getValue: (dimension: number) => Promise<Value>,
): AsyncGenerator<Value> {
  for (const dimension of getDimensions(combinations.flat(), scope)) yield getValue(dimension);
}

async function readTrialsOfDimension<Row extends Trial>(
  campaignSet: CampaignSet,
  scope: TrialScope,
  { combinations, rename, choices }: CampaignFacts,
  dimension: number,
  read: TrialReader<Row>['read'],
): Promise<DimensionTrials<Row>> {
  const trialsByCampaign: Row[][] = [];
  for (const [index, { campaignId }] of campaignSet.campaigns.entries()) {
    const hasDimension = getDimensions(combinations[index] ?? [], scope).includes(dimension);
    const filter = { functionId: scope.functionId, dimension: [dimension] };
    trialsByCampaign.push(hasDimension ? await read(campaignId, filter) : []);
  }
  const trials = filterTrials(rename(trialsByCampaign), { ...scope, dimension: [dimension] });
  return { dimension, trials: sortByOptimizer(trials, choices) };
}

/**
 * Sorts trials by optimizer, in the order of the choices, unless they are sorted. The sort is stable. Returns the same
 * array.
 */
function sortByOptimizer<Item extends Pick<Trial, 'optimizerId'>>(
  trials: Item[],
  { optimizers }: Pick<TrialChoices, 'optimizers'>,
): Item[] {
  const ranks = new Map(optimizers.map((optimizer, rank) => [optimizer, rank]));
  const getRank = ({ optimizerId }: Item) => ranks.get(optimizerId) ?? 0;
  const isSorted = trials.every((trial, index) => {
    const previousTrial = trials[index - 1];
    return (
      previousTrial === undefined ||
      previousTrial.optimizerId === trial.optimizerId ||
      getRank(previousTrial) <= getRank(trial)
    );
  });
  return isSorted ? trials : trials.sort((trialA, trialB) => getRank(trialA) - getRank(trialB));
}

/** Returns the distinct dimensions of these combinations in a scope, in ascending order. */
function getDimensions(
  combinations: readonly Combination[],
  { dimension: requestedDimensions }: TrialScope,
): number[] {
  const dimensions = new Set(combinations.map(({ dimension }) => dimension));
  return [...dimensions]
    .filter(
      (dimension) => requestedDimensions.length === 0 || requestedDimensions.includes(dimension),
    )
    .sort((a, b) => a - b);
}

/**
 * Returns the trials of a campaign that match the filter, from the cache or the database. The result may include trials
 * of other functions and dimensions.
 */
async function loadTrialsOfDimension(
  context: AnalysisContext,
  { trials: trialsByKey }: CampaignCache,
  campaignId: string,
  direction: ObjectiveDirection,
  filter: ProblemScope,
): Promise<TracedTrial[]> {
  const allFunctionsKey = JSON.stringify([campaignId, { ...filter, functionId: [] }]);
  const key = trialsByKey.has(allFunctionsKey)
    ? allFunctionsKey
    : JSON.stringify([campaignId, filter]);
  return trialsByKey.ensure(key, () => readTracedTrials(context, campaignId, direction, filter));
}

/** Function that joins the lists of several campaigns and renames their optimizers. */
type RenameOptimizers = <Item extends { optimizerId: string }>(
  trialLists: readonly Item[][],
) => Item[];

/**
 * Returns a function that joins the trials of several campaigns. If several campaigns have an optimizer of the same
 * name, the function adds the name of the campaign to the name of the optimizer. If the campaign has no name, or
 * another campaign has the same name, the function adds the id of the campaign instead.
 */
function createOptimizerRenamer(
  { campaigns }: CampaignSet,
  combinations: readonly { optimizerId: string }[][],
): RenameOptimizers {
  if (campaigns.length === 1) return (trialLists) => trialLists.flat();
  const names = combinations.map((combinationsOfCampaign) => getOptimizers(combinationsOfCampaign));
  const allNames = names.flat();
  const isShared = (name: string) => allNames.filter((otherName) => otherName === name).length > 1;
  const renamedOptimizers = campaigns.map(({ name, campaignId }, index) => {
    const hasSharedName =
      campaigns.filter((otherCampaign) => otherCampaign.name === name).length > 1;
    const suffix = hasSharedName || name === '' ? campaignId : name;
    const sharedNames = (names[index] ?? []).filter(isShared);
    return new Map(sharedNames.map((optimizer) => [optimizer, `${optimizer} (${suffix})`]));
  });
  return (trialLists) =>
    trialLists.flatMap((trialList, index) =>
      trialList.map((trial) => {
        const optimizerId = renamedOptimizers[index]?.get(trial.optimizerId);
        return optimizerId === undefined ? trial : { ...trial, optimizerId };
      }),
    );
}

async function readTracedTrials(
  context: AnalysisContext,
  campaignId: string,
  direction: ObjectiveDirection,
  filter: ProblemScope,
): Promise<TracedTrial[]> {
  const outcomes = await listOutcomes(context.database, campaignId, filter);
  const runIds = new Set(outcomes.map(({ runId }) => runId));
  const runsById = new Map<string, { trace: RunTrace; isResumed: boolean }>();
  const addTraces = async (records: readonly RunRecord[]) => {
    const runs = await loadTraces(context, records, direction);
    for (const { runId, trace, isResumed } of runs) runsById.set(runId, { trace, isResumed });
  };
  // The records of all runs together need more memory than the traces. Other threads read the traces of one batch while
  // this thread reads the records of the next batch.
  let previousBatch: Promise<void> | undefined;
  for await (const records of readRunsById(context.database, [...runIds])) {
    await previousBatch;
    previousBatch = addTraces(records);
    // The next `await previousBatch` throws the error.
    previousBatch.catch(() => {});
  }
  await previousBatch;
  return outcomes.map(({ runId, ...trial }) => {
    const { trace, isResumed = false } = runsById.get(runId) ?? {};
    const isEmpty = !trace || (trace.best.length === 0 && trace.usedEvaluations === 0);
    return { ...trial, trace: isEmpty ? null : trace, isResumed };
  });
}
