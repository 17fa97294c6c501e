import type { Direction } from '#server/domain/objective.ts';
import { computeMean, getMinimum, getPresentValues } from '#server/stats/descriptive.ts';
import { type MinPMeasure, testMinP } from '#server/stats/min-p.ts';
import {
  adjustByHolm,
  adjustPairsByHolm,
  type AddedIntervals,
  type UnadjustedPair,
  type NamedSample,
  type NamedSuccesses,
  type PairPValues,
  makeRankSumIntervals,
  makeRankSumPair,
  makeSuccessIntervals,
  makeSuccessPair,
} from '#server/stats/pairwise-tests.ts';
import { rankValues } from '#server/stats/rank-tests.ts';
import type { Measure, MeasuredPair, Pairwise } from '#shared/schemas/analysis-measures.ts';
import { measures } from '#shared/words.ts';
import {
  type GroupSample,
  type GuardedPair,
  guardPair,
  type GuardTerms,
  type RunValues,
  sampleGroup,
  type StartedRun,
} from './guard.ts';

/** Maximum number of groups whose pairs get tests. Twice as many groups would take 50 MB and half a minute. */
export const maximumPairedGroups = 150;

/** Group of started runs with a unique name. */
export interface ComparedGroup {
  name: string;
  /**
   * Stratum of the group. Both groups of a pair have the same stratum. All groups without a stratum are in one stratum.
   */
  stratum?: string;
  runs: readonly StartedRun[];
}

/** A pair with its guard and its tests; `test` is null if the guard states a reason against a test. */
export interface ComparedPair {
  guard: GuardedPair;
  test: PairTest | null;
  /** P-value of the pair, Holm-adjusted over the tested pairs; null if the pair has none. */
  adjustedPValue: number | null;
  /** P-value on each measure, adjusted over the measures of the pair and over the pairs; null if untested. */
  adjustedPValues: Partial<Record<Measure, number | null>>;
}

/** Groups with the guards of their pairs within each stratum, before any test. */
export interface GuardedGroups {
  samples: GroupSample[];
  terms: GuardTerms;
  /** Whether a run of the groups counts as RUNNING. Then no pair has a claim. */
  isInterim: boolean;
  /**
   * The smallest common budget of the pairs without a reason against a test, in evaluations; null without such pairs.
   */
  commonBudget: number | null;
  pairs: GuardedPair[];
}

/** The pairs of groups with their tests and claims. */
export interface TestedPairs {
  pairs: ComparedPair[];
  pairwise: Pairwise;
}

/** The pairs of groups within each stratum, with guards, tests and claims. */
export type ComparedPairs = Omit<GuardedGroups, 'pairs' | 'terms'> & TestedPairs;

/** Maximum adjusted p-value of a claim. */
export const claimLevel = 0.05;

/**
 * Compares all pairs of groups of the same stratum: guards them, tests each on its measures, and decides the claims by
 * the family rule of {@link adjustPairsByHolm}. Claims nothing while a run is RUNNING. Returns no pairs for more than
 * {@link maximumPairedGroups} groups.
 */
export function compareGroups(groups: readonly ComparedGroup[], terms: GuardTerms): ComparedPairs {
  const guardedGroups = guardGroups(groups, terms);
  const { samples, isInterim, commonBudget } = guardedGroups;
  const [testedPairs = { pairs: [], pairwise: noPairwise }] = testFamily([guardedGroups]);
  return { samples, isInterim, commonBudget, ...testedPairs };
}

/**
 * Returns the samples of the groups, in order, and the guarded pairs within each stratum; no pairs for more than {@link
 * maximumPairedGroups} groups.
 */
export function guardGroups(groups: readonly ComparedGroup[], terms: GuardTerms): GuardedGroups {
  const samples = groups.map(({ name, runs }) => sampleGroup({ name, runs: runs }, terms));
  const strata = new Map(groups.map(({ name, stratum }) => [name, stratum]));
  const pairableSamples = samples.length > maximumPairedGroups ? [] : samples;
  const pairs = pairableSamples.flatMap((a, index) =>
    pairableSamples
      .slice(index + 1)
      .filter((b) => strata.get(a.name) === strata.get(b.name))
      .map((b) => guardPair(a, b, terms)),
  );
  const budgets = pairs.flatMap(({ reason, budget }) =>
    reason === null && budget ? budget.evaluations : [],
  );
  return {
    samples,
    terms,
    isInterim: samples.some(({ runningRuns }) => runningRuns > 0),
    commonBudget: getMinimum(budgets),
    pairs,
  };
}

