import { claimLevel } from '#server/domain/claims/compare-groups.ts';
import { compareWithControl, adjustByHolm } from '#server/stats/pairwise-tests.ts';
import { computeMean, computeMedian } from '#server/stats/descriptive.ts';
import { testFriedman, rankValues } from '#server/stats/rank-tests.ts';
import { testSignedRank } from '#server/stats/signed-rank.ts';
import type {
  Across,
  AcrossPair,
  AcrossQuery,
  CellMeasure,
} from '#shared/schemas/analysis-across.ts';
import { getCost, isShared, type GroupResult, type InstanceResults } from './across-cells.ts';
import { getFriedmanResult } from './groups.ts';

/** Ranks and tests of the groups across instances. */
export type AcrossRanking = Pick<
  Across,
  'averageRanks' | 'winsTiesLosses' | 'friedman' | 'signedRank' | 'versusControl'
>;

/**
 * Returns ranks and tests of the groups over the instances that all groups share. Average ranks, Friedman's test and
 * the comparison with a control use blocks. Wins, ties and losses use instances. The signed-rank test also uses
 * instances; it is null unless there are two groups. `control` is the index of the control; without a control, the
 * comparison with it is null. A block is an instance or a function. For a function, averages the ranks of each group
 * over the instances of the function, and ranks the averages. With `worst` for missing results, all instances count,
 * and a group without a result is worst. With `pairwise`, only wins, ties and losses have values. They count, for each
 * pair, the instances on which both groups have results. The signed-rank test then has n = 0 and p = 1. With fewer than
 * 2 blocks, Friedman's test has 0 blocks and null statistics, and the comparison with a control is null. Without
 * blocks, there are no average ranks. Each instance must be comparable. Demšar 2006; García & Herrera 2008.
 */
export function rankAcross(
  groups: readonly string[],
  instances: readonly InstanceResults[],
  control: number | null,
  { missing, blocks }: Pick<AcrossQuery, 'missing' | 'blocks'>,
): AcrossRanking {
  const getRow = (instance: InstanceResults) =>
    instance.results.map((result) => getCost(instance, result));
  const replaceMissingCosts = (costs: readonly number[]) =>
    costs.map((cost) => (Number.isNaN(cost) ? Infinity : cost));
  const rankedInstances = { shared: instances.filter(isShared), worst: instances, pairwise: [] }[
    missing
  ];
  const rows = rankedInstances.map(getRow).map(replaceMissingCosts);
  const blockRows = blocks === 'function' ? getAveragedRanks(rankedInstances, rows) : rows;
  const test = testFriedman(blockRows);
  const averages = test?.averageRanks ?? [];
  const isTested = blockRows.length >= 2;
  return {
    averageRanks: averages.map((averageRank, index) => ({
      group: groups[index] ?? '',
      averageRank,
    })),
    winsTiesLosses: getWinsTiesLosses(
      groups,
      missing === 'pairwise' ? instances.map(getRow) : rows,
    ),
    friedman: getFriedmanResult(
      groups,
      averages,
      test && isTested ? { test, blockCount: blockRows.length, blockBy: blocks } : null,
    ),
    signedRank: groups.length === 2 ? testSignedRank(rows.map(getDifference)) : null,
    versusControl:
      control === null || !isTested
        ? null
        : compareWithControl(averages, control, blockRows.length).flatMap((comparison, index) =>
            comparison ? [{ group: groups[index] ?? '', ...comparison }] : [],
          ),
  };
}

/** Returns for each block the mean rank of each group over the instances of the block. */
function getAveragedRanks(
  instances: readonly InstanceResults[],
  rows: readonly (readonly number[])[],
): number[][] {
  const ranks = rows.map((row) => rankValues(row).ranks);
  const ranksByBlock = Map.groupBy(ranks.keys(), (index) => instances[index]?.block);
  return Array.from(ranksByBlock.values(), (indices) =>
    (ranks[0] ?? []).map(
      (_, group) => computeMean(indices.map((index) => ranks[index]?.[group] ?? NaN)) ?? NaN,
    ),
  );
}

/** Returns the difference of two costs: above 0 if the first group is better. Equal infinities differ by 0. */
function getDifference([costA = NaN, costB = NaN]: readonly number[]): number {
  return costA === costB ? 0 : costB - costA;
}

