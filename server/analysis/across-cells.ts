import type { GuardedGroups } from '#server/domain/claims/compare-groups.ts';
import {
  getBudgetOfSamples,
  getLevelsWithin,
  getValuesWithin,
  type GroupSample,
  type GuardedPair,
  type RunValues,
  type SampledRun,
} from '#server/domain/claims/guard.ts';
import {
  getMaximum,
  computeMean,
  getMinimum,
  getPresentValues,
  computeMedian,
} from '#server/stats/descriptive.ts';
import { adjustByHolm } from '#server/stats/pairwise-tests.ts';
import { rankValues } from '#server/stats/rank-tests.ts';
import { computeExpectedRuntime } from '#server/stats/runtime.ts';
import { isBeaten, isClearlyBest } from '#shared/claim-marks.ts';
import type { AcrossCell, AcrossInstance, CellMeasure } from '#shared/schemas/analysis-across.ts';
import type { Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { RunGroup } from './groups.ts';
import { getKnownBudgets } from './guard-comparison.ts';
import { hasDifferentBudgets } from './notes.ts';
import { getOutcomesWithinBudget } from './outcomes-within.ts';
import { isCompleted } from '#server/domain/outcome.ts';

/** Value of a group on an instance, within the budget of {@link getResults}. */
export interface GroupResult {
  /** Number of runs in the sample of the group; 0 without a value. */
  n: number;
  /** Value of the measure, possibly infinite; null if the group has no result on the instance. */
  value: number | null;
  /**
   * Values over only the first runs by start time. The keys are the numbers of these runs: the sample sizes of the
   * groups with fewer runs on the instance.
   */
  valuesByRunCount?: ReadonlyMap<number, number | null>;
}

/** A problem instance with the results of all groups, in the order of the groups. */
export interface InstanceResults {
  instance: string;
  /** Key of the block: instances with the same key form one block if the blocks are functions. */
  block: string;
  /** Direction in which the values improve. */
  direction: ObjectiveDirection;
  /**
   * Value of a group without any success: Infinity for the ERT, 0 for the success rate. A group with this value is
   * never best. Null for other measures.
   */
  worstValue: number | null;
  results: readonly GroupResult[];
}

/** Measure of the tests that decide the marks of a cell. */
export const testedMeasure: Readonly<Record<CellMeasure, Measure>> = {
  median: 'fitness',
  mean: 'fitness',
  ert: 'runtime',
  success: 'success',
  anytime: 'anytime',
};

/** Returns the direction in which a measure improves, and its `worstValue`. `direction` is the direction of fitness. */
export function getDirectionAndWorstValue(
  measure: CellMeasure,
  direction: ObjectiveDirection,
): Pick<InstanceResults, 'direction' | 'worstValue'> {
  if (measure === 'ert') return { direction: 'min', worstValue: Infinity };
  if (measure === 'success') return { direction: 'max', worstValue: 0 };
  return { direction: measure === 'anytime' ? 'max' : direction, worstValue: null };
}

/** Reasons why the tests omit a pair although the values of its groups are comparable. */
const comparableReasons: ReadonlySet<string> = new Set([
  'ONE_AGAINST_SEVERAL',
  'TOO_FEW_CONFIGURATIONS',
]);

/**
 * Returns the results of the groups on an instance, by the name of the group, and their budget in evaluations: the
 * smallest common budget of the comparable pairs. Omits a group without a comparable pair. With too many groups for
 * pairs, omits only groups with an empty sample; the budget is then the common budget of all samples. The budget is
 * null if no group remains.
 */
export function getResults(
  measure: CellMeasure,
  { samples, pairs, terms }: Pick<GuardedGroups, 'samples' | 'pairs' | 'terms'>,
): { budget: number | null; results: Map<string, GroupResult> } {
  const comparablePairs = pairs.filter(isComparablePair);
  const pairedNames = new Set(comparablePairs.flatMap(({ a, b }) => [a, b]));
  const isUnpaired = samples.length > 1 && pairs.length === 0;
  const samplesWithResults = samples.filter(
    ({ name, runs }) => pairedNames.has(name) || (isUnpaired && runs.length > 0),
  );
  const budget = isUnpaired
    ? getBudgetOfSamples(samplesWithResults)
    : getMinimum(comparablePairs.flatMap((pair) => pair.budget?.evaluations ?? []));
  if (budget === null) return { budget, results: new Map() };
  const runs = samplesWithResults.flatMap((sample) => sample.runs);
  const levels = measure === 'anytime' ? getLevelsWithin(runs, budget, terms) : [];
  const runCounts = new Set(samplesWithResults.map((sample) => sample.runs.length));
  const results = samplesWithResults.map((sample) => {
    const values = sample.runs.map((run) => getValuesWithin(run, budget, terms, levels));
    const getValueOfFirstRuns = (count: number) =>
      getValue(measure, sample.runs.slice(0, count), values.slice(0, count), budget);
    const n = sample.runs.length;
    const value = getValueOfFirstRuns(n);
    const smallerCounts = [...runCounts].filter((count) => count < n);
    const valuesByRunCount = new Map(
      smallerCounts.map((count) => [count, getValueOfFirstRuns(count)]),
    );
    return [sample.name, { n: value === null ? 0 : n, value, valuesByRunCount }] as const;
  });
  return { budget, results: new Map(results) };
}

function isComparablePair({ reason }: GuardedPair): boolean {
  return reason === null || comparableReasons.has(reason.code);
}

/**
 * Returns the value of a cell from its runs and their values within the budget; null if the value of a run is unknown,
 * or if opposite infinities make the value undefined. The anytime performance is unknown for a run that has no trace
 * and did not fail. Without levels, or with a budget below 1, it is unknown for all runs.
 */
function getValue(
  measure: CellMeasure,
  runs: readonly SampledRun[],
  values: readonly RunValues[],
  budget: number,
): number | null {
  if (measure === 'ert') {
    const outcomes = getOutcomesWithinBudget(runs, values, budget);
    if (outcomes === null) return null;
    const isUnknown = outcomes.some((run) => run.isSolved && run.evaluationsToTarget === null);
    return isUnknown ? null : (computeExpectedRuntime(outcomes) ?? Infinity);
  }
  if (measure === 'success')
    return values.some(({ isSolved }) => isSolved === null)
      ? null
      : computeMean(values.map(({ isSolved }) => Number(isSolved)));
  if (measure === 'anytime') {
    const knownValues = values.flatMap(({ anytime }) => anytime ?? []);
    return knownValues.length < values.length ? null : computeMean(knownValues);
  }
  const fitness = values.flatMap((run) => run.fitness ?? []);
  if (fitness.length < values.length) return null;
  const [value = null] = getPresentValues([
    measure === 'median' ? computeMedian(fitness) : computeMean(fitness),
  ]);
  return value;
}

/** Returns whether two or more groups have a result. */
export function isComparable({ results }: Pick<InstanceResults, 'results'>): boolean {
  return results.filter(({ value }) => value !== null).length >= 2;
}

/** Returns whether all groups have a result. */
export function isShared({ results }: Pick<InstanceResults, 'results'>): boolean {
  return results.every(({ value }) => value !== null);
}

/**
 * Returns the value of a result, negated if larger values are better; NaN without a value. Smaller costs are better.
 */
export function getCost(
  { direction }: Pick<InstanceResults, 'direction'>,
  { value }: GroupResult,
): number {
  return direction === 'min' ? (value ?? NaN) : -(value ?? NaN);
}

/**
 * Returns the cells of an instance, in the order of the groups: values with ranks, and the claims from the tests of the
 * pairs. An infinite value is null, with its sign in `infinity`. Groups with equal values have the mean of their ranks,
 * and several of them can be best. A missing value has no rank.
 */
export function getCells(
  groups: readonly string[],
  instance: InstanceResults,
  pairs: readonly MeasuredPair[],
): AcrossCell[] {
  const costs = instance.results.map((result) => getCost(instance, result));
  const presentCosts = costs.filter((cost) => !Number.isNaN(cost));
  const ranks = rankValues(presentCosts).ranks;
  const minimum = Math.min(...presentCosts);
  const bestFlags = costs.map(
    (cost, index) => cost === minimum && instance.results[index]?.value !== instance.worstValue,
  );
  const pValues = getPValuesVersusBest(groups, bestFlags, pairs);
  return groups.map((group, index) => {
    const { n = 0, value = null } = instance.results[index] ?? {};
    const isWorse = isBeaten(group, pairs);
    return {
      instance: instance.instance,
      group,
      n,
      value: value !== null && Number.isFinite(value) ? value : null,
      infinity: value === Infinity ? 1 : value === -Infinity ? -1 : null,
      rank: value === null ? null : (ranks.shift() ?? null),
      best: bestFlags[index] === true,
      clearlyBest: isClearlyBest(group, pairs),
      indistinguishable: isWorse === null ? null : !isWorse,
      pVersusBest: pValues[index] ?? null,
    };
  });
}

/**
 * Returns the p-value of each group against the best group, Holm-adjusted within the instance. It is null for the best
 * group and for an untested pair. It is null for all groups unless exactly one group is best.
 */
function getPValuesVersusBest(
  groups: readonly string[],
  bestFlags: readonly boolean[],
  pairs: readonly MeasuredPair[],
): (number | null)[] {
  const bestGroup =
    bestFlags.filter(Boolean).length === 1 ? groups[bestFlags.indexOf(true)] : undefined;
  return adjustByHolm(
    groups.map((group) => {
      const pair = pairs.find(
        ({ a, b }) => (a === bestGroup && b === group) || (a === group && b === bestGroup),
      );
      return pair?.pValue ?? null;
    }),
  );
}

type Differences = AcrossInstance['differences'];

/** The runs of a group, and its sample, which has the budgets of the runs. */
interface GroupWithSample extends Pick<RunGroup, 'runs'> {
  sample: Pick<GroupSample, 'runs'>;
}

/**
 * Returns the differences between the groups on an instance: the smallest and the largest budget, number of runs, and
 * share of COMPLETED runs. The budget of a group is the largest known budget in its sample. For a group without a known
 * budget, it is the largest number of used evaluations in the sample, if this number exceeds the smallest known budget;
 * otherwise, the group does not count. A field is null if the groups agree. Budgets agree if {@link
 * hasDifferentBudgets} is false, and if there is no known budget.
 */
export function getGroupDifferences(groups: readonly GroupWithSample[]): Differences {
  const knownBudgets = groups.map(({ sample }) => getMaximum(getKnownBudgets(sample.runs)));
  const smallestBudget = getMinimum(knownBudgets.flatMap((budget) => budget ?? [])) ?? Infinity;
  const budgets = groups.flatMap(({ sample }, index) => {
    const knownBudget = knownBudgets[index] ?? null;
    const mostUsedEvaluations =
      getMaximum(sample.runs.map(({ usedEvaluations }) => usedEvaluations)) ?? 0;
    return knownBudget ?? (mostUsedEvaluations > smallestBudget ? mostUsedEvaluations : []);
  });
  const budget = getRange(budgets);
  return {
    budget: budget && hasDifferentBudgets(budget.least, budget.most) ? budget : null,
    runs: getRange(groups.map(({ runs }) => runs.length)),
    completed: getRange(groups.map(({ runs }) => runs.filter(isCompleted).length / runs.length)),
  };
}

/** Returns the smallest and the largest value; null if they are equal or there are no values. */
function getRange(values: readonly number[]): Differences['runs'] {
  const [minimum, maximum] = [getMinimum(values), getMaximum(values)];
  return minimum === null || maximum === null || minimum === maximum
    ? null
    : { least: minimum, most: maximum };
}
