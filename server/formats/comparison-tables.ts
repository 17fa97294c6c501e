import { describeJoinedDifferences, findBars, hasPooledGroups } from '#shared/claim-marks.ts';
import {
  boldRule,
  describePassedTarget,
  getGroupMetrics,
  formatGroupTitle,
  isBestOn,
  type GroupMetrics,
  getRuntime,
} from '#shared/group-metrics.ts';
import {
  describeCount,
  describeSmallestBudget,
  formatRuntime,
  formatShareDifference,
  formatStatistic,
  describePValue,
} from '#shared/number-format.ts';
import type { Guard } from '#shared/schemas/analysis-guard.ts';
import type {
  Interval,
  Measure,
  MeasuredPair,
  RuntimeInterval,
} from '#shared/schemas/analysis-measures.ts';
import type {
  Box,
  FriedmanResult,
  GroupSummary,
  ProblemComparison,
} from '#shared/schemas/analysis.ts';
import { makeInstanceSlug, describeInstance } from './descriptions.ts';
import type { Cell, Column, Row, Table } from './table.ts';

const successColumns: Column[] = [
  { key: 'successRate', header: 'Success', format: 'share' },
  { key: 'ert', header: 'ERT', format: 'runtime' },
  { key: 'ertInterval', header: '95 % CI', format: 'text' },
  { key: 'sp1', header: 'SP1', format: 'runtime' },
];

const fitnessColumns: Column[] = [
  { key: 'median', header: 'Median', format: 'fitness' },
  { key: 'mean', header: 'Mean', format: 'fitness' },
  { key: 'stdDev', header: 'Std. dev.', format: 'fitness' },
];

/**
 * Returns the columns for the runs of an experiment. Includes success, ERT with its interval, and SP1 only with a
 * target.
 */
export function makeMetricColumns(hasTarget: boolean): Column[] {
  return [
    { key: 'runs', header: 'Runs', format: 'count' },
    { key: 'sampleSize', header: 'n', format: 'count' },
    ...(hasTarget ? successColumns : []),
    ...fitnessColumns,
  ];
}

/**
 * Returns the tables of a comparison: the groups; one table of pairwise tests for each measure with pairs; the ranks if
 * there are at least two ranked groups. The ERT and SP1 of a group with runs but without a success are infinite.
 * `owner` ends every label; the default is the slug of the problem instance.
 */
export function makeComparisonTables(
  comparison: ProblemComparison,
  owner = makeInstanceSlug(comparison),
): Table[] {
  const labels = new Map(
    comparison.algorithms.map((group) => [group.algorithm, formatGroupTitle(group)]),
  );
  const getLabel = (name: string) => labels.get(name) ?? name;
  const tables = [makeGroupTable(comparison, owner)];
  tables.push(...makePairTables(comparison, owner, getLabel));
  if (comparison.friedman.ranks.length > 1) tables.push(makeRankTable(comparison, owner, getLabel));
  return tables;
}

/** Measures whose tests decide which values of a column are bold. */
const columnMeasures: readonly (readonly [column: string, measure: Measure])[] = [
  ['successRate', 'success'],
  ['ert', 'runtime'],
  ['sp1', 'runtime'],
  ['median', 'fitness'],
  ['mean', 'fitness'],
];

function makeGroupTable(comparison: ProblemComparison, owner: string): Table {
  const { guard, algorithms, targetFitness } = comparison;
  const hasTarget = targetFitness !== null;
  const rows = algorithms.map((group): Row => {
    const metrics = getGroupMetrics(group, guard, hasTarget);
    const bestKeys = columnMeasures.flatMap(([column, measure]) =>
      isBestOn(group, measure) ? [column] : [],
    );
    return {
      cells: { group: formatGroupTitle(group), ...getCells(metrics) },
      boldColumns: bestKeys,
    };
  });
  const runCount = algorithms.reduce((total, group) => total + group.totalRuns, 0);
  return {
    name: 'groups',
    owner,
    caption: [
      `Comparison on ${describeInstance(comparison)}, ${describeCount(runCount, 'run')}.`,
      guard.heading,
      describeSmallestBudget(guard.commonBudget),
      describePassedTarget(guard, hasTarget),
      hasTarget ? 'Success rate, expected runtime (ERT) and SP1 in evaluations.' : '',
      boldRule,
    ]
      .filter(Boolean)
      .join(' '),
    columns: [
      { key: 'group', header: 'Algorithm', format: 'text' },
      { key: 'n', header: 'n', format: 'count' },
      ...(hasTarget ? successColumns : []),
      ...fitnessColumns,
    ],
    rows,
    notes: [
      ...guard.notes,
      ...listReasons(guard),
      ...comparison.notes.flatMap(({ code, message }) =>
        code === 'POOLED_CONFIGURATIONS' || code === 'STEPS_AS_EVALUATIONS' ? message : [],
      ),
    ],
  };
}