function getWinsTiesLosses(
  groups: readonly string[],
  rows: readonly (readonly number[])[],
): Across['winsTiesLosses'] {
  return groups.flatMap((a, firstIndex) =>
    groups.slice(firstIndex + 1).map((b, offset) => {
      const secondIndex = firstIndex + 1 + offset;
      const pairs = rows.map((row) => [row[firstIndex] ?? NaN, row[secondIndex] ?? NaN] as const);
      return {
        a,
        b,
        wins: pairs.filter(([costA, costB]) => costA < costB).length,
        ties: pairs.filter(([costA, costB]) => costA === costB).length,
        losses: pairs.filter(([costA, costB]) => costA > costB).length,
      };
    }),
  );
}

/** An instance with the value of each group, as input of the pairwise tests. */
interface InstanceValues {
  label: string;
  /**
   * Key of the function of the instance; the id of an instance without parameters. If `blocks` is `function`, {@link
   * testPairs} averages the differences of instances with the same function.
   */
  block: string;
  /** Best fitness that the problem allows; null if unknown. */
  optimum: number | null;
  /** One result per group. */
  results: readonly GroupResult[];
  /** Names of the groups with several configurations; none by default. */
  pooledGroups?: ReadonlySet<string>;
}

type PairTests = Across['pairTests'];

const scales: Readonly<Record<CellMeasure, PairTests['scale']>> = {
  median: 'log10Precision',
  mean: 'log10Precision',
  ert: 'log10Ert',
  success: 'successRate',
  anytime: 'anytime',
};

/**
 * Returns Wilcoxon's signed-rank test of every pair of groups over blocks, Holm-adjusted over the tested pairs. A
 * difference is the log10 ratio of the ERTs or of the distances to the optimum, or the difference of success rates or
 * of anytime performance. It is never raw fitness, whose scale depends on the problem. For `median` and `mean`, the
 * tests therefore omit instances without a known optimum. `unscaled` lists the labels of these instances. A block is an
 * instance or a function. The difference of a function is the mean over its instances. Equal infinities differ by 0.
 * Opposite infinite differences within a function are a tie. If the groups of a pair have different numbers of runs on
 * an instance, the test uses equally many first runs of both. A median or mean of fewer runs has another distribution,
 * even if the groups are alike. `shared` omits instances on which a group has no result. With `worst`, a missing result
 * is worst. With `pairwise`, a pair omits the instances on which one of its groups has no result. A pair without a
 * difference other than 0 has null p-values. No pair is significant if `isInterim`, or if one of its groups has several
 * configurations on a tested instance. Demšar 2006; Benavoli et al. 2016.
 */
export function testPairs(
  groups: readonly string[],
  instances: readonly InstanceValues[],
  { measure, missing, blocks }: Pick<AcrossQuery, 'measure' | 'missing' | 'blocks'>,
  isInterim: boolean,
): PairTests {
  const isScaled = ({ optimum }: InstanceValues) =>
    scales[measure] !== 'log10Precision' || optimum !== null;
  const scoredInstances = instances
    .filter(isScaled)
    .filter((instance) => missing !== 'shared' || isShared(instance))
    .map(({ block, results, optimum, pooledGroups }, index) => ({
      pooledGroups,
      // Instances of different problem types may have the same label.
      block: blocks === 'function' ? block : String(index),
      getScoreAgainst: (group: number, otherGroup: number) =>
        getScore(measure, getValueAgainst(results[group], results[otherGroup]), optimum ?? 0),
    }));
  const unadjustedPairs = groups.flatMap((a, firstIndex) =>
    groups.slice(firstIndex + 1).map((b, offset) => {
      const secondIndex = firstIndex + 1 + offset;
      return testPair(
        a,
        b,
        getDifferences(scoredInstances, firstIndex, secondIndex, missing === 'worst'),
      );
    }),
  );
  // The effects of configurations persist over instances, so the tests would find differences between equal algorithms
  // with other configurations.
  const pooledGroups = new Set(
    scoredInstances.flatMap((instance) => [...(instance.pooledGroups ?? [])]),
  );
  const adjustedPValues = adjustByHolm(unadjustedPairs.map(({ pValue }) => pValue));
  const testedPairCount = unadjustedPairs.filter(({ pValue }) => pValue !== null).length;
  const pairs = unadjustedPairs.map((pair, index): AcrossPair => {
    const holmAdjustedPValue = adjustedPValues[index] ?? null;
    const { attainablePValue } = pair;
    const isBelowLevel = holmAdjustedPValue !== null && holmAdjustedPValue <= claimLevel;
    const isPooled = pooledGroups.has(pair.a) || pooledGroups.has(pair.b);
    return {
      ...pair,
      holmAdjustedPValue,
      // Holm's procedure multiplies a p-value by a smaller number of pairs if other pairs have smaller p-values.
      attainablePValue:
        attainablePValue && Math.min(holmAdjustedPValue ?? 1, testedPairCount * attainablePValue),
      significant: isBelowLevel && !isInterim && !isPooled && pair.better !== 'none',
    };
  });
  const unscaledLabels = instances
    .filter((instance) => !isScaled(instance))
    .map(({ label }) => label);
  return { scale: scales[measure], unscaled: unscaledLabels, isInterim, pairs };
}

