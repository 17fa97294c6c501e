import type { PairwiseTest } from '#shared/schemas/analysis.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import { varghaDelaney } from './effect-size.ts';
import { mannWhitney } from './mann-whitney.ts';
import { holmAdjust } from './multiple-tests.ts';

/** A named sample of best fitness values. */
export interface NamedSample {
  name: string;
  sample: readonly number[];
}

/**
 * Rank-sum tests of all pairs of samples, in order, with Holm's adjustment over the pairs that can be
 * tested, the smallest p-value that each could have attained, times their number, and the effect size A12.
 * A pair with an empty sample has null p-values and effect size and `none` as the better one.
 */
export function pairwiseTests(
  samples: readonly NamedSample[],
  direction: ObjectiveDirection,
): PairwiseTest[] {
  const pairs = samples.flatMap((a, index) =>
    samples.slice(index + 1).map((b) => comparePair(a, b, direction)),
  );
  const adjusted = holmAdjust(pairs.map((pair) => pair.pValue));
  const testable = pairs.filter((pair) => pair.pValue !== null).length;
  return pairs.map((pair, index) => withinFamily(pair, adjusted[index] ?? null, testable));
}

function withinFamily(
  pair: ReturnType<typeof comparePair>,
  holmAdjustedPValue: number | null,
  testable: number,
): PairwiseTest {
  const significantAt05 = holmAdjustedPValue !== null && holmAdjustedPValue < 0.05;
  const attainablePValue =
    pair.attainablePValue === null ? null : Math.min(1, testable * pair.attainablePValue);
  return { ...pair, attainablePValue, holmAdjustedPValue, significantAt05 };
}

function comparePair(a: NamedSample, b: NamedSample, direction: ObjectiveDirection) {
  const { u, ...test } = mannWhitney(a.sample, b.sample);
  const effectSize =
    u === null ? null : varghaDelaney(u, test.sampleSizeA, test.sampleSizeB, direction);
  return {
    algorithmA: a.name,
    algorithmB: b.name,
    ...test,
    betterAlgorithm: favoured(effectSize, a.name, b.name),
    effectSize,
  };
}

function favoured(effectSize: number | null, nameA: string, nameB: string): string {
  if (effectSize === null || effectSize === 0.5) return 'none';
  return effectSize > 0.5 ? nameA : nameB;
}
