import type { Database } from '#server/db/database.ts';
import { isImported } from '#server/domain/completeness.ts';
import { getBudgetLimits } from '#server/domain/claims/budget-limits.ts';
import { hasStoppedAtTarget } from '#server/stats/coco-runtime.ts';
import { computeMedian, getMaximum, getMinimum, sum } from '#server/stats/descriptive.ts';
import {
  collectTargetCosts,
  collectVisitedCosts,
  computeTargetEcdf,
  joinTargetCosts,
  simulateRestarts,
  type TargetCosts,
  type TargetHits,
} from '#server/stats/ecdf.ts';
import { readOptimizerNames } from '#server/records/annotations.ts';
import {
  getFirstHits,
  hasReached,
  type Improvements,
  visitFirstHits,
} from '#server/domain/trace.ts';
import type {
  CampaignEcdf,
  EcdfCurve,
  EcdfPanel,
  EcdfQuery,
} from '#shared/schemas/coco-analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { listPowersOfTen } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';
import {
  chooseCells,
  getCellCounts,
  getOptimizers,
  makeCellNotes,
  makeCellDifferenceNotes,
  makeFailedNotes,
  type CellCounts,
  type CellTrial,
  type OptimizerCells,
} from './campaign-cells.ts';
import {
  getRestartCost,
  getUsedEvaluations,
  loadTrials,
  readDimensions,
  requireCampaigns,
  type CampaignSet,
  type DimensionTrials,
  type TracedTrial,
} from './campaign.ts';
import type { AnalysisContext } from './load.ts';
import {
  countDecreasingRuns,
  makeEvaluationNotes,
  makeNoteIf,
  makeResolutionNotes,
} from './notes.ts';

/** Results of an optimizer in a dimension. */
interface OptimizerResults {
  optimizer: string;
  /** Number of trials. */
  trials: number;
  /** Number of cells that count. */
  cells: number;
  /** Number of these cells that have a trial. */
  coveredCells: number;
  costs: TargetCosts;
  /**
   * Smallest budget limit of the ended trials, in evaluations / dimension; Infinity if nothing limits them. See {@link
   * getBudgetLimits}.
   */
  budgetLimit: number;
  /** Largest number of used evaluations / dimension; 0 without trials. */
  largestBudget: number;
  /** Used evaluations / dimension of the trials that missed a target, without FAILED trials. */
  unsuccessfulBudgets: number[];
  /** Number of these trials that stopped at their own, easier target. */
  stoppedTrials: number;
}

/** The results of a dimension. */
interface DimensionResults extends CellCounts {
  optimizers: OptimizerResults[];
}

/**
 * Returns the runtime ECDFs over targets from the traces of the trials' runs: a curve per optimizer for each dimension,
 * and one for all dimensions. The curves cover the cells that the query selects; each cell counts once. The curves for
 * all dimensions omit the unknown dimension 0 if there are others. FAILED trials count as unsolved unless the query
 * excludes them. Omits other trials without a trace, and reports their number in a note. Throws CAMPAIGN_NOT_FOUND;
 * VALIDATION_FAILED for several suites.
 */
