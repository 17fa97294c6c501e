import type { PairwiseTest, ProblemComparison } from '#shared/schemas/analysis.ts';
import { formatFitness, formatPValue, formatStatistic } from '#shared/number-format.ts';
import { type Column, markBest, type Row, type Table } from './table.ts';

const groupColumns: Column[] = [
  { key: 'group', header: 'Algorithm', format: 'text' },
  { key: 'runs', header: 'Runs', format: 'count' },
  { key: 'sampleSize', header: 'n', format: 'count' },
  { key: 'successRate', header: 'Success', format: 'share' },
  { key: 'ert', header: 'ERT', format: 'count' },
  { key: 'sp1', header: 'SP1', format: 'count' },
  { key: 'median', header: 'Median', format: 'fitness' },
  { key: 'mean', header: 'Mean', format: 'fitness' },
  { key: 'stdDev', header: 'Std. dev.', format: 'fitness' },
];

const pairColumns: Column[] = [
  { key: 'a', header: 'A', format: 'text' },
  { key: 'b', header: 'B', format: 'text' },
  { key: 'sampleSizeA', header: 'n of A', format: 'count' },
  { key: 'sampleSizeB', header: 'n of B', format: 'count' },
  { key: 'pValue', header: 'p', format: 'pValue' },
  { key: 'holm', header: 'p (Holm)', format: 'pValue' },
  { key: 'method', header: 'Method', format: 'text' },
  { key: 'effectSize', header: 'A12', format: 'statistic' },
  { key: 'better', header: 'Better', format: 'text' },
];

const rankColumns: Column[] = [
  { key: 'group', header: 'Algorithm', format: 'text' },
  { key: 'averageRank', header: 'Average rank', format: 'statistic' },
];

/**
 * The tables of a comparison: the groups, the pairwise tests (with two groups or more) and the ranks, with
 * captions that say problem, direction, target, sample sizes and test. An ERT or SP1 of a group without
 * success is infinite.
 */
export function comparisonTables(comparison: ProblemComparison): Table[] {
  const labels = new Map(comparison.algorithms.map(({ algorithm, label }) => [algorithm, label]));
  const label = (name: string) => labels.get(name) ?? name;
  const tables = [groupTable(comparison)];
  if (comparison.pairwiseWilcoxon.length > 0) tables.push(pairTable(comparison, label));
  if (comparison.friedman.ranks.length > 1) tables.push(rankTable(comparison, label));
  return tables;
}

/** "onemax, length 40 (maximised, target 40)": what the figures are about. */
export function subjectOf(comparison: ProblemComparison): string {
  const label = comparison.instances.find((instance) => instance.selected)?.label;
  return `${label ?? comparison.problemType} (${objectiveText(comparison)})`;
}

/** "minimised, target 0.001 from the configuration": the objective in words. */
export function objectiveText(
  answer: Pick<ProblemComparison, 'objectiveDirection' | 'targetFitness' | 'targetSource'>,
): string {
  const direction = answer.objectiveDirection === 'min' ? 'minimised' : 'maximised';
  if (answer.targetFitness === null) return `${direction}, no target: success means completed`;
  const source = answer.targetSource === 'config' ? ' from the configuration' : '';
  return `${direction}, target ${formatFitness(answer.targetFitness)}${source}`;
}

function groupTable(comparison: ProblemComparison): Table {
  const direction = comparison.objectiveDirection;
  const runs = comparison.algorithms.reduce((total, group) => total + group.totalRuns, 0);
  const plain = comparison.algorithms.map((group): Row => ({
    cells: {
      group: group.label,
      runs: group.totalRuns,
      sampleSize: group.sampleSize,
      successRate: group.totalRuns === 0 ? null : group.successRate,
      ert: infiniteUnless(group.successfulRuns > 0, group.ert),
      sp1: infiniteUnless(group.successfulRuns > 0, group.sp1),
      median: group.medianBest,
      mean: group.meanBest,
      stdDev: group.stdBest,
    },
  }));
  const marks: [key: string, best: 'min' | 'max'][] = [
    ['successRate', 'max'],
    ['ert', 'min'],
    ['sp1', 'min'],
    ['median', direction],
    ['mean', direction],
  ];
  return {
    id: `groups-${slug(comparison.problemType)}`,
    caption:
      `Comparison on ${subjectOf(comparison)}, ${runs} runs. Success rate, expected runtime (ERT) and ` +
      'SP1 in evaluations over all runs; median, mean and standard deviation of the best fitness over ' +
      'the n completed runs. Best values are bold.',
    columns: groupColumns,
    rows: marks.reduce((rows, [key, best]) => markBest(rows, key, best), plain),
  };
}

