import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { finiteOrNull } from './descriptive.ts';
import { effectInterval, effectLabel, varghaDelaney } from './effect-size.ts';
import { attainableFisher, fisherExact, type SuccessCount } from './fisher-exact.ts';
import { hodgesLehmann } from './hodges-lehmann.ts';
import { mannWhitney, rankSumU } from './mann-whitney.ts';
import { holmAdjust } from './multiple-tests.ts';
import { newcombeInterval } from './newcombe-interval.ts';

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