export async function getEcdf(
  context: AnalysisContext,
  campaignId: string,
  query: EcdfQuery,
): Promise<CampaignEcdf> {
  const campaignSet = await requireCampaigns(context.database, campaignId, query.campaign);
  const targets =
    query.targets.length > 0
      ? query.targets
      : await getDefaultTargets(context.database, campaignSet, query);
  const { dimensions: comparedDimensions, choices } = await readDimensions(
    context,
    campaignSet,
    query,
    {
      variant: [query.failed, query.cells],
      convert: (trials) => selectComparedTrials(trials, campaignSet.direction, query),
    },
  );
  const trialCounts = { ...noCounts };
  const names = new Set<string>();
  const results: DimensionResults[] = [];
  const sharedCells: CellCounts[] = [];
  // Imports store an unknown dimension as 0. Then x is in evaluations.
  const largestUsedBudgets = { knownDimension: 0, unknownDimension: 0 };
  for await (const comparedTrials of comparedDimensions) {
    for (const kind of countedKinds) trialCounts[kind] += comparedTrials.counts[kind];
    for (const name of comparedTrials.names) names.add(name);
    const divisor = Math.max(1, comparedTrials.dimension);
    const key = comparedTrials.dimension === 0 ? 'unknownDimension' : 'knownDimension';
    largestUsedBudgets[key] = Math.max(
      largestUsedBudgets[key],
      comparedTrials.largestBudget / divisor,
    );
    for (const dimensionCells of comparedTrials.cells)
      results.push({
        ...dimensionCells,
        optimizers: dimensionCells.optimizers.map((attempts) =>
          getResults(attempts, divisor, targets, query.restarts),
        ),
      });
    sharedCells.push(...comparedTrials.sharedCells);
  }
  const optimizers = choices.optimizers.filter((name) => names.has(name));
  const hasTargetsFromData =
    campaignSet.hasTargetsFromData && campaignSet.direction === 'max' && query.targets.length === 0;
  const hasFailures = trialCounts.failedCount > 0 && query.failed === 'include';
  const stoppedCount = sum(
    results.flatMap((result) => result.optimizers.map(({ stoppedTrials }) => stoppedTrials)),
  );
  const dimensions =
    query.cells === 'unsolved'
      ? results.map((dimensionResults) => addUnsolvedOptimizers(dimensionResults, optimizers))
      : results;
  const panels = dimensions.flatMap((dimensionResults) =>
    getPanel(dimensionResults, optimizers, query.budget, targets),
  );
  // Budgets in the unknown dimension 0 have another unit. Therefore, the curves over all dimensions omit this dimension
  // if there are others.
  const hasDimension = panels.some(({ dimension }) => dimension !== 0);
  const isPooled = ({ dimension }: { dimension: number }) => !hasDimension || dimension !== 0;
  const pooledResults = poolDimensions(dimensions.filter(isPooled), optimizers, query.cells);
  const { knownDimension, unknownDimension } = largestUsedBudgets;
  const largestUsedBudget = hasDimension ? knownDimension : unknownDimension || knownDimension;
  const largestBudget = trialCounts.usableCount === 0 ? null : largestUsedBudget;
  const pooledBudget =
    query.budget ??
    getMinimum(panels.filter(isPooled).map(({ budget }) => budget)) ??
    largestBudget ??
    1;
  const [onlyPanel, ...otherPanels] = panels;
  // If there is only one dimension, its curves are also the curves of all dimensions.
  const hasOnePanel = dimensions.length === 1 && otherPanels.length === 0;
  const curves =
    hasOnePanel &&
    onlyPanel?.budget === pooledBudget &&
    onlyPanel.curves.length === pooledResults.length
      ? onlyPanel.curves
      : pooledResults.map((optimizerResults) => getCurve(optimizerResults, pooledBudget, targets));
  const getName = await readOptimizerNames(context.database, choices.optimizers);
  const addLabel = (curve: EcdfCurve) => ({ ...curve, label: getName(curve.optimizer) });
  return {
    campaignId,
    ...choices,
    direction: campaignSet.direction,
    targets,
    budget: trialCounts.usableCount === 0 ? null : pooledBudget,
    largestBudget,
    restarts: query.restarts,
    pairs: sum(curves.map(({ pairs }) => pairs)),
    cells: query.cells,
    dropped: dimensions.flatMap(({ dropped }) => dropped),
    panels: panels.map((panel) => ({ ...panel, curves: panel.curves.map(addLabel) })),
    curves: curves.map(addLabel),
    notes: [
      ...makeNoteIf(trialCounts.repeatedCount > 0, 'TRIALS_REPEATED', trialCounts.repeatedCount),
      ...makeNoteIf(hasTargetsFromData, 'TARGETS_FROM_DATA'),
      ...makeFailedNotes(trialCounts.failedCount, query.failed),
      ...makeNoteIf(
        trialCounts.tracelessCount > 0,
        'TRIALS_WITHOUT_TRACE',
        trialCounts.tracelessCount,
      ),
      ...makeNoteIf(stoppedCount > 0, 'TRIALS_STOPPED_AT_TARGET', stoppedCount),
      ...makeEvaluationNotes(trialCounts),
      ...makeCellNotes(dimensions),
      ...makeCellDifferenceNotes(sharedCells, optimizers.length),
      ...makeNoteIf(query.restarts, 'SIMULATED_RESTARTS', hasFailures),
      ...makeResolutionNotes(campaignSet.campaigns.map(isImported)),
    ],
  };
}

const noCounts = {
  failedCount: 0,
  tracelessCount: 0,
  usableCount: 0,
  repeatedCount: 0,
  restartedRuns: 0,
  decreasingRuns: 0,
};
const countedKinds = Object.keys(noCounts) as (keyof typeof noCounts)[];