function getCells(metrics: GroupMetrics | null): Record<string, Cell> {
  return {
    n: metrics?.runs ?? null,
    successRate: metrics?.successRate ?? null,
    ert: metrics?.ert ?? null,
    ertInterval: formatInterval(metrics?.ertInterval ?? null),
    sp1: metrics?.sp1 ?? null,
    median: metrics?.medianBest ?? null,
    mean: metrics?.meanBest ?? null,
    stdDev: metrics?.stdBest ?? null,
  };
}

/** Returns the text of an interval: "[1 000, 1 614]", with ∞ for an infinite end; null without an interval. */
function formatInterval(interval: RuntimeInterval | null): string | null {
  if (interval === null) return null;
  const [lowerEnd, upperEnd] = [interval.lower, interval.upper].map((end) => end ?? Infinity);
  return `[${formatRuntime(lowerEnd)}, ${formatRuntime(upperEnd)}]`;
}

/** Returns the reasons why pairs have no test, without duplicates. */
function listReasons({ pairs }: Guard): string[] {
  return [...new Set(pairs.flatMap(({ reason }) => reason?.message ?? []))];
}

/**
 * Returns the cells of {@link makeMetricColumns}: the success of all runs, and the best fitness of the completed runs.
 * Without runs, success rate, ERT and SP1 are null. ERT and SP1 are infinite if no run succeeded, and null if the
 * evaluations of all successful runs are unknown.
 */
export function makeMetricCells(
  summary: Success,
  box: Pick<Box, 'n' | 'median' | 'mean' | 'stdDev'>,
): Record<string, Cell> {
  return {
    runs: summary.totalRuns,
    sampleSize: box.n,
    successRate: summary.totalRuns === 0 ? null : summary.successRate,
    ert: getRuntime(summary, summary.ert),
    ertInterval: formatInterval(summary.ertMoverInterval),
    sp1: getRuntime(summary, summary.sp1),
    median: box.median,
    mean: box.mean,
    stdDev: box.stdDev,
  };
}

type Success = Pick<
  GroupSummary,
  'totalRuns' | 'successfulRuns' | 'successRate' | 'ert' | 'ertMoverInterval' | 'sp1'
>;

/** Order of the measures: runtime is first, because it is the main measure with a target. */
const measureOrder = [
  'runtime',
  'success',
  'anytime',
  'fitness',
] as const satisfies readonly Measure[];

const testWords: Record<Measure, string> = {
  fitness: 'Wilcoxon rank-sum tests of the best fitness within the common budget',
  runtime:
    'Wilcoxon rank-sum tests of the evaluations to the target, infinite for runs that missed it,',
  success: "Fisher's exact tests of the success rates",
  anytime:
    'Wilcoxon rank-sum tests of the anytime performance (share of levels reached, over the logarithm of the budget)',
};

/**
 * Returns one table of pairs for each measure with pairs, in the order of {@link measureOrder}. A table names the
 * better group only if the difference is significant and the comparison is not interim.
 */
function makePairTables(
  comparison: ProblemComparison,
  owner: string,
  getLabel: (name: string) => string,
): Table[] {
  return measureOrder.flatMap((measure) => {
    const pairs = comparison.pairwise[measure] ?? [];
    return pairs.length === 0 ? [] : [makePairTable(comparison, measure, pairs, owner, getLabel)];
  });
}

