import type { Database } from '#server/db/database.ts';
import { isImported } from '#server/domain/completeness.ts';
import { getBudgetLimits } from '#server/domain/claims/guard.ts';
import { getTrialOutcome } from '#server/stats/coco-runtime.ts';
import {
  getBudgetCross,
  computeTargetEcdf,
  type TargetHits,
  simulateRestarts,
} from '#server/stats/ecdf.ts';
import { readOptimizerNames } from '#server/records/annotations.ts';
import { getFirstHits } from '#server/domain/trace.ts';
import type {
  CampaignEcdf,
  EcdfCurve,
  EcdfPanel,
  EcdfQuery,
} from '#shared/schemas/coco-analysis.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { listPowersOfTen } from '#shared/targets.ts';
import { isRunning } from '#shared/words.ts';
import {
  chooseCells,
  getOptimizers,
  type DimensionCells,
  type OptimizerCells,
  type PlacedTrial,
} from './campaign-cells.ts';
import {
  loadTracedTrials,
  loadTrials,
  requireCampaigns,
  type CampaignSet,
  type TracedTrial,
} from './campaign.ts';
import type { AnalysisContext } from './load.ts';
import { note, noteIf, makeResolutionNotes } from './notes.ts';

/** A trial with the first hits of the targets; a FAILED trial and one without a trace have none. */
interface HitTrial
  extends TargetHits, Pick<TracedTrial, 'optimizerId' | 'functionId' | 'instanceId' | 'status'> {
  grantedEvaluations: number | null;
  hasTrace: boolean;
}

/**
 * Returns the runtime ECDF over targets, one curve per optimizer and dimension, from the traces of the trials' runs,
 * over the cells that the query selects; each cell counts once. FAILED trials count as unsolved unless the query
 * excludes them. Other trials without iterations are omitted, with a note. Throws CAMPAIGN_NOT_FOUND; VALIDATION_FAILED
 * for several suites.
 */
export async function getEcdf(
  context: AnalysisContext,
  campaignId: string,
  query: EcdfQuery,
): Promise<CampaignEcdf> {
  const campaign = await requireCampaigns(context.database, campaignId, query.campaign);
  const targets =
    query.targets.length > 0
      ? query.targets
      : await getUsualTargets(context.database, campaign, query);
  const reserve = createBlocks(targets.length);
  const { trials: all, choices } = await loadTracedTrials(context, campaign, query, (trial) =>
    getHits(trial, targets, reserve()),
  );
  const ended = all.filter(({ status }) => status !== 'FAILED');
  const usable = ended.filter(({ hasTrace }) => hasTrace);
  const hit =
    query.failed === 'include'
      ? all.filter(({ status, hasTrace }) => status === 'FAILED' || hasTrace)
      : usable;
  const dimensions = chooseCells(hit, query.cells);
  const sampling = { targets: targets.length, restarts: query.restarts };
  const panels = dimensions.flatMap((cells) => getPanel(cells, hit, query.budget, sampling));
  const pooled = pool(dimensions, hit, query.cells);
  const mostUsed = usable.length === 0 ? null : getLargestBudget(hit);
  const pooledBudget = query.budget ?? least(panels.map(({ budget }) => budget)) ?? mostUsed ?? 1;
  const [onlyPanel, ...otherPanels] = panels;
  // The curves of the only dimension are also those of all dimensions.
  const isOne = dimensions.length === 1 && otherPanels.length === 0;
  const curves =
    isOne && onlyPanel?.budget === pooledBudget && onlyPanel.curves.length === pooled.length
      ? onlyPanel.curves
      : pooled.map((own) => getCurve(own, { ...sampling, budget: pooledBudget }));
  const getName = await readOptimizerNames(context.database);
  const labelled = (curve: EcdfCurve) => ({ ...curve, label: getName(curve.optimizer) });
  return {
    campaignId,
    ...choices,
    direction: campaign.direction,
    targets,
    budget: usable.length === 0 ? null : pooledBudget,
    largestBudget: mostUsed,
    restarts: query.restarts,
    pairs: curves.reduce((sum, { pairs }) => sum + pairs, 0),
    cells: query.cells,
    dropped: dimensions.flatMap(({ dropped }) => dropped),
    panels: panels.map((panel) => ({ ...panel, curves: panel.curves.map(labelled) })),
    curves: curves.map(labelled),
    notes: [
      ...makeFailedNotes(all.length - ended.length, query.failed),
      ...noteIf(ended.length > usable.length, 'TRIALS_WITHOUT_TRACE', ended.length - usable.length),
      ...makeCellNotes(dimensions),
      ...(query.cells === 'all' ? makeDifferenceNotes(chooseCells(hit, 'shared')) : []),
      ...(query.restarts ? [note('SIMULATED_RESTARTS')] : []),
      ...makeResolutionNotes(campaign.campaigns.map(isImported)),
    ],
  };
}