/** The compared trials of a dimension, independent of the targets. */
interface ComparedTrials {
  dimension: number;
  /** Approximate number of bytes in memory. */
  bytes: number;
  /**
   * Numbers of FAILED trials, of other trials without a trace, and of other trials with a trace; the counts of {@link
   * countDecreasingRuns} among the trials that have not FAILED; the number of repeated trials among all trials.
   */
  counts: typeof noCounts;
  /** The optimizers of the compared trials. */
  names: string[];
  /** Largest number of used evaluations; 0 without compared trials. */
  largestBudget: number;
  /** The cells that the query selects; empty without compared trials. */
  cells: (Omit<CellCounts, 'optimizers'> & { optimizers: OptimizerAttempts[] })[];
  /** If the query selects all cells, the counts of {@link chooseCells} for `shared`; otherwise empty. */
  sharedCells: CellCounts[];
}

/** The attempts of an optimizer in a dimension. */
interface OptimizerAttempts extends Omit<OptimizerCells<CellTrial>, 'trials'> {
  attempts: Attempt[];
  /** The improvements of all attempts in two arrays, because visiting separate traces takes several times as long. */
  improvements: Improvements;
}

/**
 * Returns the compared trials of a dimension with their cells. Omits FAILED trials if the query excludes them, and
 * other trials without a trace.
 */
function selectComparedTrials(
  { dimension, trials }: DimensionTrials<TracedTrial>,
  direction: ObjectiveDirection,
  query: EcdfQuery,
): ComparedTrials {
  const repeatedCount = trials.filter(({ isRepeated }) => isRepeated).length;
  const decreasingCounts = countDecreasingRuns(trials.filter(({ status }) => status !== 'FAILED'));
  const counts = { ...noCounts, repeatedCount, ...decreasingCounts };
  const comparedTrials = trials.filter(({ status, trace }) => {
    const kind =
      status === 'FAILED' ? 'failedCount' : trace === null ? 'tracelessCount' : 'usableCount';
    counts[kind] += 1;
    return kind === 'usableCount' || (kind === 'failedCount' && query.failed === 'include');
  });
  const cells = chooseCells(comparedTrials, query.cells).map((dimensionCells) => ({
    ...dimensionCells,
    optimizers: dimensionCells.optimizers.map((optimizer) => packAttempts(optimizer, direction)),
  }));
  return {
    dimension,
    bytes: estimateBytes(cells.flatMap(({ optimizers }) => optimizers)),
    counts,
    names: getOptimizers(comparedTrials),
    largestBudget: getMaximum(comparedTrials.map(getUsedEvaluations)) ?? 0,
    cells,
    sharedCells:
      query.cells === 'all' ? chooseCells(comparedTrials, 'shared').map(getCellCounts) : [],
  };
}

/** Approximate number of bytes of an {@link Attempt}. */
const attemptBytes = 100;

function estimateBytes(optimizers: readonly OptimizerAttempts[]): number {
  return optimizers.reduce(
    (bytes, { attempts, improvements }) =>
      bytes +
      attempts.length * attemptBytes +
      improvements.evaluations.byteLength +
      improvements.best.byteLength,
    0,
  );
}

function packAttempts(
  { trials, ...optimizerCells }: OptimizerCells<TracedTrial>,
  direction: ObjectiveDirection,
): OptimizerAttempts {
  const traces = trials.map(({ trial }) => (trial.status === 'FAILED' ? null : trial.trace));
  const length = sum(traces.map((trace) => trace?.best.length ?? 0));
  const improvements = {
    direction,
    evaluations: new Float64Array(length),
    best: new Float64Array(length),
  };
  let to = 0;
  const attempts = trials.map(({ trial, weight }, index): Attempt => {
    const { functionId, dimension, status, grantedEvaluations } = trial;
    const trace = traces[index];
    const from = to;
    if (trace) {
      improvements.evaluations.set(trace.evaluations, from);
      improvements.best.set(trace.best, from);
      to += trace.best.length;
    }
    const usedEvaluations = getUsedEvaluations(trial);
    const divisor = Math.max(1, dimension);
    return {
      functionId,
      dimension: divisor,
      status,
      grantedEvaluations,
      usedEvaluations,
      restartCost: getRestartCost(trial),
      hasStopped: hasStoppedAtTarget(trial, usedEvaluations),
      weight,
      from,
      to,
    };
  });
  return { ...optimizerCells, attempts, improvements };
}

