import { isImported } from '#server/rules/completeness.ts';
import { outcomeOfTrial } from '#server/stats/coco-runtime.ts';
import {
  budgetCrossOf,
  targetEcdf,
  withRestarts,
  type TargetHits,
} from '#server/stats/target-ecdf.ts';
import { firstHits, type RunTrace } from '#server/stats/trace.ts';
import type { CampaignEcdf, EcdfCurve, EcdfQuery } from '#shared/schemas/coco-analysis.ts';
import { powersOfTen } from '#shared/targets.ts';
import {
  choicesOf,
  loadTracedTrials,
  requireCampaigns,
  within,
  type TracedTrial,
} from './campaign.ts';
import type { AnalysisContext } from './load.ts';
import { note, noteIf } from './notes.ts';
import { resolutionNotes } from './objective.ts';

/** A trial whose run has a trace. */
type Usable = TracedTrial & { trace: RunTrace };

/**
 * Runtime ECDF over targets, one curve per optimizer, from the traces of the runs of its trials. Failed trials and those
 * whose run has no iterations are left out, with a note. CAMPAIGN_NOT_FOUND; VALIDATION_FAILED for several suites.
 */
export async function getEcdf(
  context: AnalysisContext,
  campaignId: string,
  query: EcdfQuery,
): Promise<CampaignEcdf> {
  const campaign = await requireCampaigns(context.database, campaignId, query.campaign);
  const trials = await loadTracedTrials(context, campaign);
  const all = within(trials, query);
  const ended = all.filter(({ status }) => status !== 'FAILED');
  const usable = ended.filter((trial): trial is Usable => trial.trace !== null);
  const targets =
    query.targets.length > 0 ? query.targets : usualTargets(campaign.direction, ended);
  const mostUsed = usable.length === 0 ? null : largestBudget(usable);
  const budget = query.budget ?? mostUsed ?? 1;
  const curves = Array.from(
    Map.groupBy(usable, ({ optimizerId }) => optimizerId),
    ([optimizer, own]) => curveOf(optimizer, own, { ...query, targets, budget }),
  );
  const [failed, traceless] = [all.length - ended.length, ended.length - usable.length];
  return {
    campaignId,
    ...choicesOf(trials),
    direction: campaign.direction,
    targets,
    budget: usable.length === 0 ? null : budget,
    largestBudget: mostUsed,
    restarts: query.restarts,
    pairs: curves.reduce((sum, { pairs }) => sum + pairs, 0),
    curves,
    notes: [
      ...noteIf(failed > 0, 'TRIALS_FAILED', failed),
      ...noteIf(traceless > 0, 'TRIALS_WITHOUT_TRACE', traceless),
      ...(query.restarts ? [note('SIMULATED_RESTARTS')] : []),
      ...resolutionNotes(campaign.campaigns.map(isImported)),
    ],
  };
}

/** 10² to 10⁻⁸ in 51 steps where precision is minimised; the targets of the trials where a value is maximised. */
function usualTargets(direction: 'min' | 'max', trials: readonly TracedTrial[]): number[] {
  if (direction === 'min') return powersOfTen(2, -8, 51);
  const stated = trials.map(({ targetValue }) => targetValue).filter(Number.isFinite);
  return [...new Set(stated)].sort((a, b) => b - a);
}

function curveOf(
  optimizer: string,
  trials: readonly Usable[],
  { targets, budget, restarts }: { targets: readonly number[]; budget: number; restarts: boolean },
): EcdfCurve {
  const own = trials.map((trial) => hitsOf(trial, targets));
  const ecdf = targetEcdf(restarts ? restarted(trials, own) : own, budget);
  return { optimizer, trials: trials.length, ...ecdf, crossAt: budgetCrossOf(own) };
}

/** The trials of each function and dimension with restarts of their own. */
function restarted(trials: readonly Usable[], hits: readonly TargetHits[]): TargetHits[] {
  const groups = Map.groupBy(hits.keys(), (index) => {
    const { optimizerId = '', functionId = 0, dimension = 0 } = trials[index] ?? {};
    return JSON.stringify([optimizerId, functionId, dimension]);
  });
  return [...groups].flatMap(([name, indices]) =>
    withRestarts(
      indices.flatMap((index) => hits[index] ?? []),
      name,
    ),
  );
}

function hitsOf(trial: Usable, targets: readonly number[]): TargetHits {
  return {
    dimension: trial.dimension,
    hits: firstHits(trial.trace, targets),
    budget: budgetOf(trial),
  };
}

/** Evaluations that a trial used: as it states, but never fewer than its trace shows. */
function budgetOf(trial: Usable): number {
  return Math.max(outcomeOfTrial(trial)?.budget ?? 0, trial.trace.spent);
}

function largestBudget(trials: readonly Usable[]): number {
  return trials.reduce((most, trial) => Math.max(most, budgetOf(trial) / trial.dimension), 0);
}
