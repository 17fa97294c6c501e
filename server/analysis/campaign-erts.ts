import { readOptimizerNames } from '#server/records/annotations.ts';
import { listReferences } from '#server/repositories/trials.ts';
import {
  makeReferences,
  compareWithReference,
  summariseRatios,
} from '#server/stats/coco-reference.ts';
import {
  compareRuntimes,
  computeRuntimePerFunction,
  getTrialOutcome,
  hasStoppedAtTarget,
  type Trial,
} from '#server/stats/coco-runtime.ts';
import { getMaximum, sum, toFiniteOrNull } from '#server/stats/descriptive.ts';
import { getFirstHit } from '#server/domain/trace.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { CampaignErts, CellChoice, ErtsQuery } from '#shared/schemas/coco-analysis.ts';
import {
  chooseCells,
  getCellCounts,
  getOptimizers,
  listDifferentTargets,
  makeCellNotes,
  makeCellDifferenceNotes,
  type UnsolvedCells,
} from './campaign-cells.ts';
import {
  getUsedEvaluations,
  loadTracedTrials,
  loadTrials,
  requireCampaigns,
  type CampaignSet,
  type TrialChoices,
} from './campaign.ts';
import type { AnalysisContext } from './load.ts';
import {
  hasDifferentBudgets,
  countDecreasingRuns,
  makeEvaluationNotes,
  makeNoteIf,
  type DecreasingCounts,
} from './notes.ts';

/**
 * Returns the expected runtimes of the campaigns' trials with the reference results of the suite. Does not use the
 * aggregates of the runner. If there are no stored references, the smallest ERT of several optimizers is the reference.
 * By default, the targets are those of the trials. If the query has targets, the hits come from the traces of the runs.
 * The response then omits trials without a trace that have not FAILED, and a note reports their number. Throws
 * CAMPAIGN_NOT_FOUND; VALIDATION_FAILED for several suites.
 */
