import { mean } from '#server/stats/descriptive.ts';
import { minPTest, type MinPMeasure } from '#server/stats/min-p.ts';
import { rank } from '#server/stats/rank.ts';
import { measures } from '#shared/words.ts';
import type { GuardedPair, RunValues } from './guard.ts';

/** What two groups are tested on. */
export type ClaimMeasure = (typeof measures)[number];

/** What each run of a pair achieved on a measure, first those of group a. */
export type PairValues = readonly [a: number[], b: number[]];

/** The values of a measure for the runs of a pair; null where it cannot be tested. */
export function valuesOn(
  measure: ClaimMeasure,
  { runs: [a, b] }: Pick<GuardedPair, 'runs'>,
  hasTarget: boolean,
): PairValues | null {
  if (a.length === 0 || b.length === 0) return null;
  if (!hasTarget && (measure === 'runtime' || measure === 'success')) return null;
  const values = [...a, ...b].map((run) => valueOn(measure, run));
  const known = values.filter((value) => value !== null);
  if (known.length < values.length) return null;
  return [known.slice(0, a.length), known.slice(a.length)];
}

function valueOn(measure: ClaimMeasure, run: RunValues): number | null {
  if (measure === 'fitness') return run.fitness;
  if (measure === 'anytime') return run.anytime;
  return measure === 'runtime' ? run.time : Number(run.time < Infinity);
}

/** The test of a pair over all its measures. */
export interface PairTest {
  /** That the groups are alike on all measures; null where nothing can be tested. */
  pValue: number | null;
  /** Smallest p-value that another assignment of the units to the groups could give. */
  attainablePValue: number | null;
  /** The p-values are estimates, which a precise test would improve. */
  isRough: boolean;
  /** By measure; one that cannot be tested is missing. `adjustedPValue` is over the measures of this pair only. */
  measures: Partial<Record<ClaimMeasure, MinPMeasure>>;
}

/**
 * Tests a guarded pair on all its measures at once by min-p permutation. The units are runs with their mid-ranks in the
 * pair, or configurations with the mean of the mid-ranks of their runs. Null for a pair that must not be tested.
 */
export function testPair(
  pair: GuardedPair,
  hasTarget: boolean,
  isPrecise = false,
): PairTest | null {
  if (pair.reason) return null;
  const tested = measures.flatMap((measure) => {
    const values = valuesOn(measure, pair, hasTarget);
    return values ? [{ measure, scores: scoresOf(pair, values) }] : [];
  });
  const sizeA = pair.unit === 'run' ? pair.runs[0].length : pair.configurations[0];
  const test = minPTest({ scores: tested.map(({ scores }) => scores), sizeA, isPrecise });
  const byMeasure = tested.map(({ measure }, index) => [measure, test.measures[index]] as const);
  return {
    pValue: test.pValue,
    attainablePValue: test.attainablePValue,
    isRough: !test.isExact && !isPrecise,
    measures: Object.fromEntries(byMeasure),
  };
}

function scoresOf({ unit, runs: [a, b] }: GuardedPair, values: PairValues): number[] {
  const { ranks } = rank(values.flat());
  if (unit === 'run') return ranks;
  return [meanRanks(a, ranks), meanRanks(b, ranks.slice(a.length))].flat();
}

/** The mean rank of each configuration of a group, whose runs have the first of these ranks. */
function meanRanks(runs: readonly RunValues[], ranks: readonly number[]): number[] {
  const byConfiguration = Map.groupBy(runs.keys(), (index) => runs[index]?.configuration);
  return Array.from(
    byConfiguration.values(),
    (indexes) => mean(indexes.map((index) => ranks[index] ?? NaN)) ?? NaN,
  );
}