/** Returns the value of a group over its first runs, at most as many as the other group has; null without a value. */
function getValueAgainst(
  result: GroupResult | undefined,
  otherResult: GroupResult | undefined,
): number | null {
  const valueOfFirst = result?.valuesByRunCount?.get(otherResult?.n ?? 0);
  return valueOfFirst === undefined ? (result?.value ?? null) : valueOfFirst;
}

/**
 * Returns the score of a value on a scale that is comparable across instances; null without a value. Larger scores are
 * better.
 */
function getScore(measure: CellMeasure, value: number | null, optimum: number): number | null {
  if (value === null || measure === 'success' || measure === 'anytime') return value;
  return -Math.log10(measure === 'ert' ? value : Math.abs(value - optimum));
}

/** Factor for rounding to 13 decimals. Because of rounding errors, equal differences may differ in further decimals. */
const roundingFactor = 1e13;

interface ScoredInstance {
  block: string;
  /** Returns the score of a group in its pair with another group; null without a value. */
  getScoreAgainst: (group: number, otherGroup: number) => number | null;
}

/**
 * Returns the difference of the groups in each block: the mean over the instances on which both groups have a value,
 * above 0 if the first group is better. Omits blocks without such an instance. With `isMissingWorst`, a missing value
 * is -Infinity. Equal infinities differ by 0; opposite infinite differences give 0. Rounds to 13 decimals to make equal
 * differences tie.
 */
function getDifferences(
  instances: readonly ScoredInstance[],
  firstIndex: number,
  secondIndex: number,
  isMissingWorst: boolean,
): number[] {
  const missingScore = isMissingWorst ? -Infinity : null;
  const instancesByBlock = Map.groupBy(instances, ({ block }) => block);
  return [...instancesByBlock.values()].flatMap((blockInstances) => {
    const differences = blockInstances.flatMap(({ getScoreAgainst }) => {
      const a = getScoreAgainst(firstIndex, secondIndex) ?? missingScore;
      const b = getScoreAgainst(secondIndex, firstIndex) ?? missingScore;
      if (a === null || b === null) return [];
      return a === b ? 0 : a - b;
    });
    const average = computeMean(differences);
    if (average === null) return [];
    return Number.isNaN(average) ? 0 : Math.round(average * roundingFactor) / roundingFactor;
  });
}

function testPair(a: string, b: string, differences: readonly number[]) {
  const test = testSignedRank(differences);
  const median = computeMedian(differences);
  const isTested = test.method !== null;
  return {
    a,
    b,
    blocks: differences.length,
    wins: differences.filter((difference) => difference > 0).length,
    ties: test.zeros,
    losses: differences.filter((difference) => difference < 0).length,
    medianDifference: median !== null && Number.isFinite(median) ? median : null,
    pValue: isTested ? test.pValue : null,
    attainablePValue: isTested ? Math.min(1, 2 ** (1 - test.n)) : null,
    better: test.wPlus > test.wMinus ? a : test.wPlus < test.wMinus ? b : 'none',
  };
}