export async function listErts(
  context: AnalysisContext,
  campaignId: string,
  query: ErtsQuery,
): Promise<CampaignErts> {
  const campaignSet = await requireCampaigns(context.database, campaignId, query.campaign);
  const { trials, repeatedCount, tracelessCount, stoppedCount, decreasingCounts, choices } =
    await getTrials(context, campaignSet, query);
  const storedReferences = await listReferences(context.database, campaignSet.suite);
  // A missing target is NaN, which equals no target.
  const references = storedReferences.map((row) => ({
    ...row,
    targetValue: row.targetValue ?? NaN,
  }));
  const runtimes = computeRuntimePerFunction(trials);
  const kind = getReferenceKind(references.length, getOptimizers(trials).length);
  const getReferences = (functionRuntimes: typeof runtimes) =>
    kind === 'best' ? makeReferences(functionRuntimes) : references;
  const rows = compareWithReference(runtimes, getReferences(runtimes));
  const dimensions = chooseCells(trials, query.cells);
  const comparedTrials = dimensions.flatMap(({ optimizers }) =>
    optimizers.flatMap((optimizerCells) => optimizerCells.trials.map(({ trial }) => trial)),
  );
  const missingFunctions = query.cells === 'unsolved' ? listMissingFunctions(trials) : [];
  const unsolvedTrials = missingFunctions.flatMap(makeUnsolvedTrials);
  // If the trials are the same, reuses their runtimes, because computing the intervals takes most of the time. Unsolved
  // trials have separate runtimes: they are on functions on which their optimizer has no other trials.
  const presentRuntimes =
    comparedTrials.length === trials.length ? runtimes : computeRuntimePerFunction(comparedTrials);
  const comparedRuntimes = [...presentRuntimes, ...computeRuntimePerFunction(unsolvedTrials)].sort(
    compareRuntimes,
  );
  // With requested targets, `trials` contains each trial once per target.
  const failedTrials = trials.filter(isFailed);
  const failedCount = failedTrials.length / Math.max(1, query.targets.length);
  const solvedRowsWithInterval = rows.filter(
    (row) => row.ertMoverInterval !== null && row.solvedTrials === row.trials,
  );
  const doubtfulRowCount = rows.filter(({ hasDoubtfulReference }) => hasDoubtfulReference).length;
  const differentTargets = query.targets.length > 0 ? [] : listDifferentTargets(trials);
  const isCompared = rows.some(({ referenceErt }) => referenceErt !== null);
  const { name, suite } = campaignSet;
  const getName = await readOptimizerNames(context.database, choices.optimizers);
  const addLabel = <Row extends { optimizerId: string }>(row: Row) => ({
    ...row,
    label: getName(row.optimizerId),
    referenceKind: kind,
  });
  return {
    campaignId,
    name,
    suite,
    ...choices,
    references: [...new Set(references.map(({ optimizerName }) => optimizerName))].sort(),
    referenceKind: kind,
    dropped: dimensions.flatMap(({ dropped }) => dropped),
    rows: rows.map(({ missingBudget: _missingBudget, ...row }) =>
      addLabel({ ...row, targetValue: toFiniteOrNull(row.targetValue) }),
    ),
    summary: summariseRatios(
      compareWithReference(comparedRuntimes, getReferences(comparedRuntimes)),
      kind === 'best',
    ).map(addLabel),
    notes: [
      ...makeNoteIf(repeatedCount > 0, 'TRIALS_REPEATED', repeatedCount),
      ...makeNoteIf(failedCount > 0, 'TRIALS_FAILED', failedCount, getOptimizers(failedTrials)),
      ...makeNoteIf(tracelessCount > 0, 'TRIALS_WITHOUT_TRACE', tracelessCount),
      ...makeNoteIf(stoppedCount > 0, 'TRIALS_STOPPED_AT_TARGET', stoppedCount),
      ...makeEvaluationNotes(decreasingCounts),
      ...(['unknown', 'different'] as const).flatMap((reason) => {
        const count = solvedRowsWithInterval.filter((row) => row.missingBudget === reason).length;
        return makeNoteIf(count > 0, 'INTERVALS_ASSUME_SUCCESS', count, reason);
      }),
      ...makeCellNotes(dimensions, countMissingCells(getOptimizers(trials), missingFunctions)),
      ...makeDifferentCellNotes(
        query.cells === 'shared' ? comparedTrials : trials,
        query.cells,
        missingFunctions,
      ),
      ...makeNoteIf(differentTargets.length > 0, 'TRIALS_OF_TARGETS', differentTargets),
      ...makeTrialBudgetNotes(trials),
      ...makeNoteIf(
        campaignSet.hasTargetsFromData && query.targets.length === 0,
        'TARGETS_FROM_DATA',
      ),
      ...makeNoteIf(kind === 'best', 'BEST_AS_REFERENCE', suite),
      ...makeNoteIf(rows.length > 0 && kind !== 'best' && !isCompared, 'NO_REFERENCE', suite),
      ...makeNoteIf(doubtfulRowCount > 0, 'DOUBTFUL_REFERENCES', doubtfulRowCount),
    ],
  };
}

/**
 * Returns the note on functions with results beyond the budget of another optimizer; an empty list without such
 * functions.
 */
function makeTrialBudgetNotes(trials: readonly Trial[]): AnalysisNote[] {
  const functions = Map.groupBy(trials, ({ dimension, functionId }) =>
    JSON.stringify([dimension, functionId]),
  );
  const functionsBeyondBudget = [...functions.values()].filter(hasCostBeyondOtherBudget);
  return makeNoteIf(
    functionsBeyondBudget.length > 0,
    'TRIALS_OF_BUDGETS',
    functionsBeyondBudget.length,
    functions.size,
  );
}

