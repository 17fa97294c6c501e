import type { Database } from '#server/db/database.ts';
import { makeNotFoundError, shorten, makeValidationError } from '#server/errors.ts';
import { listRunsOfCampaign } from '#server/repositories/analysis.ts';
import { findCampaign } from '#server/repositories/coco.ts';
import {
  listCombinations,
  listOutcomes,
  type TrialPlaces,
  type TrialScope,
} from '#server/repositories/trials.ts';
import type { Trial } from '#server/stats/coco-runtime.ts';
import type { RunTrace } from '#server/domain/trace.ts';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
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
  const [suite = '', ...different] = new Set(campaigns.map((campaign) => campaign.suite));
  if (different.length > 0) {
    const message = `must be of the suite ${shorten(suite)}, not of ${different.map(shorten).join(', ')}`;
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
function within<One extends Trial>(
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
 * Values by which trials can be selected: optimizers in the order of the trials, functions and dimensions in ascending
 * order.
 */
export type TrialChoices = Pick<CampaignErts, 'optimizers' | 'functions' | 'dimensions'>;

/** Returns the {@link TrialChoices} of these trials. */
function getChoices(
  trials: readonly Pick<Trial, 'optimizerId' | 'functionId' | 'dimension'>[],
): TrialChoices {
  const rising = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  return {
    optimizers: getOptimizers(trials),
    functions: rising(trials.map(({ functionId }) => functionId)),
    dimensions: rising(trials.map(({ dimension }) => dimension)),
  };
}

/** Trials in a scope, and the choices of all trials of their campaigns. */
export interface ScopedTrials<One extends Trial> {
  trials: One[];
  choices: TrialChoices;
}

/** Returns the results of the trials in a scope, of all these campaigns; see {@link nameOptimizers}. */
export async function loadTrials(database: Database, set: CampaignSet, scope: TrialScope) {
  const parts = [];
  for (const { campaignId } of set.campaigns)
    parts.push(await listOutcomes(database, campaignId, scope));
  return getScopedTrials(database, set, parts, scope);
}

async function getScopedTrials<One extends Trial>(
  database: Database,
  set: CampaignSet,
  parts: readonly One[][],
  scope: TrialScope,
): Promise<ScopedTrials<One>> {
  const combinations = [];
  for (const { campaignId } of set.campaigns)
    combinations.push(await listCombinations(database, campaignId));
  const rename = getOptimizerNames(set, combinations);
  return {
    trials: within(rename(parts), scope),
    choices: getChoices(rename(combinations)),
  };
}

interface Loaded {
  snapshot: string;
  /** Loaded trials, by campaign, functions and dimensions. */
  trials: Map<string, Promise<TracedTrial[]>>;
}

/** Cache of the trials that were requested last: reading their runs takes longer than the computations. */
const latest = new WeakMap<Database, Loaded>();

const everywhere: TrialPlaces = { functionId: [], dimension: [] };

/**
 * Returns the trials in a scope with their traces, ordered by optimizer, dimension, function, instance and repetition.
 */
export async function loadTracedTrials(
  context: AnalysisContext,
  set: CampaignSet,
  scope: TrialScope,
): Promise<ScopedTrials<TracedTrial>> {
  const { database } = context;
  const snapshot = await database.dialect.readSnapshotKey();
  const loaded = latest.get(database);
  const cachedTrials = loaded?.snapshot === snapshot ? loaded.trials : new Map<string, never>();
  const places: TrialPlaces = { functionId: scope.functionId, dimension: scope.dimension };
  const trials = new Map(
    set.campaigns.map(({ campaignId }) => {
      const whole = JSON.stringify([campaignId, everywhere]);
      const key = cachedTrials.has(whole) ? whole : JSON.stringify([campaignId, places]);
      return [
        key,
        cachedTrials.get(key) ?? readTracedTrials(context, campaignId, set.direction, places),
      ];
    }),
  );
  latest.set(database, { snapshot, trials });
  const all = Promise.all(trials.values());
  all.catch(() => latest.delete(database));
  return getScopedTrials(database, set, await all, scope);
}

/** Joins the lists of several campaigns, with the names of the optimizers. */
type Rename = <One extends { optimizerId: string }>(parts: readonly One[][]) => One[];

/**
 * Returns how the optimizers of several campaigns are named, by all combinations of each campaign. An optimizer of the
 * same name in two of them is distinguished by the name of its campaign, or by its id where these are equal too.
 */
function getOptimizerNames(
  { campaigns }: CampaignSet,
  combinations: readonly { optimizerId: string }[][],
): Rename {
  if (campaigns.length === 1) return (parts) => parts.flat();
  const names = combinations.map((own) => getOptimizers(own));
  const all = names.flat();
  const isShared = (name: string) => all.filter((other) => other === name).length > 1;
  const renamed = campaigns.map(({ name, campaignId }, index) => {
    const isNamedAlike = campaigns.filter((other) => other.name === name).length > 1;
    const suffix = isNamedAlike || name === '' ? campaignId : name;
    const shared = (names[index] ?? []).filter(isShared);
    return new Map(shared.map((optimizer) => [optimizer, `${optimizer} (${suffix})`]));
  });
  return (parts) =>
    parts.flatMap((part, index) =>
      part.map((one) => {
        const optimizerId = renamed[index]?.get(one.optimizerId);
        return optimizerId === undefined ? one : { ...one, optimizerId };
      }),
    );
}

async function readTracedTrials(
  context: AnalysisContext,
  campaignId: string,
  direction: ObjectiveDirection,
  places: TrialPlaces,
): Promise<TracedTrial[]> {
  const records = await listRunsOfCampaign(context.database, campaignId, places);
  // Other threads read traces meanwhile.
  const [runs, outcomes] = await Promise.all([
    loadTraces(context, records, direction),
    listOutcomes(context.database, campaignId, places),
  ]);
  const traces = new Map(runs.map(({ runId, trace }) => [runId, trace]));
  return outcomes.map(({ runId, ...trial }) => {
    const trace = traces.get(runId);
    return { ...trial, trace: trace && trace.best.length > 0 ? trace : null };
  });
}