/**
 * Tests the guarded pairs of several problem instances as one family: adjusts the p-values for claims over the pairs of
 * all instances, and claims nothing while a run of any instance is RUNNING. Adjusts `holmAdjustedPValue` separately
 * over the pairs of each instance. The result has one entry per instance, in order.
 */
export function testFamily(
  instances: readonly Omit<GuardedGroups, 'samples' | 'commonBudget'>[],
): TestedPairs[] {
  const isInterim = instances.some((instance) => instance.isInterim);
  const comparedPairs = testPairs(
    instances.flatMap(({ pairs, terms }) => pairs.map((guard) => ({ guard, terms }))),
  );
  const testablePairs = comparedPairs.filter(isTestable);
  const openPairCount = testablePairs.filter((pair) => !isClaimedAsWhole(pair)).length;
  const testedPairs = comparedPairs.flatMap(({ test }) => test ?? []);
  const testedMeasures = new Set(testedPairs.flatMap((test) => Object.keys(test.measures)));
  const comparisonCount = testedPairs.length * testedMeasures.size;
  let nextIndex = 0;
  return instances.map(({ pairs: instancePairs, terms }) => {
    const pairs = comparedPairs.slice(nextIndex, (nextIndex += instancePairs.length));
    const getPairsOn = (measure: Measure) =>
      getMeasuredPairs(measure, pairs, { terms, isInterim, openPairCount, comparisonCount });
    const hasTarget = terms.target !== null;
    const hasAnytime = pairs.some(({ test }) => test?.measures.anytime);
    return {
      pairs,
      pairwise: {
        fitness: getPairsOn('fitness'),
        runtime: hasTarget ? getPairsOn('runtime') : null,
        success: hasTarget ? getPairsOn('success') : null,
        anytime: hasAnytime ? getPairsOn('anytime') : null,
      },
    };
  });
}

const noPairwise: Pairwise = { fitness: [], runtime: null, success: null, anytime: null };

/** Assumed largest ratio of a p-value to its first estimate, in either direction. */
const maximumEstimateRatio = 1.4;

interface PairWithTerms {
  guard: GuardedPair;
  terms: GuardTerms;
}

/**
 * Tests all pairs. Tests a pair again, with precise estimates, if its first estimates do not decide whether it has a
 * claim.
 */
function testPairs(guardedPairs: readonly PairWithTerms[]): ComparedPair[] {
  const runTest = ({ guard: pair, terms }: PairWithTerms, isPrecise: boolean) =>
    testPair(pair, terms.target !== null, isPrecise);
  let pairs = guardedPairs.map((guardedPair) => ({
    guard: guardedPair.guard,
    test: runTest(guardedPair, false),
  }));
  for (;;) {
    const adjustedPairs = adjustPairs(pairs);
    const undecidedPairs = findUndecidedPairs(adjustedPairs);
    if (undecidedPairs.size === 0) return adjustedPairs;
    // The new p-values may change the number of claimed pairs, and therefore the adjusted p-values of the others.
    pairs = guardedPairs.map((guardedPair, index) => {
      const pair = adjustedPairs[index];
      const isUndecided = pair !== undefined && undecidedPairs.has(pair);
      return {
        guard: guardedPair.guard,
        test: isUndecided ? runTest(guardedPair, true) : (pair?.test ?? null),
      };
    });
  }
}

/** Returns the pairs with rough p-values that are near the level of a claim after the adjustment for all pairs. */
function findUndecidedPairs(pairs: readonly ComparedPair[]): Set<ComparedPair> {
  const isNear = (pValue: number | null) =>
    pValue !== null &&
    pValue > claimLevel / maximumEstimateRatio &&
    pValue < claimLevel * maximumEstimateRatio;
  return new Set(
    pairs.filter(
      ({ test, adjustedPValues }) => test?.isRough && Object.values(adjustedPValues).some(isNear),
    ),
  );
}

function isTestable({ test }: ComparedPair): boolean {
  return test !== null && test.pValue !== null;
}

/**
 * Returns whether a testable pair has adjusted p-values of at most {@link claimLevel} on all its tested measures. Such
 * a pair reduces the factor of the others.
 */
function isClaimedAsWhole({ adjustedPValues }: ComparedPair): boolean {
  return Object.values(adjustedPValues).every((pValue) => pValue === null || pValue <= claimLevel);
}