/**
 * Returns the results of a dimension, with unsolved results of the optimizers without trials in the dimension, because
 * every cell counts for every optimizer. The optimizers are in the order of the names.
 */
function addUnsolvedOptimizers(
  dimensionResults: DimensionResults,
  names: readonly string[],
): DimensionResults {
  const cells = dimensionResults.optimizers[0]?.cells ?? 0;
  return {
    ...dimensionResults,
    optimizers: names.map(
      (optimizer) =>
        dimensionResults.optimizers.find(
          (optimizerResults) => optimizerResults.optimizer === optimizer,
        ) ?? {
          optimizer,
          trials: 0,
          cells,
          coveredCells: 0,
          costs: { pairs: 0, classes: [] },
          budgetLimit: Infinity,
          largestBudget: 0,
          unsuccessfulBudgets: [],
          stoppedTrials: 0,
        },
    ),
  };
}

/**
 * Returns the default targets in descending order. For minimisation, these are 51 precisions from 10² to 10⁻⁸. For
 * maximisation, they are the distinct finite targets of the trials in the scope that have not FAILED; empty if there
 * are none.
 */
async function getDefaultTargets(
  database: Database,
  campaignSet: CampaignSet,
  scope: EcdfQuery,
): Promise<number[]> {
  if (campaignSet.direction === 'min') return listPowersOfTen(2, -8, 51);
  const { trials } = await loadTrials(database, campaignSet, scope);
  const nonFailedTrials = trials.filter(({ status }) => status !== 'FAILED');
  const finiteTargets = nonFailedTrials
    .map(({ targetValue }) => targetValue)
    .filter(Number.isFinite);
  return [...new Set(finiteTargets)].sort((a, b) => b - a);
}

/**
 * Returns the results of an optimizer in a dimension from its attempts. `dimension` is at least 1, and the targets are
 * in descending order.
 */
function getResults(
  { optimizer, cells, coveredCells, attempts, improvements }: OptimizerAttempts,
  dimension: number,
  targets: readonly number[],
  hasRestarts: boolean,
): OptimizerResults {
  const { best, direction } = improvements;
  const hardestTarget = direction === 'max' ? targets[0] : targets.at(-1);
  const hasMissed = ({ from, to }: Attempt): boolean =>
    hardestTarget !== undefined &&
    (from === to || !hasReached(best[to - 1] ?? NaN, hardestTarget, direction));
  const unsuccessfulAttempts = attempts.filter(
    (attempt) => attempt.status !== 'FAILED' && hasMissed(attempt),
  );
  return {
    optimizer,
    trials: attempts.length,
    cells,
    coveredCells,
    costs: hasRestarts
      ? collectTargetCosts(addRestarts(optimizer, { attempts, improvements }, targets))
      : collectVisitedCosts(attempts, attempts.length * targets.length, ({ from, to }, add) =>
          visitFirstHits({ ...improvements, from, to }, targets, add),
        ),
    budgetLimit: getSmallestLimit(attempts, hasMissed) / dimension,
    largestBudget:
      (getMaximum(attempts.map(({ usedEvaluations }) => usedEvaluations)) ?? 0) / dimension,
    unsuccessfulBudgets: unsuccessfulAttempts.map(
      ({ usedEvaluations }) => usedEvaluations / dimension,
    ),
    stoppedTrials: unsuccessfulAttempts.filter(({ hasStopped }) => hasStopped).length,
  };
}

/** A trial as an attempt at all targets. */
interface Attempt extends Pick<TracedTrial, 'functionId' | 'status' | 'grantedEvaluations'> {
  dimension: number;
  /** Used evaluations; 0 if unknown. */
  usedEvaluations: number;
  /** Evaluations that the trial costs as a simulated restart; 0 if unknown. */
  restartCost: number;
  /** Whether the trial stopped at its own target. */
  hasStopped: boolean;
  weight: number;
  /**
   * Index of the first improvement of the trial, and the index after the last one. Both are equal without improvements,
   * and for a FAILED trial, because it reaches no target.
   */
  from: number;
  to: number;
}