/**
 * Returns whether a trial on a function in a dimension adds more evaluations to an ERT than the budget of another
 * optimizer; see {@link hasDifferentBudgets}. The budget of an optimizer is the largest limit of its trials. The limit
 * of a trial is its granted budget. If the granted budget is unknown, a trial that missed the target has its used
 * evaluations as the limit; a solved trial has no limit. An optimizer without limits has no budget. Ignores FAILED
 * trials.
 */
function hasCostBeyondOtherBudget(trials: readonly Trial[]): boolean {
  const costs = trials.flatMap((trial) => {
    const outcome = getTrialOutcome(trial);
    if (!outcome) return [];
    const { isSolved, usedEvaluations, evaluationsToTarget } = outcome;
    const limit = trial.grantedEvaluations ?? (isSolved ? null : usedEvaluations);
    const cost = evaluationsToTarget ?? usedEvaluations ?? 0;
    return { optimizerId: trial.optimizerId, limit, cost };
  });
  const costsByOptimizer = Map.groupBy(costs, ({ optimizerId }) => optimizerId);
  const budgets = Array.from(costsByOptimizer, ([optimizerId, optimizerCosts]) => ({
    optimizerId,
    limit: getMaximum(optimizerCosts.flatMap(({ limit }) => limit ?? [])) ?? Infinity,
  })).sort((a, b) => a.limit - b.limit);
  return costs.some(({ optimizerId, cost }) => {
    const smallestOtherBudget = budgets.find((budget) => budget.optimizerId !== optimizerId);
    return hasDifferentBudgets(smallestOtherBudget?.limit ?? Infinity, cost);
  });
}

/** A function in a dimension on which an optimizer has no trials, but other optimizers have some. */
interface MissingFunction {
  optimizerId: string;
  /** Trials of the other optimizers on the function. */
  trials: readonly Trial[];
}

/**
 * Returns the missing functions of each optimizer. A function on which an optimizer lacks only some instances is not
 * missing.
 */
function listMissingFunctions(trials: readonly Trial[]): MissingFunction[] {
  const optimizers = getOptimizers(trials);
  const functions = Map.groupBy(trials, ({ dimension, functionId }) =>
    JSON.stringify([dimension, functionId]),
  );
  return [...functions.values()].flatMap((functionTrials) => {
    const presentOptimizers = new Set(getOptimizers(functionTrials));
    return optimizers
      .filter((optimizer) => !presentOptimizers.has(optimizer))
      .map((optimizerId) => ({ optimizerId, trials: functionTrials }));
  });
}

function isFailed({ status }: Trial): boolean {
  return status === 'FAILED';
}

/**
 * Returns the note that the optimizers have different cells with trials that have not FAILED; an empty list if the
 * cells are equal. `shared` ignores dimensions in which an optimizer has no trial. `unsolved` ignores functions that
 * count as unsolved, but not single missing instances. A missing instance cannot count as unsolved, because an unsolved
 * trial of 0 evaluations does not change an ERT.
 */
function makeDifferentCellNotes(
  allTrials: readonly Trial[],
  choice: CellChoice,
  unsolvedFunctions: readonly MissingFunction[],
): AnalysisNote[] {
  const trials = allTrials.filter((trial) => !isFailed(trial));
  const sharedCells = chooseCells(trials, 'shared').map(getCellCounts);
  const getKey = (optimizer: string, cell: { dimension: number; functionId: number }) =>
    JSON.stringify([optimizer, cell.dimension, cell.functionId]);
  const unsolvedKeys = new Set(
    unsolvedFunctions.flatMap(({ optimizerId, trials: [trial] }) =>
      trial ? getKey(optimizerId, trial) : [],
    ),
  );
  const hasMissingInstances = sharedCells
    .flatMap(({ dropped }) => dropped)
    .some((cell) =>
      cell.missingFor.some((optimizer) => !unsolvedKeys.has(getKey(optimizer, cell))),
    );
  return choice === 'all' || hasMissingInstances
    ? makeCellDifferenceNotes(sharedCells, getOptimizers(trials).length)
    : [];
}