function makePairTable(
  comparison: ProblemComparison,
  measure: Measure,
  pairs: readonly MeasuredPair[],
  owner: string,
  getLabel: (name: string) => string,
): Table {
  const { guard } = comparison;
  const testedPairCount = guard.pairs.filter(({ isTested }) => isTested).length;
  const differenceSentence =
    measure === 'success'
      ? ' The difference of the rates is A − B, with its Newcombe interval, simultaneous too.'
      : '';
  return {
    name: `pairs-${measure}`,
    owner,
    caption:
      `Pairwise two-sided ${testWords[measure]} on ${describeInstance(comparison)}, ${describeMethods(pairs)}adjusted over the ` +
      `measures of a pair (min-p permutation, step-down) and over ${describeCount(testedPairCount, 'pair')} (Holm). ` +
      `${[guard.heading, guard.text].filter(Boolean).join(' ')} A12 is Vargha and Delaney's effect size with its ` +
      `95 % interval, simultaneous over the pairs and measures (Bonferroni): above 0.5 A is better.${differenceSentence} Adjusted p-values of claims are bold; n.s.: not significant.`,
    columns: makePairColumns(measure),
    rows: pairs.map((pair) => makePairRow(pair, guard.isInterim, getLabel)),
    notes: listReasons(guard),
  };
}

/**
 * Returns the methods of the tests for the caption; an empty text without tests. Tests of groups of fewer than 50 runs
 * are always exact.
 */
function describeMethods(pairs: readonly MeasuredPair[]): string {
  const methods = new Set(pairs.flatMap(({ method }) => method ?? []));
  if (methods.size > 1) return 'exact, or asymptotic for some groups of at least 50 runs, ';
  return [...methods].map((method) => `${method}, `).join('');
}

function makePairColumns(measure: Measure): Column[] {
  return [
    { key: 'a', header: 'A', format: 'text' },
    { key: 'b', header: 'B', format: 'text' },
    { key: 'nA', header: 'n of A', format: 'count' },
    { key: 'nB', header: 'n of B', format: 'count' },
    { key: 'pValue', header: 'p', format: 'pValue' },
    { key: 'adjustedPValue', header: 'p (adj.)', format: 'pValue' },
    { key: 'effectSize', header: 'A12', format: 'text' },
    ...(measure === 'success'
      ? [{ key: 'difference', header: 'Difference', format: 'text' } as const]
      : []),
    { key: 'better', header: 'Better', format: 'text' },
  ];
}

function makePairRow(
  pair: MeasuredPair,
  isInterim: boolean,
  getLabel: (name: string) => string,
): Row {
  return {
    cells: {
      a: getLabel(pair.a),
      b: getLabel(pair.b),
      nA: pair.nA,
      nB: pair.nB,
      pValue: pair.pValue,
      adjustedPValue: pair.adjustedPValue,
      effectSize: formatWithInterval(
        pair.effectSize,
        pair.simultaneousEffectInterval,
        formatStatistic,
      ),
      difference: formatWithInterval(
        pair.difference,
        pair.simultaneousDifferenceInterval,
        formatShareDifference,
      ),
      better: makeBetterCell(pair, isInterim, getLabel),
    },
    boldColumns: pair.significant ? ['adjustedPValue'] : [],
  };
}

function makeBetterCell(
  pair: MeasuredPair,
  isInterim: boolean,
  getLabel: (name: string) => string,
): Cell {
  if (pair.pValue === null) return null;
  if (isInterim) return 'interim';
  return pair.significant ? getLabel(pair.better) : 'n.s.';
}

/**
 * Returns the text of a value with its interval, such as "0.853 [0.634, 0.951]". Returns only the value if there is no
 * interval, and null if there is no value.
 */
function formatWithInterval(
  value: number | null,
  interval: Interval | null,
  format: (value: number) => string,
): Cell {
  if (value === null) return null;
  if (interval === null) return format(value);
  return `${format(value)} [${format(interval.lower)}, ${format(interval.upper)}]`;
}

const rankColumns: Column[] = [
  { key: 'group', header: 'Algorithm', format: 'text' },
  { key: 'averageRank', header: 'Average rank', format: 'statistic' },
];

const barColumn: Column = { key: 'bars', header: 'Not shown to differ', format: 'text' };

/**
 * Returns the table of the ranks of the groups, with their test in the caption. Two groups without a common bar differ
 * significantly in fitness. There are no bars without a Friedman test, and none if all groups differ. No rank is bold,
 * because claims compare all runs within a common budget, but ranks compare the final fitness of the completed runs.
 */
