import type { Across } from '#shared/schemas/analysis-across.ts';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { toFiniteOrNull } from './descriptive.ts';
import { computeNormalUpperTail } from './distributions.ts';
import {
  computeEffectInterval,
  getEffectLabel,
  computeHodgesLehmann,
  computeShiftIntervals,
  computeVarghaDelaney,
} from './effect-size.ts';
import {
  getAttainableFisherPValue,
  testFisherExact,
  computeNewcombeInterval,
  type SuccessCount,
} from './fisher-exact.ts';
import { testMannWhitney, computeU } from './mann-whitney.ts';

/** A named sample with one value per run of a group. It must not contain NaN. */
export interface NamedSample {
  name: string;
  sample: readonly number[];
  /** Whether some values of the sample are unknown. A shift would then be meaningless. */
  isCensored?: boolean;
}

/** Named counts of the successes of a group. */
export interface NamedSuccesses extends SuccessCount {
  name: string;
}

/** Names of the intervals of {@link makeRankSumIntervals} and {@link makeSuccessIntervals}. */
export type AddedInterval =
  | 'simultaneousEffectInterval'
  | 'shiftInterval'
  | 'simultaneousShiftInterval'
  | 'simultaneousDifferenceInterval';

/**
 * A pair without adjustment for other pairs. The attainable p-value belongs to the single test; it is null without a
 * test, and if unknown.
 */
export type UnadjustedPair = Omit<
  MeasuredPair,
  'holmAdjustedPValue' | 'adjustedPValue' | 'significant' | AddedInterval
>;

/** A pair with Holm's adjustment over all pairs of its measure. */
export type FamilyPair = Omit<MeasuredPair, 'adjustedPValue' | AddedInterval>;

/**
 * Returns the results of {@link makeRankSumPair} for all pairs of samples, in order, with Holm's adjustment over the
 * testable pairs. The attainable p-value is that of the single test times the number of testable pairs, at most 1.
 * `significant` is true for an adjusted p-value below 0.05. A pair with an empty sample is not testable: its p-values
 * and effect size are null, and `better` is `none`. Throws a RangeError for NaN.
 */
export function makeRankSumPairs(
  samples: readonly NamedSample[],
  direction: ObjectiveDirection,
): FamilyPair[] {
  return makeFamily(
    samples.flatMap((a, index) =>
      samples.slice(index + 1).map((b) => makeRankSumPair(a, b, direction)),
    ),
  );
}

function makeFamily(pairs: readonly UnadjustedPair[]): FamilyPair[] {
  const adjustedPValues = adjustByHolm(pairs.map((pair) => pair.pValue));
  const testablePairCount = pairs.filter((pair) => pair.pValue !== null).length;
  return pairs.map((pair, index) => {
    const holmAdjustedPValue = adjustedPValues[index] ?? null;
    const attainablePValue = pair.attainablePValue;
    return {
      ...pair,
      holmAdjustedPValue,
      attainablePValue:
        attainablePValue === null ? null : Math.min(1, testablePairCount * attainablePValue),
      significant: holmAdjustedPValue !== null && holmAdjustedPValue < 0.05,
    };
  });
}

/** P-values of the test of a pair. */
export type PairPValues = Pick<UnadjustedPair, 'pValue' | 'attainablePValue' | 'method'>;

/**
 * Returns the rank-sum test of two samples, with A12, its interval and label, and the Hodges-Lehmann shift, which is
 * null for a censored sample, and if it is not finite. With an empty sample, p-values, effect size and shift are null,
 * and `better` is `none`. If the caller has already computed the p-values, it passes them as `pairPValues`. Throws a
 * RangeError for NaN.
 */
export function makeRankSumPair(
  a: NamedSample,
  b: NamedSample,
  direction: ObjectiveDirection,
  pairPValues?: PairPValues,
): UnadjustedPair {
  const isCensored = a.isCensored === true || b.isCensored === true;
  const { pValue, attainablePValue, method } = pairPValues ?? testMannWhitney(a.sample, b.sample);
  return {
    ...getEffect(a, b, computeU(a.sample, b.sample), direction),
    nA: a.sample.length,
    nB: b.sample.length,
    pValue,
    attainablePValue,
    method,
    shift: isCensored ? null : toFiniteOrNull(computeHodgesLehmann(a.sample, b.sample)),
    difference: null,
    differenceInterval: null,
  };
}

/**
 * Returns Fisher's exact test of two success rates, with the difference A − B and its Newcombe interval. A12 compares
 * the values 0 and 1 of unsuccessful and successful trials. If a group has no trials, p-values, effect size, difference
 * and intervals are null, and `better` is `none`.
 */