function adjustPairs(pairs: readonly Pick<ComparedPair, 'guard' | 'test'>[]): ComparedPair[] {
  const adjustments = adjustPairsByHolm(
    pairs.map(({ test }) => ({
      pValue: test?.pValue ?? null,
      measures: measures.map((measure) => test?.measures[measure]?.adjustedPValue ?? null),
    })),
  );
  return pairs.map((pair, index) => ({
    ...pair,
    adjustedPValue: adjustments[index]?.holmAdjustedPValue ?? null,
    adjustedPValues: Object.fromEntries(
      measures.map((measure, measureIndex) => [
        measure,
        adjustments[index]?.measures[measureIndex] ?? null,
      ]),
    ),
  }));
}

function getMeasuredPairs(
  measure: Measure,
  pairs: readonly ComparedPair[],
  {
    terms,
    isInterim,
    openPairCount,
    comparisonCount,
  }: { terms: GuardTerms; isInterim: boolean; openPairCount: number; comparisonCount: number },
): MeasuredPair[] {
  const unadjustedPairs = pairs.map((pair) =>
    getUnadjustedPair(measure, pair, terms, comparisonCount),
  );
  const holmPValues = adjustByHolm(unadjustedPairs.map(({ pValue }) => pValue));
  return pairs.map((pair, index) => {
    const { test, adjustedPValues } = pair;
    const unadjustedPair = unadjustedPairs[index] ?? untestedPair;
    const adjustedPValue =
      unadjustedPair.pValue === null ? null : (adjustedPValues[measure] ?? null);
    const isClaimed = adjustedPValue !== null && adjustedPValue <= claimLevel;
    const attainablePValue = adjustedPValue === null ? null : (test?.attainablePValue ?? null);
    // The factor counts this pair as open, and assumes that the claims on the other pairs do not change. Adjusted
    // p-values above the level of a claim may be smaller than the product, because a higher level has more claims and a
    // smaller factor.
    const factor = isClaimedAsWhole(pair) ? openPairCount + 1 : openPairCount;
    return {
      ...unadjustedPair,
      holmAdjustedPValue: holmPValues[index] ?? null,
      adjustedPValue,
      attainablePValue:
        attainablePValue &&
        Math.min(factor * attainablePValue, ...getPresentValues(Object.values(adjustedPValues))),
      significant: isClaimed && !isInterim && unadjustedPair.better !== 'none',
    };
  });
}

/**
 * Returns the test and the effect of one pair on one measure, with intervals that are simultaneous over
 * `comparisonCount` tests. If the pair has no test on this measure, p-values and effect are null.
 */
function getUnadjustedPair(
  measure: Measure,
  { guard, test }: ComparedPair,
  { direction, target }: GuardTerms,
  comparisonCount: number,
): UnadjustedPair & AddedIntervals {
  const { a, b, unit } = guard;
  const values = test && getValuesOn(measure, guard, target !== null);
  if (!values) return { ...untestedPair, a, b };
  const [valuesA, valuesB] = values;
  const directions = { fitness: direction, runtime: 'min', anytime: 'max' } as const;
  const { pValue = null, isExact = true } = test.measures[measure] ?? {};
  const method = isExact ? 'exact' : 'asymptotic';
  const pair =
    measure === 'success'
      ? makeRatePair(getSuccesses(a, valuesA), getSuccesses(b, valuesB), comparisonCount)
      : makeValuePair(
          getSample(measure, a, valuesA),
          getSample(measure, b, valuesB),
          directions[measure],
          { pValues: { pValue, attainablePValue: null, method }, comparisonCount },
        );
  if (unit === 'run') return pair;
  // Runs of one configuration are dependent. Intervals over runs would be too narrow, and p-values too small.
  return {
    ...pair,
    pValue,
    method,
    effectInterval: null,
    differenceInterval: null,
    ...noIntervals,
  };
}

function makeRatePair(a: NamedSuccesses, b: NamedSuccesses, comparisonCount: number) {
  return { ...makeSuccessPair(a, b), ...makeSuccessIntervals(a, b, comparisonCount) };
}

function makeValuePair(
  a: NamedSample,
  b: NamedSample,
  direction: Direction,
  { pValues, comparisonCount }: { pValues: PairPValues; comparisonCount: number },
) {
  return {
    ...makeRankSumPair(a, b, direction, pValues),
    ...makeRankSumIntervals(a, b, direction, comparisonCount),
  };
}

const noIntervals: AddedIntervals = {
  simultaneousEffectInterval: null,
  shiftInterval: null,
  simultaneousShiftInterval: null,
  simultaneousDifferenceInterval: null,
};

