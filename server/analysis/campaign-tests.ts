import { getBudgetLimits } from '#server/domain/claims/budget-limits.ts';
import { getTrialOutcome, hasStoppedAtTarget, type Trial } from '#server/stats/coco-runtime.ts';
import { toFiniteOrNull, computeMedian } from '#server/stats/descriptive.ts';
import { adjustByHolm } from '#server/stats/pairwise-tests.ts';
import { testStratifiedRankSum, type Stratum } from '#server/stats/stratified-rank-sum.ts';
import { readOptimizerTitles } from '#server/records/annotations.ts';
import { getFirstHit, type RunTrace } from '#server/domain/trace.ts';
import { formatGroupTitle } from '#shared/group-metrics.ts';
import type {
  OptimizerPair,
  OptimizerTests,
  OptimizerTestsQuery,
} from '#shared/schemas/coco-analysis.ts';
import { getOptimizers, listDifferentTargets, makeFailedNotes } from './campaign-cells.ts';
import {
  getUsedEvaluations,
  loadTracedTrials,
  loadTrials,
  requireCampaigns,
  type CampaignSet,
  type ScopedTrials,
} from './campaign.ts';
import type { AnalysisContext } from './load.ts';
import {
  countDecreasingRuns,
  makeEvaluationNotes,
  makeNoteIf,
  type DecreasingCounts,
} from './notes.ts';

/** Maximum number of optimizers with pairwise tests: 12 optimizers give 66 pairs on each function. */
const maximumTestedOptimizers = 12;

/** A trial as input of the tests. */
interface TimedTrial {
  optimizerId: string;
  functionId: number;
  dimension: number;
  instanceId: number;
  /** Requested target, or by default the own target of the trial; NaN if the trial has none. */
  targetValue: number;
  status: string;
  /** Whether the trial reached its own target, which may differ from the requested one. */
  reachedTarget: boolean;
  grantedEvaluations: number | null;
  usedEvaluations: number;
  /** Evaluations to the target; null if the trial FAILED, missed the target, or has no trace for a requested target. */
  runtime: number | null;
  /** Whether the trial has a trace; always true without a requested target. */
  isUsable: boolean;
  isRepeated: boolean;
  /** Whether the run of the trial continued from a checkpoint; false without a requested target. */
  isResumed: boolean;
  /** The facts of the trace for a note; null without a trace, and without a requested target. */
  trace: Pick<RunTrace, 'isDecreasing'> | null;
}

/**
 * Returns rank-sum tests of the evaluations to a target for all pairs of optimizers. One table has the tests on each
 * function of a dimension, over the instances. The other table has the tests in each dimension, over the functions. A
 * test uses the instances that both optimizers have with the same target, within the common budget of both on each
 * function; see {@link getBudgetLimits}. The end of a trial that stopped at its own, easier target also limits the
 * budget. A hit beyond the budget counts as a miss, and misses tie at infinity. Several trials on an instance count as
 * their median, over equally many trials of both optimizers. Adjusts the p-values by Holm's method over the tested
 * pairs of a table, and multiplies them by the number of tables. Pairs with the baseline come first. While a campaign
 * is RUNNING, no difference is significant. With more than 12 optimizers, there is a note instead of tests. FAILED
 * trials miss the target unless the query excludes them. For a requested target, the tests omit other trials without a
 * trace, and a note reports their number. Throws CAMPAIGN_NOT_FOUND; VALIDATION_FAILED for several suites.
 */
