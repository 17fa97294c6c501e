import type { Database } from '#server/db/database.ts';
import { campaignNotFound } from '#server/errors.ts';
import { listRunsOfCampaign } from '#server/repositories/analysis.ts';
import { findCampaign } from '#server/repositories/coco.ts';
import { listOutcomes } from '#server/repositories/trials.ts';
import type { Trial } from '#server/stats/coco-runtime.ts';
import type { RunTrace } from '#server/stats/trace.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { loadTraces, type AnalysisContext } from './load.ts';

/** What a campaign is called, and which way its suite goes. */
export interface CampaignHead {
  campaignId: string;
  name: string;
  suite: string;
  direction: ObjectiveDirection;
}

/** A trial with the best so far of its run; null where that has no iterations. */
export interface TracedTrial extends Trial {
  trace: RunTrace | null;
}

/** Trials of any of these; empty lists restrict nothing. */
export interface TrialScope {
  optimizer: readonly string[];
  functionId: readonly number[];
  dimension: readonly number[];
}

/** The campaign with this id; throws CAMPAIGN_NOT_FOUND. All suites are minimised but IOHprofiler's PBO. */
export async function requireCampaign(
  database: Database,
  campaignId: string,
): Promise<CampaignHead> {
  const campaign = await findCampaign(database, campaignId);
  if (!campaign) throw campaignNotFound(campaignId);
  const { name, suite } = campaign;
  return { campaignId, name, suite, direction: /^pbo$/i.test(suite) ? 'max' : 'min' };
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

interface Loaded {
  campaignId: string;
  snapshot: string;
  trials: Promise<TracedTrial[]>;
}

/** The campaign that was asked for last: to look its runs up again costs more than what is computed of them. */
const latest = new WeakMap<Database, Loaded>();

/** The trials of a campaign with their traces, in the order of optimizer, dimension, function, instance and repetition. */
export async function loadTracedTrials(
  context: AnalysisContext,
  { campaignId, direction }: CampaignHead,
): Promise<TracedTrial[]> {
  const { database } = context;
  const snapshot = await database.dialect.snapshotKey();
  const known = latest.get(database);
  if (known?.campaignId === campaignId && known.snapshot === snapshot) return known.trials;
  const trials = readTracedTrials(context, campaignId, direction);
  latest.set(database, { campaignId, snapshot, trials });
  trials.catch(() => latest.delete(database));
  return trials;
}

async function readTracedTrials(
  context: AnalysisContext,
  campaignId: string,
  direction: ObjectiveDirection,
): Promise<TracedTrial[]> {
  const outcomes = await listOutcomes(context.database, campaignId);
  const records = await listRunsOfCampaign(context.database, campaignId);
  const runs = await loadTraces(context, records, direction);
  const traces = new Map(runs.map(({ runId, trace }) => [runId, trace]));
  return outcomes.map(({ runId, ...trial }) => {
    const trace = traces.get(runId);
    return { ...trial, trace: trace && trace.best.length > 0 ? trace : null };
  });
}