/** Returns the note on how FAILED trials count. */
export function makeFailedNotes(failed: number, choice: EcdfQuery['failed']): AnalysisNote[] {
  if (failed === 0) return [];
  const code = choice === 'include' ? 'TRIALS_FAILED_UNSOLVED' : 'TRIALS_FAILED_EXCLUDED';
  return [note(code, failed)];
}

/** Returns notes on the dropped cells, the cells that count as unsolved, and the dimensions without a shared cell. */
export function makeCellNotes(dimensions: readonly DimensionCells<PlacedTrial>[]): AnalysisNote[] {
  const { dropped, lost, counted } = makeCountedCells(dimensions);
  const lacking = [...new Set(dropped.flatMap(({ missingFor }) => missingFor))];
  const empty = dimensions.filter(({ optimizers }) => optimizers.every(({ cells }) => cells === 0));
  const unsolved = dimensions
    .flatMap(({ optimizers }) => optimizers)
    .map((own) => ({ ...own, missing: own.cells - getCellsWithTrials(own) }))
    .filter(({ missing }) => missing > 0);
  return [
    ...noteIf(lost > 0, 'CELLS_DROPPED', lost, lost + counted, lacking),
    ...noteIf(
      unsolved.length > 0,
      'CELLS_UNSOLVED',
      unsolved.reduce((sum, { missing }) => sum + missing, 0),
      [...new Set(unsolved.map(({ optimizer }) => optimizer))],
    ),
    ...noteIf(
      empty.length > 0,
      'NO_SHARED_CELLS',
      empty.map(({ dimension }) => dimension),
    ),
  ];
}

function makeDifferenceNotes(shared: readonly DimensionCells<PlacedTrial>[]): AnalysisNote[] {
  const { lost, counted } = makeCountedCells(shared);
  return noteIf(lost > 0, 'CELLS_DIFFER', counted, lost + counted);
}

function makeCountedCells(dimensions: readonly DimensionCells<PlacedTrial>[]) {
  const dropped = dimensions.flatMap((one) => one.dropped);
  return {
    dropped,
    lost: dropped.reduce((sum, { instances }) => sum + instances, 0),
    counted: dimensions.reduce((sum, { optimizers }) => sum + (optimizers[0]?.cells ?? 0), 0),
  };
}

function getCellsWithTrials({ trials }: OptimizerCells<PlacedTrial>): number {
  return Math.round(trials.reduce((sum, { weight }) => sum + weight, 0));
}

/** Returns 51 targets from 10² to 10⁻⁸ if precision is minimised; the targets of the trials if a value is maximised. */
async function getUsualTargets(
  database: Database,
  campaign: CampaignSet,
  scope: EcdfQuery,
): Promise<number[]> {
  if (campaign.direction === 'min') return listPowersOfTen(2, -8, 51);
  const { trials } = await loadTrials(database, campaign, scope);
  const ended = trials.filter(({ status }) => status !== 'FAILED');
  const finiteTargets = ended.map(({ targetValue }) => targetValue).filter(Number.isFinite);
  return [...new Set(finiteTargets)].sort((a, b) => b - a);
}

/** Returns a function that returns arrays of so many numbers, many in one block: separate memory for each takes longer. */
function createBlocks(length: number): () => Float64Array {
  const blockLength = length * arraysPerBlock;
  let block = new Float64Array(0);
  let next = 0;
  return () => {
    if (next + length > block.length) [block, next] = [new Float64Array(blockLength), 0];
    next += length;
    return block.subarray(next - length, next);
  };
}

const arraysPerBlock = 1_024;

