import type { Across } from '#shared/schemas/analysis-across.ts';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { finiteOrNull } from './descriptive.ts';
import { normalUpperTail } from './distributions.ts';
import { effectInterval, effectLabel, hodgesLehmann, varghaDelaney } from './effect-size.ts';
import {
  attainableFisher,
  fisherExact,
  newcombeInterval,
  type SuccessCount,
} from './fisher-exact.ts';
import { mannWhitney, rankSumU } from './mann-whitney.ts';

/** A named sample of what each run of a group achieved; null and NaN are left out. */
export interface NamedSample {
  name: string;
  sample: readonly number[];
  /** Some of its values are not known, so that a shift would say nothing. */
  isCensored?: boolean;
}

/** Named counts of the successes of a group. */
export interface NamedSuccesses extends SuccessCount {
  name: string;
}

/** A pair before the others are known; its attainable p-value is that of the test alone. */
export type LonePair = Omit<MeasuredPair, 'holmAdjustedPValue' | 'adjustedPValue' | 'significant'>;

/** A pair among all pairs of its measure. */
export type FamilyPair = Omit<MeasuredPair, 'adjustedPValue'>;

/**
 * Rank-sum tests of all pairs of samples, in order, with A12, its interval and label, the Hodges-Lehmann
 * shift (null where a sample is censored, and where it is not finite), Holm's adjustment over the pairs that
 * can be tested, and the smallest p-value that each could have attained, times their number. A pair with an
 * empty sample has null p-values and effect size and `none` as the better one.
 */
export function rankSumPairs(
  samples: readonly NamedSample[],
  direction: ObjectiveDirection,
): FamilyPair[] {
  return asFamily(
    samples.flatMap((a, index) =>
      samples.slice(index + 1).map((b) => rankSumPair(a, b, direction)),
    ),
  );
}

function asFamily(pairs: readonly LonePair[]): FamilyPair[] {
  const adjusted = holmAdjust(pairs.map((pair) => pair.pValue));
  const testable = pairs.filter((pair) => pair.pValue !== null).length;
  return pairs.map((pair, index) => {
    const holmAdjustedPValue = adjusted[index] ?? null;
    const attainable = pair.attainablePValue;
    return {
      ...pair,
      holmAdjustedPValue,
      attainablePValue: attainable === null ? null : Math.min(1, testable * attainable),
      significant: holmAdjustedPValue !== null && holmAdjustedPValue < 0.05,
    };
  });
}

/** What a test of a pair gave. */
export type PairPValues = Pick<LonePair, 'pValue' | 'attainablePValue' | 'method'>;

/**
 * Rank-sum test of two samples, with A12, its interval and label, and the Hodges-Lehmann shift (null where a sample is
 * censored, and where it is not finite). With an empty sample p-values and effect size are null, and `none` is better. Takes the
 * p-values instead of computing them where the samples were tested before.
 */
export function rankSumPair(
  a: NamedSample,
  b: NamedSample,
  direction: ObjectiveDirection,
  tested?: PairPValues,
): LonePair {
  const isCensored = a.isCensored === true || b.isCensored === true;
  const { pValue, attainablePValue, method } = tested ?? mannWhitney(a.sample, b.sample);
  return {
    ...effectOf(a, b, rankSumU(a.sample, b.sample), direction),
    nA: a.sample.length,
    nB: b.sample.length,
    pValue,
    attainablePValue,
    method,
    shift: isCensored ? null : finiteOrNull(hodgesLehmann(a.sample, b.sample)),
    difference: null,
    differenceInterval: null,
  };
}

/**
 * Fisher's exact test of two success rates, with the difference A − B and its Newcombe interval; A12 is over 0 and 1.
 * Without trials of a group p-values and effect size are null.
 */
export function successPair(a: NamedSuccesses, b: NamedSuccesses): LonePair {
  const pValue = fisherExact(a, b);
  const [zerosAndOnesA, zerosAndOnesB] = [zerosAndOnes(a), zerosAndOnes(b)];
  // Pairs in which A succeeded and B did not, ties counted half.
  const u =
    (a.solved * (2 * b.trials - b.solved) + (a.trials - a.solved) * (b.trials - b.solved)) / 2;
  return {
    ...effectOf(zerosAndOnesA, zerosAndOnesB, pValue === null ? null : u, 'max'),
    nA: a.trials,
    nB: b.trials,
    pValue,
    attainablePValue: attainableFisher(a.trials, b.trials),
    method: pValue === null ? null : 'exact',
    shift: null,
    difference: pValue === null ? null : a.solved / a.trials - b.solved / b.trials,
    differenceInterval: newcombeInterval(a, b),
  };
}

function zerosAndOnes({ name, solved, trials }: NamedSuccesses): NamedSample {
  return { name, sample: Array.from({ length: trials }, (_, run) => Number(run < solved)) };
}

