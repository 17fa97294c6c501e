import type { Database } from '#server/db/database.ts';
import { notFound, shortened, validationError } from '#server/errors.ts';
import { listRunsOfCampaign } from '#server/repositories/analysis.ts';
import { findCampaign } from '#server/repositories/coco.ts';
import { listOutcomes, type TrialScope } from '#server/repositories/trials.ts';
import type { Trial } from '#server/stats/coco-runtime.ts';
import type { RunTrace } from '#server/domain/trace.ts';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { optimizersOf } from './campaign-cells.ts';
import { loadTraces, type AnalysisContext } from './load.ts';

/** Campaigns of one suite that are analysed together, what they are called, and which way their suite goes. */
export interface CampaignSet {
  campaigns: { campaignId: string; name: string }[];
  /** Of all of them. */
  name: string;
  suite: string;
  direction: ObjectiveDirection;
  /** Whether one of them says RUNNING. */
  isRunning: boolean;
}

/** A trial with the best so far of its run; null where that has no iterations. */
export interface TracedTrial extends Trial {
  trace: RunTrace | null;
}

/**
 * Returns the campaign with this id and the other requested ones, each once; throws CAMPAIGN_NOT_FOUND, and VALIDATION_FAILED where they are of
 * several suites, whose functions are not the same. All suites are minimised but IOHprofiler's PBO.
 */
export async function requireCampaigns(
  database: Database,
  campaignId: string,
  others: readonly string[],
): Promise<CampaignSet> {
  const campaigns = [];
  for (const id of new Set([campaignId, ...others])) {
    const campaign = await findCampaign(database, id);
    if (!campaign) throw notFound('campaign', id);
    campaigns.push(campaign);
  }
  const [suite = '', ...different] = new Set(campaigns.map((campaign) => campaign.suite));
  if (different.length > 0) {
    const message = `must be of the suite ${shortened(suite)}, not of ${different.map(shortened).join(', ')}`;
    throw validationError([{ path: 'campaign', message }]);
  }
  return {
    campaigns,
    name: campaigns.map(({ name }) => name).join(', '),
    suite,
    direction: /^pbo$/i.test(suite) ? 'max' : 'min',
    isRunning: campaigns.some(isRunning),
  };
}

/** Those of the trials that are in a scope; optimizers are named without regard to case. */
export function within<One extends Trial>(
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

/** What trials can be chosen by: their optimizers in the order of the trials, functions and dimensions rising. */
export type TrialChoices = Pick<CampaignErts, 'optimizers' | 'functions' | 'dimensions'>;

/** What these trials can be chosen by. */
export function choicesOf(trials: readonly Trial[]): TrialChoices {
  const rising = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  return {
    optimizers: optimizersOf(trials),
    functions: rising(trials.map(({ functionId }) => functionId)),
    dimensions: rising(trials.map(({ dimension }) => dimension)),
  };
}

/** Returns the results of the trials of all these campaigns; see {@link distinguishOptimizers}. */
export async function loadTrials(database: Database, set: CampaignSet) {
  const parts = [];
  for (const { campaignId } of set.campaigns) parts.push(await listOutcomes(database, campaignId));
  return distinguishOptimizers(set, parts);
}

interface Loaded {
  snapshot: string;
  /** By campaign. */
  trials: Map<string, Promise<TracedTrial[]>>;
}

/** The latest requested campaigns: reading their runs again costs more than the computations on them. */
const latest = new WeakMap<Database, Loaded>();

/** The trials of campaigns with their traces, in the order of optimizer, dimension, function, instance and repetition. */
export async function loadTracedTrials(
  context: AnalysisContext,
  set: CampaignSet,
): Promise<TracedTrial[]> {
  const { database } = context;
  const snapshot = await database.dialect.snapshotKey();
  const held = latest.get(database);
  const known = held?.snapshot === snapshot ? held.trials : new Map<string, never>();
  const trials = new Map(
    set.campaigns.map(({ campaignId }) => [
      campaignId,
      known.get(campaignId) ?? readTracedTrials(context, campaignId, set.direction),
    ]),
  );
  latest.set(database, { snapshot, trials });
  const all = Promise.all(trials.values());
  all.catch(() => latest.delete(database));
  return distinguishOptimizers(set, await all);
}

/**
 * The trials of several campaigns as one list. An optimizer of the same name in two of them is distinguished by the name of
 * its campaign, or by its id where these are equal too.
 */
function distinguishOptimizers<One extends Trial>(
  { campaigns }: CampaignSet,
  parts: readonly One[][],
): One[] {
  if (campaigns.length === 1) return parts.flat();
  const names = parts.flatMap((trials) => optimizersOf(trials));
  const isShared = (name: string) => names.filter((other) => other === name).length > 1;
  return parts.flatMap((trials, index) => {
    const { name = '', campaignId = '' } = campaigns[index] ?? {};
    const isNamedAlike = campaigns.filter((other) => other.name === name).length > 1;
    const suffix = isNamedAlike || name === '' ? campaignId : name;
    const shared = new Set(optimizersOf(trials).filter(isShared));
    return trials.map((trial) =>
      shared.has(trial.optimizerId)
        ? { ...trial, optimizerId: `${trial.optimizerId} (${suffix})` }
        : trial,
    );
  });
}

async function readTracedTrials(
  context: AnalysisContext,
  campaignId: string,
  direction: ObjectiveDirection,
): Promise<TracedTrial[]> {
  const records = await listRunsOfCampaign(context.database, campaignId);
  // Other threads read traces meanwhile.
  const [runs, outcomes] = await Promise.all([
    loadTraces(context, records, direction),
    listOutcomes(context.database, campaignId),
  ]);
  const traces = new Map(runs.map(({ runId, trace }) => [runId, trace]));
  return outcomes.map(({ runId, ...trial }) => {
    const trace = traces.get(runId);
    return { ...trial, trace: trace && trace.best.length > 0 ? trace : null };
  });
}