/** The value; Infinity in place of none when it cannot exist for want of success. */
export function infiniteUnless(succeeded: boolean, value: number | null): number | null {
  return succeeded ? value : Infinity;
}

function pairTable(comparison: ProblemComparison, label: (name: string) => string): Table {
  const testable = comparison.pairwiseWilcoxon.filter((pair) => pair.pValue !== null).length;
  return {
    id: `pairs-${slug(comparison.problemType)}`,
    caption:
      `Pairwise two-sided Wilcoxon rank-sum tests of the best fitness on ${subjectOf(comparison)}, with ` +
      `Holm's adjustment over ${testable} comparison${testable === 1 ? '' : 's'}. A12 is Vargha and Delaney's effect size: above ` +
      '0.5 A is better. Adjusted p-values below 0.05 are bold.',
    columns: pairColumns,
    rows: comparison.pairwiseWilcoxon.map((pair) => pairRow(pair, label)),
  };
}

function pairRow(pair: PairwiseTest, label: (name: string) => string): Row {
  return {
    cells: {
      a: label(pair.algorithmA),
      b: label(pair.algorithmB),
      sampleSizeA: pair.sampleSizeA,
      sampleSizeB: pair.sampleSizeB,
      pValue: pair.pValue,
      holm: pair.holmAdjustedPValue,
      method: pair.method,
      effectSize: pair.effectSize,
      better: pair.betterAlgorithm === 'none' ? 'none' : label(pair.betterAlgorithm),
    },
    best: pair.significantAt05 ? ['holm'] : [],
  };
}

function rankTable(comparison: ProblemComparison, label: (name: string) => string): Table {
  const rows = comparison.friedman.ranks.map(({ algorithm, averageRank }): Row => ({
    cells: { group: label(algorithm), averageRank },
  }));
  return {
    id: `ranks-${slug(comparison.problemType)}`,
    caption: `Average ranks on ${subjectOf(comparison)}, 1 = best. ${rankTest(comparison)}`,
    columns: rankColumns,
    rows: markBest(rows, 'averageRank', 'min'),
    notes: postHocNotes(comparison, label),
  };
}

/** Which groups Nemenyi's test tells apart. */
function postHocNotes({ friedman }: ProblemComparison, label: (name: string) => string): string[] {
  const { criticalDifference, ranks } = friedman;
  if (criticalDifference === null) return [];
  const pairs = ranks.flatMap((one, index) =>
    ranks
      .slice(index + 1)
      .filter((other) => Math.abs(other.averageRank - one.averageRank) >= criticalDifference)
      .map((other) => `${label(one.algorithm)} and ${label(other.algorithm)}`),
  );
  return pairs.length === 0
    ? ['No average ranks differ by the critical difference.']
    : [`Average ranks differ by the critical difference or more: ${pairs.join('; ')}.`];
}

function rankTest({ friedman, kruskalWallis }: ProblemComparison): string {
  if (friedman.statistic !== null) {
    return (
      `Friedman test over ${friedman.blocks} blocks (by ${friedman.blockBy}): ` +
      `χ²(${friedman.df}) = ${formatStatistic(friedman.statistic)}, ` +
      `${friedman.exactPValue === null ? '' : 'exact '}p = ` +
      `${formatPValue(friedman.exactPValue ?? friedman.pValue)}; Nemenyi's critical difference at 0.05 is ` +
      `${formatStatistic(friedman.criticalDifference)}.`
    );
  }
  const ranked = 'Mean ranks over the pooled sample, as there are no common blocks.';
  if (!kruskalWallis) return ranked;
  return (
    `${ranked} Kruskal-Wallis test: H(${kruskalWallis.df}) = ` +
    `${formatStatistic(kruskalWallis.statistic)}, p = ${formatPValue(kruskalWallis.pValue)}.`
  );
}

/** Letters, digits and hyphens of the text, for labels and file names; "table" when nothing is left. */
export function slug(text: string): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replaceAll(/^-+|-+$/g, '').slice(0, 40) || 'table';
}