function effectOf(a: NamedSample, b: NamedSample, u: number | null, direction: ObjectiveDirection) {
  const [nA, nB] = [a.sample.length, b.sample.length];
  const effectSize = u === null ? null : varghaDelaney(u, nA, nB, direction);
  return {
    a: a.name,
    b: b.name,
    effectSize,
    effectInterval: effectInterval(a.sample, b.sample, direction),
    effectLabel: u === null ? null : effectLabel(u, nA, nB),
    better: favoured(effectSize, a.name, b.name),
  };
}

function favoured(effectSize: number | null, nameA: string, nameB: string): string {
  if (effectSize === null || effectSize === 0.5) return 'none';
  return effectSize > 0.5 ? nameA : nameB;
}

/**
 * Holm's step-down adjustment of p-values, in the order given: the running maximum of (m − j + 1)·p over
 * the ascending p-values, at most 1. Null (untestable) stays null and is not part of the family of m.
 * Holm 1979.
 */
export function holmAdjust(pValues: readonly (number | null)[]): (number | null)[] {
  const family = pValues
    .flatMap((pValue, index) => (pValue === null ? [] : [{ pValue, index }]))
    .sort((a, b) => a.pValue - b.pValue);
  const adjusted: (number | null)[] = pValues.map(() => null);
  let running = 0;
  for (const [position, { pValue, index }] of family.entries()) {
    running = Math.max(running, Math.min(1, (family.length - position) * pValue));
    adjusted[index] = running;
  }
  return adjusted;
}

/** What a pair of groups was found on several measures; null where nothing could be tested. */
export interface PairOfMeasures {
  /** That the groups are alike on all measures. */
  pValue: number | null;
  /** Of each measure, adjusted for the number of measures of this pair. */
  measures: readonly (number | null)[];
}

/** P-values of a pair among all pairs; a claim is one of at most alpha. */
export interface ClaimedPair {
  /** Of the pair, Holm's adjustment over the pairs. */
  holmAdjustedPValue: number | null;
  /** Of each measure, adjusted for the number of measures and of pairs. */
  measures: (number | null)[];
}

/**
 * Adjusts the p-values of pairs and their measures for the number of testable pairs, m. At level alpha a measure is claimed if
 * its p-value times (m − the number of pairs of which all measures are claimed) is at most alpha: the factor falls
 * for whole pairs only, because a pair that truly differs on one measure says nothing about the others. The adjusted p-value is the
 * smallest such alpha, at most 1. A claim on a measure implies that Holm's procedure rejects its pair. Null stays null; a
 * pair without a p-value is not one of the m.
 */
export function holmClaims(pairs: readonly PairOfMeasures[]): ClaimedPair[] {
  const holmAdjusted = holmAdjust(pairs.map(({ pValue }) => pValue));
  const testable = pairs.filter(({ pValue }) => pValue !== null);
  const largest = testable.map(({ measures }) => Math.max(...measures.map((value) => value ?? 0)));
  // The level from which on each number of pairs is claimed as a whole.
  const levels = [
    0,
    ...holmAdjust(largest)
      .map(Number)
      .sort((a, b) => a - b),
  ];
  // Levels rise and factors fall with the number of pairs: the smallest of the larger ones is where they cross.
  const adjust = (pValue: number) => {
    const productAt = (whole: number) => (testable.length - whole) * pValue;
    let [low, high] = [0, levels.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((levels[middle] ?? Infinity) < productAt(middle)) low = middle + 1;
      else high = middle;
    }
    return Math.min(1, levels[low] ?? 1, productAt(Math.max(0, low - 1)));
  };
  return pairs.map(({ pValue, measures }, index) => ({
    holmAdjustedPValue: holmAdjusted[index] ?? null,
    measures: measures.map((value) => (value === null || pValue === null ? null : adjust(value))),
  }));
}

type ControlComparison = Omit<NonNullable<Across['versusControl']>[number], 'group'>;

/**
 * Each average rank compared with that of a control group, two-sided by the normal distribution:
 * z = (R_i − R_c) / √(k(k + 1) / 6N), with Holm's adjustment over the others. In the order given; null at the
 * place of the control. Demšar 2006.
 */
export function compareWithControl(
  averageRanks: readonly number[],
  control: number,
  blocks: number,
): (ControlComparison | null)[] {
  const groups = averageRanks.length;
  const standardError = Math.sqrt((groups * (groups + 1)) / (6 * blocks));
  const scores = averageRanks.map(
    (average) => (average - (averageRanks[control] ?? NaN)) / standardError,
  );
  const pValues = scores.map((z, index) =>
    index === control ? null : Math.min(1, 2 * normalUpperTail(Math.abs(z))),
  );
  const adjusted = holmAdjust(pValues);
  return scores.map((z, index) => {
    const [pValue, holmAdjustedPValue] = [pValues[index] ?? null, adjusted[index] ?? null];
    return pValue === null || holmAdjustedPValue === null
      ? null
      : { z, pValue, holmAdjustedPValue };
  });
}
