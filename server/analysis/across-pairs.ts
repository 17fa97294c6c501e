import { holmAdjust } from '#server/stats/multiple-tests.ts';
import { mean } from '#server/stats/descriptive.ts';
import { median } from '#server/stats/quantile.ts';
import { signedRank } from '#server/stats/signed-rank.ts';
import type {
  Across,
  AcrossPair,
  AcrossQuery,
  CellMeasure,
} from '#shared/schemas/analysis-across.ts';

/** An instance with the value of each group, as its pairs are tested. */
interface ScoredInstance {
  label: string;
  /** Instances with the same one are averaged. */
  block: string;
  /** The best fitness that the problem allows; null where it is unknown. */
  optimum: number | null;
  /** Of each group; may be infinite, null where the group has no results. */
  values: readonly (number | null)[];
}

type PairTests = Across['pairTests'];

const scales: Readonly<Record<CellMeasure, PairTests['scale']>> = {
  median: 'log10Precision',
  mean: 'log10Precision',
  ert: 'log10Ert',
  success: 'successRate',
  anytime: 'anytime',
};

const claimLevel = 0.05;

/**
 * Wilcoxon's signed-rank test of every pair of groups over blocks, Holm over the pairs. A difference is the log10 ratio of
 * ERT or of the distance to the optimum, or the difference of success rates or of anytime performance; never raw
 * fitness, whose size depends on the problem: instances without a known optimum are left out. A block is an instance, or a
 * function, whose difference is the mean over its dimensions; equal infinities differ by 0, and opposite ones make a tie.
 * Where a group has no results, `missing` decides. Demšar 2006; Benavoli et al. 2016.
 */
export function testPairs(
  groups: readonly string[],
  instances: readonly ScoredInstance[],
  { measure, missing, blocks }: Pick<AcrossQuery, 'measure' | 'missing' | 'blocks'>,
  isInterim: boolean,
): PairTests {
  const isScaled = ({ optimum }: ScoredInstance) =>
    scales[measure] !== 'log10Precision' || optimum !== null;
  const scored = instances.filter(isScaled).map(({ block, label, values, optimum }) => ({
    block: blocks === 'function' ? block : label,
    scores: values.map((value) => scoreOf(measure, value, optimum ?? 0)),
  }));
  const used =
    missing === 'shared' ? scored.filter(({ scores }) => !scores.includes(null)) : scored;
  const lone = groups.flatMap((a, first) =>
    groups.slice(first + 1).map((b, offset) => {
      const second = first + 1 + offset;
      return testPair(a, b, differences(used, first, second, missing === 'worst'));
    }),
  );
  const adjusted = holmAdjust(lone.map(({ pValue }) => pValue));
  const tested = lone.filter(({ pValue }) => pValue !== null).length;
  const pairs = lone.map((pair, index): AcrossPair => {
    const holmAdjustedPValue = adjusted[index] ?? null;
    const { attainablePValue } = pair;
    const isClaimed = holmAdjustedPValue !== null && holmAdjustedPValue <= claimLevel;
    return {
      ...pair,
      holmAdjustedPValue,
      attainablePValue: attainablePValue && Math.min(1, tested * attainablePValue),
      significant: isClaimed && !isInterim && pair.better !== 'none',
    };
  });
  const unscaled = instances.filter((one) => !isScaled(one)).map(({ label }) => label);
  return { scale: scales[measure], unscaled, isInterim, pairs };
}

/** The value on a scale that compares across instances, larger is better; null without a value. */
function scoreOf(measure: CellMeasure, value: number | null, optimum: number): number | null {
  if (value === null || measure === 'success' || measure === 'anytime') return value;
  return -Math.log10(measure === 'ert' ? value : Math.abs(value - optimum));
}

/** By how much the first group is better in each block on which both have a value. */
function differences(
  instances: readonly { block: string; scores: readonly (number | null)[] }[],
  first: number,
  second: number,
  isMissingWorst: boolean,
): number[] {
  const absent = isMissingWorst ? -Infinity : null;
  const inBlocks = Map.groupBy(instances, ({ block }) => block);
  return [...inBlocks.values()].flatMap((inside) => {
    const own = inside.flatMap(({ scores }) => {
      const [a, b] = [scores[first] ?? absent, scores[second] ?? absent];
      if (a === null || b === null) return [];
      return a === b ? 0 : a - b;
    });
    const average = mean(own);
    if (average === null) return [];
    return Number.isNaN(average) ? 0 : average;
  });
}

function testPair(a: string, b: string, advantages: readonly number[]) {
  const test = signedRank(advantages);
  const middle = median(advantages);
  const isTested = test.method !== null;
  return {
    a,
    b,
    blocks: advantages.length,
    wins: advantages.filter((advantage) => advantage > 0).length,
    ties: test.zeros,
    losses: advantages.filter((advantage) => advantage < 0).length,
    medianDifference: middle !== null && Number.isFinite(middle) ? middle : null,
    pValue: isTested ? test.pValue : null,
    attainablePValue: isTested ? Math.min(1, 2 ** (1 - test.n)) : null,
    better: test.wPlus > test.wMinus ? a : test.wPlus < test.wMinus ? b : 'none',
  };
}
