import { formatStatistic, pValueWords } from '#shared/number-format.ts';
import { isBestOn } from '#shared/group-figures.ts';
import { barsOver } from '#shared/claim-marks.ts';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { FriedmanResult, ProblemComparison } from '#shared/schemas/analysis.ts';
import { subjectOf } from './subject.ts';
import type { Column, Row, Table } from './table.ts';

const rankColumns: Column[] = [
  { key: 'group', header: 'Algorithm', format: 'text' },
  { key: 'averageRank', header: 'Average rank', format: 'statistic' },
];

const barColumn: Column = { key: 'bars', header: 'Not shown to differ', format: 'text' };

/**
 * The ranks of the groups with the test they belong to. Two groups without a bar in common are claimed to differ in
 * fitness; without blocks there are no bars.
 */
export function rankTable(
  comparison: ProblemComparison,
  owner: string,
  label: (name: string) => string,
): Table {
  const { friedman, pairwise, algorithms } = comparison;
  const names = friedman.ranks.map(({ algorithm }) => algorithm);
  const bars = friedman.statistic === null ? null : lanesOf(names, pairwise.fitness);
  const best = new Set(
    algorithms.filter((group) => isBestOn(group, 'fitness')).map(({ algorithm }) => algorithm),
  );
  const rows = friedman.ranks.map(({ algorithm, averageRank }, index): Row => ({
    cells: { group: label(algorithm), averageRank, bars: bars?.[index] ?? null },
    best: best.has(algorithm) ? ['averageRank'] : [],
  }));
  const hasBars = bars?.some((bar) => bar !== '') ?? false;
  return {
    id: `ranks-${owner}`,
    caption: `${rankedText(comparison)} ${rankTest(comparison)}`.trim(),
    columns: hasBars ? [...rankColumns, barColumn] : rankColumns,
    rows,
    notes: bars === null ? [] : [barNote],
  };
}

const barNote =
  'Groups without a common bar differ significantly in fitness within their common budget.';

/**
 * For each of the groups one character a bar, without those that have ended: `|` where the bar joins
 * it, a dot where it does not.
 */
function lanesOf(names: readonly string[], pairs: readonly MeasuredPair[]): string[] {
  const lanes: [first: number, last: number][][] = [];
  for (const bar of barsOver(names, pairs)) {
    const free = lanes.find((lane) => (lane.at(-1)?.[1] ?? -1) < bar[0] - 1);
    if (free) free.push(bar);
    else lanes.push([bar]);
  }
  const isJoined = (lane: readonly [number, number][], index: number) =>
    lane.some(([first, last]) => first <= index && index <= last);
  return names.map((_, index) =>
    lanes
      .map((lane) => (isJoined(lane, index) ? '|' : '·'))
      .join('')
      .replace(/·+$/, ''),
  );
}

/** What the ranks are of: all instances that were ranked, and not only the one selected. */
function rankedText(comparison: ProblemComparison): string {
  const { blockBy, blocks } = comparison.friedman;
  if (blockBy === 'instance') {
    return (
      `Average ranks of the median best fitness on ${blocks} instances of ${comparison.problemType} that ` +
      'all groups share, 1 = best.'
    );
  }
  const subject = subjectOf(comparison);
  if (blockBy === 'seed') return `Average ranks of the best fitness on ${subject}, 1 = best.`;
  return (
    `Mean ranks of the best fitness over the pooled sample on ${subject}, as there are no common blocks; ` +
    '1 = best.'
  );
}

/** What a Friedman test found, and the critical difference that goes with it. */
export function friedmanFigures(friedman: FriedmanResult): string {
  const { df, statistic, pValue, exactPValue, criticalDifference } = friedman;
  return (
    `χ²(${df}) = ${formatStatistic(statistic)}, ${exactPValue === null ? '' : 'exact '}` +
    `${pValueWords(exactPValue ?? pValue)}; Nemenyi's critical difference at 0.05 is ` +
    `${formatStatistic(criticalDifference)}.`
  );
}

function rankTest({ friedman, kruskalWallis }: ProblemComparison): string {
  if (friedman.statistic !== null) {
    const { blocks, blockBy } = friedman;
    return `Friedman test over ${blocks} blocks (by ${blockBy}): ${friedmanFigures(friedman)}`;
  }
  if (!kruskalWallis) return '';
  const { df, statistic, pValue } = kruskalWallis;
  return `Kruskal-Wallis test: H(${df}) = ${formatStatistic(statistic)}, ${pValueWords(pValue)}.`;
}
