import { boldRule, figuresOf, isBestOn, type GroupFigures } from '#shared/group-figures.ts';
import { countOf, formatRuntime } from '#shared/number-format.ts';
import type { Guard } from '#shared/schemas/analysis-guard.ts';
import type { Measure } from '#shared/schemas/analysis-measures.ts';
import type { Box, GroupSummary, ProblemComparison } from '#shared/schemas/analysis.ts';
import { pairTables } from './pair-tables.ts';
import { rankTable } from './rank-table.ts';
import { instanceSlug, subjectOf } from './subject.ts';
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

/** What is shown of the runs of an experiment; success, ERT and SP1 need a target. */
export function figureColumns(hasTarget: boolean): Column[] {
  return [
    { key: 'runs', header: 'Runs', format: 'count' },
    { key: 'sampleSize', header: 'n', format: 'count' },
    ...(hasTarget ? successColumns : []),
    ...fitnessColumns,
  ];
}

/**
 * The tables of a comparison: the groups, the pairwise tests on each measure (with two groups or more) and the ranks, with
 * captions that say problem, direction, target, budget, sample sizes and test. An ERT or SP1 of a group without
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

/** On which measure the values of a column are tested. */
const columnMeasures: readonly (readonly [column: string, measure: Measure])[] = [
  ['successRate', 'success'],
  ['ert', 'runtime'],
  ['sp1', 'runtime'],
  ['median', 'fitness'],
  ['mean', 'fitness'],
];

function groupTable(comparison: ProblemComparison, owner: string): Table {
  const { guard, algorithms, targetFitness } = comparison;
  const hasTarget = targetFitness !== null;
  const rows = algorithms.map((group): Row => {
    const figures = figuresOf(group, guard, hasTarget);
    const best = columnMeasures.flatMap(([column, measure]) =>
      isBestOn(group, measure) ? [column] : [],
    );
    return { cells: { group: group.label, ...cellsOf(figures) }, best };
  });
  const runs = algorithms.reduce((total, group) => total + group.totalRuns, 0);
  return {
    id: `groups-${owner}`,
    caption: [
      `Comparison on ${subjectOf(comparison)}, ${countOf(runs, 'run')}.`,
      guard.heading,
      withinText(guard),
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
    notes: [...guard.notes, ...reasonsIn(guard)],
  };
}

function cellsOf(figures: GroupFigures | null): Record<string, Cell> {
  return {
    n: figures?.runs ?? null,
    successRate: figures?.successRate ?? null,
    ert: figures?.ert ?? null,
    ertInterval: figures?.solved ? printedInterval(figures.ertInterval) : null,
    sp1: figures?.sp1 ?? null,
    median: figures?.medianBest ?? null,
    mean: figures?.meanBest ?? null,
    stdDev: figures?.stdBest ?? null,
  };
}

/** "[1 000, 1 614]". */
function printedInterval(interval: GroupFigures['ertInterval']): string | null {
  return interval && `[${formatRuntime(interval.lower)}, ${formatRuntime(interval.upper)}]`;
}

/** Within which budget the groups are summarised. */
function withinText({ commonBudget }: Guard): string {
  return commonBudget === null
    ? 'Values over whole runs.'
    : `Values within ${countOf(commonBudget, 'evaluation')}, the smallest common budget.`;
}

/** Why pairs are not tested, each reason once. */
export function reasonsIn({ pairs }: Guard): string[] {
  return [...new Set(pairs.flatMap(({ reason }) => reason?.message ?? []))];
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
