import { formatRuntime } from '#shared/number-format.ts';
import type { Box, GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
import { pairTables } from './pair-tables.ts';
import { rankTable } from './rank-table.ts';
import { instanceSlug, subjectOf } from './subject.ts';
import { type Cell, type Column, markBest, type Row, type Table } from './table.ts';

/** What is shown of runs that are looked at as one. */
export const figureColumns: Column[] = [
  { key: 'runs', header: 'Runs', format: 'count' },
  { key: 'sampleSize', header: 'n', format: 'count' },
  { key: 'successRate', header: 'Success', format: 'share' },
  { key: 'ert', header: 'ERT', format: 'runtime' },
  { key: 'ertInterval', header: '95 % CI', format: 'text' },
  { key: 'sp1', header: 'SP1', format: 'runtime' },
  { key: 'median', header: 'Median', format: 'fitness' },
  { key: 'mean', header: 'Mean', format: 'fitness' },
  { key: 'stdDev', header: 'Std. dev.', format: 'fitness' },
];

/**
 * The tables of a comparison: the groups, the pairwise tests on each measure (with two groups or more) and the ranks, with
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
  tables.push(...pairTables(comparison, owner, label));
  if (comparison.friedman.ranks.length > 1) tables.push(rankTable(comparison, owner, label));
  return tables;
}

function groupTable(comparison: ProblemComparison, owner: string): Table {
  const direction = comparison.objectiveDirection;
  const runs = comparison.algorithms.reduce((total, group) => total + group.totalRuns, 0);
  const plain = comparison.algorithms.map((group): Row => ({
    cells: {
      group: group.label,
      ...figureCells(group, {
        n: group.sampleSize,
        median: group.medianBest,
        mean: group.meanBest,
        stdDev: group.stdBest,
      }),
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
    columns: [{ key: 'group', header: 'Algorithm', format: 'text' }, ...figureColumns],
    rows: marks.reduce((rows, [key, best]) => markBest(rows, key, best), plain),
  };
}

/** The cells of {@link figureColumns}: how often runs succeeded, and the best fitness of the completed ones. */
export function figureCells(
  summary: Success,
  best: Pick<Box, 'n' | 'median' | 'mean' | 'stdDev'>,
): Record<string, Cell> {
  return {
    runs: summary.totalRuns,
    sampleSize: best.n,
    successRate: summary.totalRuns === 0 ? null : summary.successRate,
    ert: runtimeOf(summary, summary.ert),
    ertInterval: runtimeInterval(summary),
    sp1: runtimeOf(summary, summary.sp1),
    median: best.median,
    mean: best.mean,
    stdDev: best.stdDev,
  };
}

type Success = Pick<
  GroupSummary,
  'totalRuns' | 'successfulRuns' | 'successRate' | 'ert' | 'ertInterval' | 'sp1'
>;

/** "[1 000, 1 614]"; nothing where no run succeeded, which is infinite for sure. */
function runtimeInterval({ successfulRuns, ertInterval }: Success): string | null {
  if (successfulRuns === 0 || ertInterval === null) return null;
  const [lower, upper] = [ertInterval.lower, ertInterval.upper].map((end) => end ?? Infinity);
  return `[${formatRuntime(lower)}, ${formatRuntime(upper)}]`;
}

/** An ERT or SP1; Infinity instead of null when there were runs and none succeeded. */
function runtimeOf({ totalRuns, successfulRuns }: Success, value: number | null): number | null {
  return totalRuns > 0 && successfulRuns === 0 ? Infinity : value;
}