function makeRankTable(
  comparison: ProblemComparison,
  owner: string,
  getLabel: (name: string) => string,
): Table {
  const { friedman, pairwise, guard } = comparison;
  const names = friedman.ranks.map(({ algorithm }) => algorithm);
  const bars = friedman.statistic === null ? null : makeBarTexts(names, pairwise.fitness);
  const rows = friedman.ranks.map(({ algorithm, averageRank }, index): Row => ({
    cells: { group: getLabel(algorithm), averageRank, bars: bars?.[index] ?? null },
    boldColumns: [],
  }));
  const hasBars = bars?.some((bar) => bar !== '') ?? false;
  return {
    name: 'ranks',
    owner,
    caption: [
      describeRanks(comparison),
      guard.isInterim ? guard.heading : '',
      describeRankTest(comparison),
    ]
      .filter(Boolean)
      .join(' '),
    columns: hasBars ? [...rankColumns, barColumn] : rankColumns,
    rows,
    notes:
      bars === null
        ? []
        : [
            makeBarNote(comparison),
            describeJoinedDifferences(names, pairwise.fitness, getLabel),
          ].filter(Boolean),
  };
}

/**
 * Returns the note on the bars. Average ranks may include several instances, but the tests include only the selected
 * instance.
 */
function makeBarNote(comparison: ProblemComparison): string {
  const instanceText =
    comparison.friedman.blockBy === 'instance' ? ` on ${describeInstance(comparison)}` : '';
  return `Groups without a common bar differ significantly in fitness within their common budget${instanceText}.`;
}

/**
 * Returns a text for each group, with one character per lane of bars that neither overlap nor touch: `|` if a bar of
 * the lane contains the group, otherwise a dot. Omits dots at the end.
 */
function makeBarTexts(names: readonly string[], pairs: readonly MeasuredPair[]): string[] {
  const lanes: [firstGroup: number, lastGroup: number][][] = [];
  for (const bar of findBars(names, pairs)) {
    const freeLane = lanes.find((lane) => (lane.at(-1)?.[1] ?? -1) < bar[0] - 1);
    if (freeLane) freeLane.push(bar);
    else lanes.push([bar]);
  }
  const isJoined = (lane: readonly [number, number][], index: number) =>
    lane.some(([firstGroup, lastGroup]) => firstGroup <= index && index <= lastGroup);
  return names.map((_, index) =>
    lanes
      .map((lane) => (isJoined(lane, index) ? '|' : '·'))
      .join('')
      .replace(/·+$/, ''),
  );
}

/** Returns a sentence about the ranked values and their instances: all shared instances, or only the selected one. */
function describeRanks(comparison: ProblemComparison): string {
  const { blockBy, blocks } = comparison.friedman;
  if (blockBy === 'instance') {
    return (
      `Average ranks of the median final fitness of the completed runs on ${blocks} instances of ${comparison.problemType} that ` +
      'all groups share, 1 = best.'
    );
  }
  const instanceText = describeInstance(comparison);
  if (blockBy === 'seed') {
    return `Average ranks of the final fitness of the completed runs on ${instanceText}, 1 = best.`;
  }
  return (
    `Mean ranks of the final fitness of all completed runs on ${instanceText}, because there are no common blocks; ` +
    '1 = best.'
  );
}

/**
 * Returns the result of a Friedman test as text: χ², the exact p-value, or the asymptotic one if there is no exact one,
 * and the critical difference.
 */
export function formatFriedman(friedman: FriedmanResult): string {
  const { df, statistic, pValue, exactPValue, criticalDifference } = friedman;
  return (
    `χ²(${df}) = ${formatStatistic(statistic)}, ${exactPValue === null ? '' : 'exact '}` +
    `${describePValue(exactPValue ?? pValue)}; Nemenyi's critical difference at 0.05 is ` +
    `${formatStatistic(criticalDifference)}.`
  );
}

function describeRankTest({ friedman, kruskalWallis, notes }: ProblemComparison): string {
  if (friedman.statistic !== null) {
    const { blocks, blockBy } = friedman;
    return `Friedman test over ${blocks} blocks (by ${blockBy}): ${formatFriedman(friedman)}`;
  }
  if (!kruskalWallis || hasPooledGroups(notes)) return '';
  const { df, statistic, pValue } = kruskalWallis;
  return `Kruskal-Wallis test: H(${df}) = ${formatStatistic(statistic)}, asymptotic ${describePValue(pValue)}.`;
}