export async function compareOptimizers(
  context: AnalysisContext,
  campaignId: string,
  query: OptimizerTestsQuery,
): Promise<OptimizerTests> {
  const campaignSet = await requireCampaigns(context.database, campaignId, query.campaign);
  const { trials, repeatedCount, failedCount, tracelessCount, decreasingCounts, choices } =
    await getTimedTrials(context, campaignSet, query);
  const optimizers = getOptimizers(trials);
  const differentTargets = listDifferentTargets(trials);
  const isTested = optimizers.length <= maximumTestedOptimizers;
  const dimensions = [...Map.groupBy(isTested ? trials : [], ({ dimension }) => dimension)].sort(
    ([a], [b]) => a - b,
  );
  const functions = dimensions.flatMap(([dimension, dimensionTrials]) =>
    [...Map.groupBy(dimensionTrials, ({ functionId }) => functionId)]
      .sort(([a], [b]) => a - b)
      .map(([functionId, functionTrials]) => ({
        dimension,
        functionId,
        pairs: getPairs(functionTrials),
      })),
  );
  const dimensionRows = dimensions.map(([dimension, dimensionTrials]) => ({
    dimension,
    pairs: getPairs(dimensionTrials),
  }));
  const getTitle = await readOptimizerTitles(context.database, choices.optimizers);
  const hasBaseline = ({ a, b }: OptimizerPair) => getTitle(a).isBaseline || getTitle(b).isBaseline;
  const addLabels = <Row extends { pairs: OptimizerPair[] }>(row: Row) => ({
    ...row,
    pairs: row.pairs
      .toSorted((pairA, pairB) => Number(hasBaseline(pairB)) - Number(hasBaseline(pairA)))
      .map((pair) => ({
        ...pair,
        labelA: formatGroupTitle(getTitle(pair.a)),
        labelB: formatGroupTitle(getTitle(pair.b)),
      })),
  });
  return {
    campaignId,
    target: query.target ?? null,
    interim: campaignSet.isRunning,
    functions: markClaims(functions, campaignSet.isRunning).map(addLabels),
    dimensions: markClaims(dimensionRows, campaignSet.isRunning).map(addLabels),
    notes: [
      ...makeNoteIf(repeatedCount > 0, 'TRIALS_REPEATED', repeatedCount),
      ...makeFailedNotes(failedCount, query.failed),
      ...makeNoteIf(tracelessCount > 0, 'TRIALS_WITHOUT_TRACE', tracelessCount),
      ...makeEvaluationNotes(decreasingCounts),
      ...makeNoteIf(!isTested, 'OPTIMIZERS_NOT_TESTED', optimizers.length, maximumTestedOptimizers),
      ...makeNoteIf(differentTargets.length > 0, 'TRIALS_OF_TARGETS', differentTargets),
      ...makeNoteIf(
        campaignSet.hasTargetsFromData && query.target === undefined,
        'TARGETS_FROM_DATA',
      ),
      ...makeNoteIf(campaignSet.isRunning, 'CAMPAIGN_RUNNING'),
    ],
  };
}

async function getTimedTrials(
  context: AnalysisContext,
  campaignSet: CampaignSet,
  query: OptimizerTestsQuery,
): Promise<
  ScopedTrials<TimedTrial> & {
    repeatedCount: number;
    failedCount: number;
    tracelessCount: number;
    decreasingCounts: DecreasingCounts;
  }
> {
  const { target } = query;
  const { trials: allTrials, choices } =
    target === undefined
      ? await loadTimedOutcomes(context, campaignSet, query)
      : await loadTracedTrials(context, campaignSet, query, (trial) => {
          const { trace, status } = trial;
          const usedEvaluations = getUsedEvaluations(trial);
          const runtime = trace && status !== 'FAILED' ? getFirstHit(trace, target) : null;
          return getTimedTrial(trial, {
            targetValue: target,
            usedEvaluations,
            runtime,
            isUsable: trace !== null,
            isResumed: trial.isResumed,
            trace: trace && { isDecreasing: trace.isDecreasing },
          });
        });
  const nonFailedTrials = allTrials.filter(({ status }) => status !== 'FAILED');
  const timedTrials = nonFailedTrials.filter(({ isUsable }) => isUsable);
  return {
    trials:
      query.failed === 'include'
        ? allTrials.filter(({ status, isUsable }) => status === 'FAILED' || isUsable)
        : timedTrials,
    repeatedCount: allTrials.filter(({ isRepeated }) => isRepeated).length,
    failedCount: allTrials.length - nonFailedTrials.length,
    tracelessCount: nonFailedTrials.length - timedTrials.length,
    decreasingCounts: countDecreasingRuns(nonFailedTrials),
    choices,
  };
}

async function loadTimedOutcomes(
  context: AnalysisContext,
  campaignSet: CampaignSet,
  query: OptimizerTestsQuery,
): Promise<ScopedTrials<TimedTrial>> {
  const { trials, choices } = await loadTrials(context.database, campaignSet, query);
  const timedTrials = trials.map((trial) => {
    const outcome = getTrialOutcome(trial);
    const usedEvaluations = outcome?.usedEvaluations ?? 0;
    const runtime = outcome?.evaluationsToTarget ?? null;
    const { targetValue } = trial;
    return getTimedTrial(trial, {
      targetValue,
      usedEvaluations,
      runtime,
      isUsable: true,
      isResumed: false,
      trace: null,
    });
  });
  return { trials: timedTrials, choices };
}

function getTimedTrial(
  trial: Trial & { isRepeated: boolean },
  timing: Pick<
    TimedTrial,
    'targetValue' | 'usedEvaluations' | 'runtime' | 'isUsable' | 'isResumed' | 'trace'
  >,
): TimedTrial {
  const { optimizerId, functionId, dimension, instanceId } = trial;
  const { status, reachedTarget, grantedEvaluations, isRepeated } = trial;
  return {
    optimizerId,
    functionId,
    dimension,
    instanceId,
    status,
    reachedTarget,
    grantedEvaluations,
    isRepeated,
    ...timing,
  };
}

/** A pair without the fields that {@link markClaims} adds. */
type UnadjustedPair = Omit<OptimizerPair, 'adjustedPValue' | 'significant'>;

/**
 * Returns the test of each pair of optimizers on the instances that both have with the same target. The trials belong
 * to one dimension, and may belong to several functions.
 */
