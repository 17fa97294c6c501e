import type { Database } from '#server/db/database.ts';
import { makeNotFoundError, shorten, makeValidationError } from '#server/errors.ts';
import { readRunsById, type RunRecord } from '#server/repositories/analysis.ts';
import { findCampaign } from '#server/repositories/coco.ts';
import {
  listCombinations,
  listOutcomes,
  type ProblemScope,
  type TrialScope,
} from '#server/repositories/trials.ts';
import type { Trial } from '#server/stats/coco-runtime.ts';
import type { RunTrace } from '#server/domain/trace.ts';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { compareNaturally } from '#shared/natural-order.ts';
import { getOptimizers } from './campaign-cells.ts';
import { loadTraces, type AnalysisContext } from './load.ts';

/** Campaigns of one suite that are analysed together, with their names and the direction of the suite. */
export interface CampaignSet {
  campaigns: { campaignId: string; name: string }[];
  /** Name of all campaigns together. */
  name: string;
  suite: string;
  direction: ObjectiveDirection;
  /** Whether one of the campaigns is RUNNING. */
  isRunning: boolean;
}

/** A trial with the trace of its run; null if the run has no iterations. */
export interface TracedTrial extends Trial {
  trace: RunTrace | null;
}

/**
 * Returns the campaign with this id and the other requested campaigns, each once. Throws CAMPAIGN_NOT_FOUND, and
 * VALIDATION_FAILED for campaigns of several suites, whose functions differ. All suites are minimised except
 * IOHprofiler's PBO.
 */
export async function requireCampaigns(
  database: Database,
  campaignId: string,
  others: readonly string[],
): Promise<CampaignSet> {
  const campaigns = [];
  for (const id of new Set([campaignId, ...others])) {
    const campaign = await findCampaign(database, id);
    if (!campaign) throw makeNotFoundError('campaign', id);
    campaigns.push(campaign);
  }
  const [suite = '', ...furtherSuites] = new Set(campaigns.map((campaign) => campaign.suite));
  if (furtherSuites.length > 0) {
    const message = `must be of the suite ${shorten(suite)}, not of ${furtherSuites.map(shorten).join(', ')}`;
    throw makeValidationError([{ path: 'campaign', message }]);
  }
  return {
    campaigns,
    name: campaigns.map(({ name }) => name).join(', '),
    suite,
    direction: /^pbo$/i.test(suite) ? 'max' : 'min',
    isRunning: campaigns.some(isRunning),
  };
}