/** Returns the panel of a dimension as a list; an empty list if no optimizer has a trial in a cell that counts. */
function getPanel(
  { dimension, optimizers }: DimensionResults,
  names: readonly string[],
  requestedBudget: number | undefined,
  targets: readonly number[],
): EcdfPanel[] {
  if (optimizers.every(({ trials }) => trials === 0)) return [];
  const limit = getMinimum(optimizers.map(({ budgetLimit }) => budgetLimit)) ?? Infinity;
  const limitingOptimizers = optimizers.filter(({ budgetLimit }) => budgetLimit === limit);
  const [limitingOptimizer] = limitingOptimizers.length === 1 ? limitingOptimizers : [];
  const hasLimit = requestedBudget === undefined && limit < Infinity;
  const largestBudget =
    getMaximum(optimizers.map((optimizerResults) => optimizerResults.largestBudget)) ?? 0;
  const budget = requestedBudget ?? (hasLimit ? limit : largestBudget);
  const presentOptimizers = new Set(optimizers.map(({ optimizer }) => optimizer));
  return [
    {
      dimension,
      budget,
      budgetSetBy: hasLimit ? (limitingOptimizer?.optimizer ?? null) : null,
      absent: names.filter((name) => !presentOptimizers.has(name)),
      curves: optimizers.map((optimizerResults) => getCurve(optimizerResults, budget, targets)),
    },
  ];
}

/**
 * Returns the smallest budget limit of the ended trials, in evaluations; Infinity if nothing limits them. See {@link
 * getBudgetLimits}.
 */
function getSmallestLimit(
  attempts: readonly Attempt[],
  hasMissed: (attempt: Attempt) => boolean,
): number {
  const endedAttempts = attempts.filter((attempt) => !isRunning(attempt));
  const [smallestLimit] = getBudgetLimits(
    endedAttempts.map((attempt) => ({
      status: attempt.status,
      grantedEvaluations: attempt.grantedEvaluations,
      usedEvaluations: attempt.usedEvaluations,
      hasMissed: hasMissed(attempt),
    })),
  );
  return smallestLimit?.evaluations ?? Infinity;
}

/**
 * Returns the results of each optimizer over all dimensions; for `shared`, over the dimensions in which every optimizer
 * has trials. Omits optimizers without cells.
 */
function poolDimensions(
  dimensions: readonly DimensionResults[],
  names: readonly string[],
  choice: EcdfQuery['cells'],
): PooledResults[] {
  const completeDimensions = dimensions.filter(
    ({ optimizers }) => choice !== 'shared' || optimizers.length === names.length,
  );
  return names.flatMap((optimizer) => {
    const resultsOfOptimizer = completeDimensions.flatMap(({ optimizers }) =>
      optimizers.filter((optimizerResults) => optimizerResults.optimizer === optimizer),
    );
    const cells = sum(resultsOfOptimizer.map((optimizerResults) => optimizerResults.cells));
    if (cells === 0) return [];
    return [
      {
        optimizer,
        trials: sum(resultsOfOptimizer.map(({ trials }) => trials)),
        cells,
        // Joins the costs only when the caller computes the curve, because the joined costs of all optimizers need much
        // memory.
        get costs() {
          return joinTargetCosts(
            resultsOfOptimizer.map((optimizerResults) => optimizerResults.costs),
          );
        },
        unsuccessfulBudgets: resultsOfOptimizer.flatMap(
          (optimizerResults) => optimizerResults.unsuccessfulBudgets,
        ),
      },
    ];
  });
}

type PooledResults = Pick<
  OptimizerResults,
  'optimizer' | 'trials' | 'cells' | 'costs' | 'unsuccessfulBudgets'
>;

function getCurve(
  { optimizer, trials, cells, costs, unsuccessfulBudgets }: PooledResults,
  budget: number,
  targets: readonly number[],
): EcdfCurve {
  const ecdf = computeTargetEcdf(costs, { budget, cells, targets: targets.length });
  return { optimizer, trials, cells, ...ecdf, crossAt: computeMedian(unsuccessfulBudgets) };
}

/**
 * Returns the first hits of the attempts with simulated restarts. The restarts of a trial use only trials on the same
 * function.
 */
function addRestarts(
  optimizer: string,
  { attempts, improvements }: Pick<OptimizerAttempts, 'attempts' | 'improvements'>,
  targets: readonly number[],
): TargetHits[] {
  const trials = attempts.map(({ from, to, ...attempt }) => ({
    ...attempt,
    usedEvaluations: attempt.restartCost,
    hits: getFirstHits({ ...improvements, from, to }, targets),
  }));
  const functions = Map.groupBy(trials, ({ functionId }) => functionId);
  return [...functions].flatMap(([functionId, functionTrials]) =>
    simulateRestarts(
      functionTrials,
      JSON.stringify([optimizer, functionId, functionTrials[0]?.dimension]),
    ),
  );
}