export function makeSuccessPair(a: NamedSuccesses, b: NamedSuccesses): UnadjustedPair {
  const pValue = testFisherExact(a, b);
  const [zerosAndOnesA, zerosAndOnesB] = [makeZerosAndOnes(a), makeZerosAndOnes(b)];
  // Number of pairs of trials in which only A succeeded, with ties counted half.
  const u =
    (a.successes * (2 * b.trials - b.successes) +
      (a.trials - a.successes) * (b.trials - b.successes)) /
    2;
  return {
    ...getEffect(zerosAndOnesA, zerosAndOnesB, pValue === null ? null : u, 'max'),
    nA: a.trials,
    nB: b.trials,
    pValue,
    attainablePValue: getAttainableFisherPValue(a.trials, b.trials),
    method: pValue === null ? null : 'exact',
    shift: null,
    difference: pValue === null ? null : a.successes / a.trials - b.successes / b.trials,
    differenceInterval: computeNewcombeInterval(a, b),
  };
}

/** The intervals of a pair that {@link makeRankSumPair} and {@link makeSuccessPair} do not compute. */
export type AddedIntervals = Pick<MeasuredPair, AddedInterval>;

/**
 * Returns the 95 % interval of the shift of a pair, and the simultaneous intervals of A12 and of the shift: in at least
 * 95 % of the cases, all of `comparisonCount` such intervals contain the true values (Bonferroni). An interval is null
 * if {@link computeEffectInterval} or {@link computeShiftIntervals} returns null for it. The intervals of the shift are
 * also null for a censored sample. Throws a RangeError for NaN.
 */
export function makeRankSumIntervals(
  a: NamedSample,
  b: NamedSample,
  direction: ObjectiveDirection,
  comparisonCount: number,
): AddedIntervals {
  const alpha = 0.05 / comparisonCount;
  const isCensored = a.isCensored === true || b.isCensored === true;
  const [shiftInterval = null, simultaneousShiftInterval = null] = isCensored
    ? []
    : computeShiftIntervals(a.sample, b.sample, [0.05, alpha]);
  return {
    simultaneousEffectInterval: computeEffectInterval(a.sample, b.sample, direction, alpha),
    shiftInterval,
    simultaneousShiftInterval,
    simultaneousDifferenceInterval: null,
  };
}

/**
 * Returns the simultaneous intervals of {@link makeRankSumIntervals} for success rates: of A12 and of A − B. An
 * interval is null if {@link computeEffectInterval} or {@link computeNewcombeInterval} returns null for it. The
 * intervals of the shift are always null.
 */
export function makeSuccessIntervals(
  a: NamedSuccesses,
  b: NamedSuccesses,
  comparisonCount: number,
): AddedIntervals {
  const [{ sample: sampleA }, { sample: sampleB }] = [makeZerosAndOnes(a), makeZerosAndOnes(b)];
  const alpha = 0.05 / comparisonCount;
  return {
    simultaneousEffectInterval: computeEffectInterval(sampleA, sampleB, 'max', alpha),
    shiftInterval: null,
    simultaneousShiftInterval: null,
    simultaneousDifferenceInterval: computeNewcombeInterval(a, b, 1 - alpha),
  };
}

function makeZerosAndOnes({ name, successes, trials }: NamedSuccesses): NamedSample {
  return { name, sample: Array.from({ length: trials }, (_, run) => Number(run < successes)) };
}

function getEffect(
  a: NamedSample,
  b: NamedSample,
  u: number | null,
  direction: ObjectiveDirection,
) {
  const [nA, nB] = [a.sample.length, b.sample.length];
  const effectSize = u === null ? null : computeVarghaDelaney(u, nA, nB, direction);
  return {
    a: a.name,
    b: b.name,
    effectSize,
    effectInterval: computeEffectInterval(a.sample, b.sample, direction),
    effectLabel: u === null ? null : getEffectLabel(u, nA, nB),
    better: getBetterName(effectSize, a.name, b.name),
  };
}

function getBetterName(effectSize: number | null, nameA: string, nameB: string): string {
  if (effectSize === null || effectSize === 0.5) return 'none';
  return effectSize > 0.5 ? nameA : nameB;
}

/**
 * Returns the p-values with Holm's step-down adjustment, in the same order: the running maximum of (m − j + 1)·p(j)
 * over the ascending p-values p(1) to p(m), at most 1. Null (untestable) stays null and does not count in m. Holm 1979.
 */