/** Returns an unsolved trial of 0 evaluations for each target of the other optimizers on a missing function. */
function makeUnsolvedTrials({ optimizerId, trials }: MissingFunction): Trial[] {
  const trialByTarget = new Map(trials.map((trial) => [trial.targetValue, trial]));
  return Array.from(trialByTarget.values(), (trial) => ({
    ...trial,
    optimizerId,
    status: 'COMPLETED',
    reachedTarget: false,
    evaluations: 0,
    evaluationsToTarget: null,
  }));
}

/**
 * Returns the number of cells of the missing functions for each of these optimizers with missing functions, in the
 * order of the optimizers.
 */
function countMissingCells(
  optimizers: readonly string[],
  missingFunctions: readonly MissingFunction[],
): UnsolvedCells[] {
  const functionsByOptimizer = Map.groupBy(missingFunctions, ({ optimizerId }) => optimizerId);
  return optimizers.flatMap((optimizer) => {
    const cells = functionsByOptimizer
      .get(optimizer)
      ?.map(({ trials }) => new Set(trials.map(({ instanceId }) => instanceId)).size);
    return cells ? { optimizer, missingCells: sum(cells) } : [];
  });
}

function getReferenceKind(
  referenceCount: number,
  optimizerCount: number,
): CampaignErts['referenceKind'] {
  if (referenceCount > 0) return 'stored';
  return optimizerCount > 1 ? 'best' : 'none';
}

async function getTrials(
  context: AnalysisContext,
  campaignSet: CampaignSet,
  query: ErtsQuery,
): Promise<{
  trials: Trial[];
  repeatedCount: number;
  /** Number of trials without a trace that have not FAILED; 0 without requested targets. */
  tracelessCount: number;
  /** Number of trials that stopped at their own target and missed a requested one; 0 without requested targets. */
  stoppedCount: number;
  /** Counts among the trials with a trace that have not FAILED; 0 without requested targets. */
  decreasingCounts: DecreasingCounts;
  choices: TrialChoices;
}> {
  if (query.targets.length === 0) {
    const scopedTrials = await loadTrials(context.database, campaignSet, query);
    const repeatedCount = scopedTrials.trials.filter(({ isRepeated }) => isRepeated).length;
    const decreasingCounts = countDecreasingRuns([]);
    return { ...scopedTrials, repeatedCount, tracelessCount: 0, stoppedCount: 0, decreasingCounts };
  }
  const { targets } = query;
  const { trials: tracedTrials, choices } = await loadTracedTrials(
    context,
    campaignSet,
    query,
    (row) => {
      const { trace, ...trial } = row;
      const hits = targets.map((target) => trace && getFirstHit(trace, target));
      const hasStopped = hits.includes(null) && hasStoppedAtTarget(row, getUsedEvaluations(row));
      return { ...trial, trace: trace && { isDecreasing: trace.isDecreasing }, hits, hasStopped };
    },
  );
  const usableTrials = tracedTrials.filter(
    ({ trace, status }) => trace !== null || status === 'FAILED',
  );
  const trials = targets.flatMap((targetValue, index) =>
    usableTrials.map(({ hits, trace: _trace, hasStopped: _hasStopped, ...trial }): Trial => {
      const evaluationsToTarget = hits[index] ?? null;
      const hasReachedTarget = evaluationsToTarget !== null;
      return { ...trial, targetValue, reachedTarget: hasReachedTarget, evaluationsToTarget };
    }),
  );
  return {
    trials,
    repeatedCount: tracedTrials.filter(({ isRepeated }) => isRepeated).length,
    tracelessCount: tracedTrials.length - usableTrials.length,
    stoppedCount: usableTrials.filter(({ hasStopped }) => hasStopped).length,
    decreasingCounts: countDecreasingRuns(usableTrials.filter(({ status }) => status !== 'FAILED')),
    choices,
  };
}