const untestedPair: UnadjustedPair & AddedIntervals = {
  ...noIntervals,
  a: '',
  b: '',
  nA: 0,
  nB: 0,
  pValue: null,
  attainablePValue: null,
  method: null,
  effectSize: null,
  effectInterval: null,
  effectLabel: null,
  shift: null,
  difference: null,
  differenceInterval: null,
  better: 'none',
};

function getSuccesses(name: string, values: readonly number[]) {
  return { name, successes: values.filter((value) => value === 1).length, trials: values.length };
}

function getSample(measure: Measure, name: string, sample: readonly number[]): NamedSample {
  return { name, sample, isCensored: measure === 'runtime' && sample.includes(Infinity) };
}

/** Values of a measure for the runs of both groups of a pair, in the order of the runs. */
export type PairValues = readonly [a: number[], b: number[]];

/**
 * Returns the values of a measure for the runs of a pair; null if a group has no runs, if the measure needs a target
 * and there is none, or if a run has no value.
 */
function getValuesOn(
  measure: Measure,
  { runs: [a, b] }: Pick<GuardedPair, 'runs'>,
  hasTarget: boolean,
): PairValues | null {
  if (a.length === 0 || b.length === 0) return null;
  if (!hasTarget && (measure === 'runtime' || measure === 'success')) return null;
  const values = [...a, ...b].map((run) => getValueOn(measure, run));
  const presentValues = values.filter((value) => value !== null);
  if (presentValues.length < values.length) return null;
  return [presentValues.slice(0, a.length), presentValues.slice(a.length)];
}

function getValueOn(measure: Measure, run: RunValues): number | null {
  if (measure === 'fitness') return run.fitness;
  if (measure === 'anytime') return run.anytime;
  if (measure === 'runtime') return run.time;
  return run.isSolved === null ? null : Number(run.isSolved);
}

/** Test of a pair on all its measures. */
export interface PairTest {
  /** P-value of the hypothesis that the groups are alike on all measures; null without a testable measure. */
  pValue: number | null;
  /**
   * Smallest p-value that any assignment of the units to the groups could give; an upper bound of this p-value if the
   * test does not count all assignments; null without a testable measure.
   */
  attainablePValue: number | null;
  /** Whether p-values may be estimates of a test that is not precise. */
  isRough: boolean;
  /**
   * P-values by measure; untestable measures are missing. `adjustedPValue` is adjusted only over the measures of this
   * pair.
   */
  measures: Partial<Record<Measure, MinPMeasure>>;
}

/**
 * Tests a guarded pair on all its measures at once by min-p permutation. The units are runs with their mid-ranks in the
 * pair, or configurations with the mean of the mid-ranks of their runs. Omits runtime and success without a target, and
 * a measure without a value for some run, such as anytime performance without levels. For `isPrecise` see {@link
 * testMinP}. Returns null for a pair with a reason against a test.
 */
export function testPair(
  pair: GuardedPair,
  hasTarget: boolean,
  isPrecise = false,
): PairTest | null {
  if (pair.reason) return null;
  const testedMeasures = measures.flatMap((measure) => {
    const values = getValuesOn(measure, pair, hasTarget);
    return values ? [{ measure, scores: getScores(pair, values) }] : [];
  });
  const sizeA = pair.unit === 'run' ? pair.runs[0].length : pair.configurations[0];
  const test = testMinP({ scores: testedMeasures.map(({ scores }) => scores), sizeA, isPrecise });
  const testsByMeasure = testedMeasures.map(
    ({ measure }, index) => [measure, test.measures[index]] as const,
  );
  return {
    pValue: test.pValue,
    attainablePValue: test.attainablePValue,
    isRough: !test.isExact && !isPrecise,
    measures: Object.fromEntries(testsByMeasure),
  };
}

function getScores({ unit, runs: [a, b] }: GuardedPair, values: PairValues): number[] {
  const { ranks } = rankValues(values.flat());
  if (unit === 'run') return ranks;
  return [getMeanRanks(a, ranks), getMeanRanks(b, ranks.slice(a.length))].flat();
}

/**
 * Returns the mean rank of each configuration of a group. The first `ranks` belong to the runs of this group, in order.
 */
function getMeanRanks(runs: readonly RunValues[], ranks: readonly number[]): number[] {
  const indicesByConfiguration = Map.groupBy(runs.keys(), (index) => runs[index]?.configuration);
  return Array.from(
    indicesByConfiguration.values(),
    (indices) => computeMean(indices.map((index) => ranks[index] ?? NaN)) ?? NaN,
  );
}