export function adjustByHolm(pValues: readonly (number | null)[]): (number | null)[] {
  const family = pValues
    .flatMap((pValue, index) => (pValue === null ? [] : [{ pValue, index }]))
    .sort((a, b) => a.pValue - b.pValue);
  const adjustedPValues: (number | null)[] = pValues.map(() => null);
  let largestProduct = 0;
  for (const [position, { pValue, index }] of family.entries()) {
    largestProduct = Math.max(largestProduct, Math.min(1, (family.length - position) * pValue));
    adjustedPValues[index] = largestProduct;
  }
  return adjustedPValues;
}

/** P-values of a pair of groups on several measures; null without a test. */
export interface PairOfMeasures {
  /** P-value of the hypothesis that the groups are alike on all measures. */
  pValue: number | null;
  /** P-values of the measures, adjusted for the number of measures of this pair. */
  measures: readonly (number | null)[];
}

/** Adjusted p-values of a pair among all pairs. */
export interface AdjustedPair {
  /** P-value of the pair, Holm-adjusted over the pairs. */
  holmAdjustedPValue: number | null;
  /** P-values of the measures, adjusted for the number of measures and of pairs. */
  measures: (number | null)[];
}

/**
 * Adjusts the p-values of pairs and of their measures for the number m of testable pairs. At level alpha, the procedure
 * claims a measure if (m − n) times its p-value is at most alpha, where n is the number of pairs with claims on all
 * measures. Other claims do not reduce the factor, because a difference on one measure does not imply a difference on
 * the others. The adjusted p-value is the smallest such alpha, at most 1. If no p-value of a measure is below the
 * p-value of its pair, a claim on a measure implies that Holm's procedure rejects the pair. Null stays null and does
 * not prevent claims on all measures. A pair without a p-value does not count in m, and its measures are null.
 */
export function adjustPairsByHolm(pairs: readonly PairOfMeasures[]): AdjustedPair[] {
  const holmPValues = adjustByHolm(pairs.map(({ pValue }) => pValue));
  const testablePairs = pairs.filter(({ pValue }) => pValue !== null);
  const maximumPValues = testablePairs.map(({ measures }) =>
    Math.max(...measures.map((value) => value ?? 0)),
  );
  // The levels from which 0, 1, 2, … pairs have claims on all measures.
  const levels = [
    0,
    ...adjustByHolm(maximumPValues)
      .map(Number)
      .sort((a, b) => a - b),
  ];
  // Levels increase and products decrease with the number of pairs. The larger of the two is smallest where they cross.
  const adjust = (pValue: number) => {
    const getProduct = (wholePairCount: number) => (testablePairs.length - wholePairCount) * pValue;
    let [low, high] = [0, levels.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((levels[middle] ?? Infinity) < getProduct(middle)) low = middle + 1;
      else high = middle;
    }
    return Math.min(1, levels[low] ?? 1, getProduct(Math.max(0, low - 1)));
  };
  return pairs.map(({ pValue, measures }, index) => ({
    holmAdjustedPValue: holmPValues[index] ?? null,
    measures: measures.map((value) => (value === null || pValue === null ? null : adjust(value))),
  }));
}

type ControlComparison = Omit<NonNullable<Across['versusControl']>[number], 'group'>;

/**
 * Returns the two-sided comparison of the average rank of each group with the average rank of a control group, by the
 * normal distribution: z = (R_i − R_c) / √(k(k + 1) / 6N) for k groups over N blocks, with Holm's adjustment over the
 * other groups. The comparisons are in the order of `averageRanks`; null for the control group. `blockCount` is at
 * least 1. Demšar 2006.
 */
export function compareWithControl(
  averageRanks: readonly number[],
  controlIndex: number,
  blockCount: number,
): (ControlComparison | null)[] {
  const groupCount = averageRanks.length;
  const standardError = Math.sqrt((groupCount * (groupCount + 1)) / (6 * blockCount));
  const scores = averageRanks.map(
    (average) => (average - (averageRanks[controlIndex] ?? NaN)) / standardError,
  );
  const pValues = scores.map((z, index) =>
    index === controlIndex ? null : Math.min(1, 2 * computeNormalUpperTail(Math.abs(z))),
  );
  const adjustedPValues = adjustByHolm(pValues);
  return scores.map((z, index) => {
    const [pValue, holmAdjustedPValue] = [pValues[index] ?? null, adjustedPValues[index] ?? null];
    return pValue === null || holmAdjustedPValue === null
      ? null
      : { z, pValue, holmAdjustedPValue };
  });
}
