import type { PairwiseTest, ProblemComparison } from '#shared/schemas/analysis.ts';
import { rankTable } from './rank-table.ts';
import { instanceSlug, subjectOf } from './subject.ts';
import { type Column, markBest, type Row, type Table } from './table.ts';

const groupColumns: Column[] = [
  { key: 'group', header: 'Algorithm', format: 'text' },
  { key: 'runs', header: 'Runs', format: 'count' },
  { key: 'sampleSize', header: 'n', format: 'count' },
  { key: 'successRate', header: 'Success', format: 'share' },
  { key: 'ert', header: 'ERT', format: 'runtime' },
  { key: 'sp1', header: 'SP1', format: 'runtime' },
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

/**
 * The tables of a comparison: the groups, the pairwise tests (with two groups or more) and the ranks, with
 * captions that say problem, direction, target, sample sizes and test. An ERT or SP1 of a group without
 * success is infinite. `owner` ends every label: the instance compared on, or what else the tables belong to.
 */
export function comparisonTables(
  comparison: ProblemComparison,
  owner = instanceSlug(comparison),
): Table[] {
  const labels = new Map(comparison.algorithms.map(({ algorithm, label }) => [algorithm, label]));
  const label = (name: string) => labels.get(name) ?? name;
  const tables = [groupTable(comparison, owner)];
  if (comparison.pairwiseWilcoxon.length > 0) tables.push(pairTable(comparison, owner, label));
  if (comparison.friedman.ranks.length > 1) tables.push(rankTable(comparison, owner, label));
  return tables;
}

function groupTable(comparison: ProblemComparison, owner: string): Table {
  const direction = comparison.objectiveDirection;
  const runs = comparison.algorithms.reduce((total, group) => total + group.totalRuns, 0);
  const plain = comparison.algorithms.map((group): Row => ({
    cells: {
      group: group.label,
      runs: group.totalRuns,
      sampleSize: group.sampleSize,
      successRate: group.totalRuns === 0 ? null : group.successRate,
      ert: runtimeOf(group, group.ert),
      sp1: runtimeOf(group, group.sp1),
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
    id: `groups-${owner}`,
    caption:
      `Comparison on ${subjectOf(comparison)}, ${runs} runs. Success rate, expected runtime (ERT) and ` +
      'SP1 in evaluations over all runs; median, mean and standard deviation of the best fitness over ' +
      'the n completed runs. Best values are bold.',
    columns: groupColumns,
    rows: marks.reduce((rows, [key, best]) => markBest(rows, key, best), plain),
  };
}

/** An ERT or SP1; Infinity instead of null when there were runs and none succeeded. */
export function runtimeOf(
  { totalRuns, successfulRuns }: { totalRuns: number; successfulRuns: number },
  value: number | null,
): number | null {
  return totalRuns > 0 && successfulRuns === 0 ? Infinity : value;
}

function pairTable(
  comparison: ProblemComparison,
  owner: string,
  label: (name: string) => string,
): Table {
  const testable = comparison.pairwiseWilcoxon.filter((pair) => pair.pValue !== null).length;
  return {
    id: `pairs-${owner}`,
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