function getPairs(trials: readonly TimedTrial[]): UnadjustedPair[] {
  const optimizers = [...Map.groupBy(trials, ({ optimizerId }) => optimizerId)].map(
    ([optimizer, optimizerTrials]) => ({
      optimizer,
      functions: Map.groupBy(optimizerTrials, ({ functionId }) => functionId),
    }),
  );
  return optimizers.flatMap((a, index) => optimizers.slice(index + 1).map((b) => testPair(a, b)));
}

interface OptimizerTrials {
  optimizer: string;
  functions: ReadonlyMap<number, readonly TimedTrial[]>;
}

function testPair(a: OptimizerTrials, b: OptimizerTrials): UnadjustedPair {
  const strata: Stratum[] = [];
  const budgets = new Set<number>();
  for (const [functionId, functionTrials] of a.functions) {
    const stratum = getStratum(functionTrials, b.functions.get(functionId) ?? []);
    if (stratum.a.length === 0) continue;
    strata.push(stratum);
    budgets.add(stratum.budget);
  }
  const { deviation, ...test } = testStratifiedRankSum(strata);
  const [budget = Infinity, ...otherBudgets] = budgets;
  return {
    a: a.optimizer,
    b: b.optimizer,
    functions: strata.length,
    instances: strata.reduce((sum, stratum) => sum + stratum.a.length, 0),
    budget: otherBudgets.length === 0 ? toFiniteOrNull(budget) : null,
    ...test,
    better: deviation === 0 ? 'none' : deviation < 0 ? a.optimizer : b.optimizer,
  };
}

/**
 * Returns the median runtimes of both optimizers on each instance of one function that both have with the same target,
 * and the common budget. On each instance, only the first trials count, equally many of both optimizers. A miss within
 * the budget counts as Infinity. The budget is Infinity if nothing limits it.
 */
function getStratum(
  trialsA: readonly TimedTrial[],
  trialsB: readonly TimedTrial[],
): Stratum & { budget: number } {
  const groupByInstance = (trials: readonly TimedTrial[]) =>
    Map.groupBy(trials, ({ instanceId, targetValue }) => `${instanceId} ${targetValue}`);
  const otherTrialsByInstance = groupByInstance(trialsB);
  const sharedInstances = [...groupByInstance(trialsA)].flatMap(([instance, instanceTrials]) => {
    const otherTrials = otherTrialsByInstance.get(instance);
    if (!otherTrials) return [];
    // Medians of different numbers of trials have different distributions, even if the optimizers are equal.
    const trialCount = Math.min(instanceTrials.length, otherTrials.length);
    return [{ a: instanceTrials.slice(0, trialCount), b: otherTrials.slice(0, trialCount) }];
  });
  const sharedTrials = sharedInstances.flatMap(({ a, b }) => [...a, ...b]);
  const hasStopped = (trial: TimedTrial) =>
    trial.runtime === null && hasStoppedAtTarget(trial, trial.usedEvaluations);
  const [smallestLimit] = getBudgetLimits(
    sharedTrials.map((trial) => ({
      // A trial that stopped at its own, easier target limits the budget to its used evaluations, like a STOPPED run.
      status: hasStopped(trial) ? 'STOPPED' : trial.status,
      grantedEvaluations: trial.grantedEvaluations,
      usedEvaluations: trial.usedEvaluations,
      hasMissed: trial.runtime === null,
    })),
  );
  const budget = smallestLimit?.evaluations ?? Infinity;
  const getMedianRuntime = (trials: readonly TimedTrial[]): number =>
    computeMedian(
      trials.map(({ runtime }) => (runtime === null || runtime > budget ? Infinity : runtime)),
    ) ?? Infinity;
  return {
    a: sharedInstances.map(({ a }) => getMedianRuntime(a)),
    b: sharedInstances.map(({ b }) => getMedianRuntime(b)),
    budget,
  };
}

/** Number of tables. The probability of a false claim in any of them is at most 5 %. */
const tableCount = 2;

/**
 * Returns the rows of a table with adjusted p-values and with marks of significant pairs; without marks if `isInterim`.
 * Treats all pairs of the table as one family, and multiplies their p-values by the number of tables.
 */
function markClaims<Row extends { pairs: UnadjustedPair[] }>(
  rows: readonly Row[],
  isInterim: boolean,
): (Omit<Row, 'pairs'> & { pairs: OptimizerPair[] })[] {
  const holmPValues = adjustByHolm(rows.flatMap(({ pairs }) => pairs.map(({ pValue }) => pValue)));
  let nextIndex = 0;
  return rows.map((row) => ({
    ...row,
    pairs: row.pairs.map((pair) => {
      const holmPValue = holmPValues[nextIndex++] ?? null;
      const adjustedPValue = holmPValue && Math.min(1, tableCount * holmPValue);
      const isBelowLevel = adjustedPValue !== null && adjustedPValue <= 0.05;
      return {
        ...pair,
        adjustedPValue,
        significant: isBelowLevel && !isInterim && pair.better !== 'none',
      };
    }),
  }));
}