function getHits(trial: TracedTrial, targets: readonly number[], empty: Float64Array): HitTrial {
  const { optimizerId, functionId, dimension, instanceId, status, grantedEvaluations, trace } =
    trial;
  const hits =
    status === 'FAILED' || trace === null
      ? empty.fill(Infinity)
      : getFirstHits(trace, targets, empty);
  const budget = Math.max(getTrialOutcome(trial)?.budget ?? 0, trace?.usedEvaluations ?? 0);
  return {
    optimizerId,
    functionId,
    dimension,
    instanceId,
    status,
    grantedEvaluations,
    hasTrace: trace !== null,
    hits,
    budget,
  };
}

interface Drawn {
  targets: number;
  restarts: boolean;
}

/** Returns the curves of a dimension; null if the optimizers share no cell. */
function getPanel(
  { dimension, optimizers }: DimensionCells<HitTrial>,
  all: readonly HitTrial[],
  requested: number | undefined,
  sampling: Drawn,
): EcdfPanel[] {
  if (optimizers.every(({ trials }) => trials.length === 0)) return [];
  const names = new Set(optimizers.map(({ optimizer }) => optimizer));
  const granted = optimizers.map((own) => ({
    optimizer: own.optimizer,
    budget: getGrantedBudget(own.trials.map(({ trial }) => trial)) / dimension,
  }));
  const smallest = granted.reduce((one, other) => (other.budget < one.budget ? other : one));
  const isKnown = requested === undefined && smallest.budget < Infinity;
  const most = getLargestBudget(
    optimizers.flatMap(({ trials }) => trials.map(({ trial }) => trial)),
  );
  const budget = requested ?? (isKnown ? smallest.budget : most);
  return [
    {
      dimension,
      budget,
      budgetSetBy: isKnown ? smallest.optimizer : null,
      absent: getOptimizers(all).filter((name) => !names.has(name)),
      curves: optimizers.map((own) => getCurve(own, { ...sampling, budget })),
    },
  ];
}

/**
 * Returns the granted evaluations, from the ended trials; Infinity if all of them solved all targets and no budget is
 * stated.
 */
function getGrantedBudget(trials: readonly HitTrial[]): number {
  const ended = trials.filter((trial) => !isRunning(trial));
  const [smallest] = getBudgetLimits(
    ended.map(({ status, grantedEvaluations, budget, hits }) => ({
      status,
      grantedEvaluations,
      usedEvaluations: budget,
      hasMissed: hits.includes(Infinity),
    })),
  );
  return smallest?.evaluations ?? Infinity;
}

/**
 * Returns the cells of all dimensions together; with shared cells, only dimensions in which every optimizer has trials.
 */
function pool(
  dimensions: readonly DimensionCells<HitTrial>[],
  all: readonly HitTrial[],
  choice: EcdfQuery['cells'],
): OptimizerCells<HitTrial>[] {
  const names = getOptimizers(all);
  const whole = dimensions.filter(
    ({ optimizers }) => choice !== 'shared' || optimizers.length === names.length,
  );
  return names.flatMap((optimizer) => {
    const parts = whole.flatMap(({ optimizers }) =>
      optimizers.filter((own) => own.optimizer === optimizer),
    );
    const cells = parts.reduce((sum, part) => sum + part.cells, 0);
    return cells === 0 ? [] : [{ optimizer, cells, trials: parts.flatMap(({ trials }) => trials) }];
  });
}

function getCurve(
  { optimizer, cells, trials }: OptimizerCells<HitTrial>,
  { targets, restarts, budget }: Drawn & { budget: number },
): EcdfCurve {
  const own = trials.map(({ trial, weight }) => (weight === 1 ? trial : { ...trial, weight }));
  const ecdf = computeTargetEcdf(restarts ? restarted(own) : own, { budget, cells, targets });
  const ended = own.filter(({ status }) => status !== 'FAILED');
  return { optimizer, trials: own.length, cells, ...ecdf, crossAt: getBudgetCross(ended) };
}

/** Returns the trials with simulated restarts, separate for each function and dimension. */
function restarted(trials: readonly HitTrial[]): TargetHits[] {
  const groups = Map.groupBy(trials, ({ optimizerId, functionId, dimension }) =>
    JSON.stringify([optimizerId, functionId, dimension]),
  );
  return [...groups].flatMap(([name, own]) => simulateRestarts(own, name));
}

/** Returns the largest budget in evaluations / dimension. */
function getLargestBudget(trials: readonly HitTrial[]): number {
  return trials.reduce((most, { budget, dimension }) => Math.max(most, budget / dimension), 0);
}

function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((one, other) => Math.min(one, other));
}