/** Returns the trials in a scope; names of optimizers ignore case. */
function filterTrials<One extends Trial>(
  trials: readonly One[],
  { optimizer, functionId, dimension }: TrialScope,
): One[] {
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
 * Values by which trials can be selected: optimizers by campaign, in the natural order of their names; functions and dimensions
 * in ascending order.
 */
export type TrialChoices = Pick<CampaignErts, 'optimizers' | 'functions' | 'dimensions'>;

/** Returns the optimizers of a campaign in the natural order of their names. */
function listByName(trials: readonly { optimizerId: string }[]): { optimizerId: string }[] {
  const names = getOptimizers(trials).sort(compareNaturally);
  return names.map((optimizerId) => ({ optimizerId }));
}

/** Returns the functions and dimensions of these trials. */
function getChoices(trials: readonly Combination[]): Omit<TrialChoices, 'optimizers'> {
  const sortUnique = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  return {
    functions: sortUnique(trials.map(({ functionId }) => functionId)),
    dimensions: sortUnique(trials.map(({ dimension }) => dimension)),
  };
}

/** Trials in a scope, and the choices of all trials of their campaigns. */
export interface ScopedTrials<One> {
  trials: One[];
  choices: TrialChoices;
}

/** Returns the results of the trials in a scope, of all these campaigns; see {@link getOptimizerNames}. */
export async function loadTrials(database: Database, set: CampaignSet, scope: TrialScope) {
  const { combinations } = await getCached(database);
  return loadParts(database, set, scope, {
    combinations,
    read: (campaignId, filter) => listOutcomes(database, campaignId, filter),
    convert: (trial) => trial,
  });
}

/** A combination of optimizer, function and dimension with trials. */
type Combination = Pick<Trial, 'optimizerId' | 'functionId' | 'dimension'>;

async function readChoices(
  database: Database,
  set: CampaignSet,
  cachedCombinations: Map<string, Promise<Combination[]>>,
) {
  const combinations: Combination[][] = [];
  for (const { campaignId } of set.campaigns) {
    const promise = cachedCombinations.get(campaignId) ?? listCombinations(database, campaignId);
    cachedCombinations.set(campaignId, promise);
    promise.catch(() => cachedCombinations.delete(campaignId));
    combinations.push(await promise);
  }
  const rename = getOptimizerNames(set, combinations);
  const choices: TrialChoices = {
    ...getChoices(rename(combinations)),
    optimizers: getOptimizers(rename(combinations.map(listByName))),
  };
  return { combinations, rename, choices };
}

/** Trials of one dimension of a campaign, while and after they are read. */
interface Part {
  promise: Promise<TracedTrial[]>;
  /** Number of trials; 0 while they are read. */
  size: number;
}

interface CachedCampaigns {
  snapshot: string;
  /** Combinations by campaign. */
  combinations: Map<string, Promise<Combination[]>>;
  /** Parts by campaign, functions and dimension, the least recently used first. */
  parts: Map<string, Part>;
}

/** Cache of the trials that were requested last: reading their runs takes longer than the computations. */
const latestCampaigns = new WeakMap<Database, CachedCampaigns>();

/** Maximum number of trials in the cache of a thread, each of which needs about 600 bytes. */
const maximumCachedTrials = 100_000;

/** Returns the cache for the current state of the database. */
async function getCached(database: Database): Promise<CachedCampaigns> {
  const snapshot = await database.dialect.readSnapshotKey();
  const cachedCampaigns = latestCampaigns.get(database);
  if (cachedCampaigns?.snapshot === snapshot) return cachedCampaigns;
  const emptyCache: CachedCampaigns = { snapshot, combinations: new Map(), parts: new Map() };
  latestCampaigns.set(database, emptyCache);
  return emptyCache;
}

/**
 * Returns the trials in a scope, each converted together with its trace, by optimizer, dimension, function, instance and
 * repetition. The traces of a large campaign need more memory than what an analysis uses of them.
 */
export async function loadTracedTrials<One extends Pick<Trial, 'optimizerId'>>(
  context: AnalysisContext,
  set: CampaignSet,
  scope: TrialScope,
  convert: (trial: TracedTrial) => One,
): Promise<ScopedTrials<One>> {
  return loadParts(context.database, set, scope, {
    ...(await getTracedSource(context, set)),
    convert,
  });
}

/** Trials of one dimension, by optimizer, function, instance and repetition. */
interface DimensionTrials<One> {
  dimension: number;
  trials: One[];
}

/**
 * Returns the trials in a scope with their traces, in one dimension after the other in ascending order, and the choices
 * of all trials of their campaigns.
 */
export async function readDimensions(
  context: AnalysisContext,
  set: CampaignSet,
  scope: TrialScope,
): Promise<{
  dimensions: AsyncIterable<DimensionTrials<TracedTrial>>;
  choices: TrialChoices;
}> {
  const source = await getTracedSource(context, set);
  const names = await readChoices(context.database, set, source.combinations);
  return { dimensions: readParts(set, scope, names, source.read), choices: names.choices };
}

interface PartSource<Read> {
  combinations: CachedCampaigns['combinations'];
  /** Returns the trials of a campaign in these functions and one dimension, and possibly others. */
  read: (campaignId: string, filter: ProblemScope) => Promise<Read[]>;
}

async function getTracedSource(
  context: AnalysisContext,
  { direction }: CampaignSet,
): Promise<PartSource<TracedTrial>> {
  const cachedCampaigns = await getCached(context.database);
  return {
    combinations: cachedCampaigns.combinations,
    read: (campaignId, filter) => loadPart(context, cachedCampaigns, campaignId, direction, filter),
  };
}

async function loadParts<Read extends Trial, One extends Pick<Trial, 'optimizerId'>>(
  database: Database,
  set: CampaignSet,
  scope: TrialScope,
  {
    combinations,
    read,
    convert,
  }: PartSource<Read> & {
    convert: (trial: Read) => One;
  },
): Promise<ScopedTrials<One>> {
  const names = await readChoices(database, set, combinations);
  const trials: One[] = [];
  for await (const part of readParts(set, scope, names, read))
    for (const trial of part.trials) trials.push(convert(trial));
  sortByOptimizer(trials, names.choices);
  return { trials, choices: names.choices };
}

async function* readParts<Read extends Trial>(
  set: CampaignSet,
  scope: TrialScope,
  { combinations, rename, choices }: Awaited<ReturnType<typeof readChoices>>,
  read: PartSource<Read>['read'],
): AsyncGenerator<DimensionTrials<Read>> {
  for (const dimension of getDimensions(combinations.flat(), scope)) {
    const parts: Read[][] = [];
    for (const [index, { campaignId }] of set.campaigns.entries()) {
      const isPart = getDimensions(combinations[index] ?? [], scope).includes(dimension);
      const filter = { functionId: scope.functionId, dimension: [dimension] };
      parts.push(isPart ? await read(campaignId, filter) : []);
    }
    const trials = filterTrials(rename(parts), { ...scope, dimension: [dimension] });
    yield { dimension, trials: sortByOptimizer(trials, choices) };
  }
}

/**
 * Sorts trials by optimizer, in the order of the choices, unless they are sorted. The sort is stable. Returns the same
 * array.
 */
function sortByOptimizer<One extends Pick<Trial, 'optimizerId'>>(
  trials: One[],
  { optimizers }: Pick<TrialChoices, 'optimizers'>,
): One[] {
  const ranks = new Map(optimizers.map((optimizer, rank) => [optimizer, rank]));
  const getRank = ({ optimizerId }: One) => ranks.get(optimizerId) ?? 0;
  const isSorted = trials.every((trial, index) => {
    const previous = trials[index - 1];
    return (
      previous === undefined ||
      previous.optimizerId === trial.optimizerId ||
      getRank(previous) <= getRank(trial)
    );
  });
  return isSorted ? trials : trials.sort((one, other) => getRank(one) - getRank(other));
}

/** Returns the dimensions of these combinations in a scope in ascending order. */
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

/** Returns the trials of one dimension, from the cache or read; they may include trials of other dimensions. */
async function loadPart(
  context: AnalysisContext,
  { parts }: CachedCampaigns,
  campaignId: string,
  direction: ObjectiveDirection,
  filter: ProblemScope,
): Promise<TracedTrial[]> {
  const wholeKey = JSON.stringify([campaignId, { ...filter, functionId: [] }]);
  const key = parts.has(wholeKey) ? wholeKey : JSON.stringify([campaignId, filter]);
  const cachedPart = parts.get(key);
  parts.delete(key);
  const part = cachedPart ?? {
    promise: readTracedTrials(context, campaignId, direction, filter),
    size: 0,
  };
  parts.set(key, part);
  try {
    const trials = await part.promise;
    part.size = trials.length;
    let total = parts.values().reduce((sum, { size }) => sum + size, 0);
    for (const [oldest, { size }] of parts) {
      if (total <= maximumCachedTrials) break;
      parts.delete(oldest);
      total -= size;
    }
    return trials;
  } catch (error) {
    parts.delete(key);
    throw error;
  }
}

/** Joins the lists of several campaigns, with the names of the optimizers. */
type RenameOptimizers = <One extends { optimizerId: string }>(parts: readonly One[][]) => One[];

/**
 * Returns how the optimizers of several campaigns are named, by all combinations of each campaign. An optimizer of the
 * same name in two of them is distinguished by the name of its campaign, or by its id where these are equal too.
 */
function getOptimizerNames(
  { campaigns }: CampaignSet,
  combinations: readonly { optimizerId: string }[][],
): RenameOptimizers {
  if (campaigns.length === 1) return (parts) => parts.flat();
  const names = combinations.map((combinationsOfCampaign) => getOptimizers(combinationsOfCampaign));
  const allNames = names.flat();
  const isShared = (name: string) => allNames.filter((other) => other === name).length > 1;
  const renamedOptimizers = campaigns.map(({ name, campaignId }, index) => {
    const isNamedAlike = campaigns.filter((other) => other.name === name).length > 1;
    const suffix = isNamedAlike || name === '' ? campaignId : name;
    const sharedNames = (names[index] ?? []).filter(isShared);
    return new Map(sharedNames.map((optimizer) => [optimizer, `${optimizer} (${suffix})`]));
  });
  return (parts) =>
    parts.flatMap((part, index) =>
      part.map((one) => {
        const optimizerId = renamedOptimizers[index]?.get(one.optimizerId);
        return optimizerId === undefined ? one : { ...one, optimizerId };
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
  const traces = new Map<string, RunTrace>();
  const addTraces = async (records: readonly RunRecord[]) => {
    const runs = await loadTraces(context, records, direction);
    for (const { runId, trace } of runs) traces.set(runId, trace);
  };
  // The records of all runs together need more memory than the traces. Other threads read traces of one part while this
  // one reads the records of the next.
  let previousPart: Promise<void> | undefined;
  for await (const records of readRunsById(context.database, [...runIds])) {
    await previousPart;
    previousPart = addTraces(records);
    // Its error is thrown above or below.
    previousPart.catch(() => {});
  }
  await previousPart;
  return outcomes.map(({ runId, ...trial }) => {
    const trace = traces.get(runId);
    return { ...trial, trace: trace && trace.best.length > 0 ? trace : null };
  });
}
