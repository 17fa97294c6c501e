import { formatStatistic, pValueWords } from '#shared/number-format.ts';
import { cliquesOf } from '#shared/rank-cliques.ts';
import type { FriedmanResult, ProblemComparison } from '#shared/schemas/analysis.ts';
import { subjectOf } from './subject.ts';
import { type Column, markBest, type Row, type Table } from './table.ts';

const rankColumns: Column[] = [
  { key: 'group', header: 'Algorithm', format: 'text' },
  { key: 'averageRank', header: 'Average rank', format: 'statistic' },
];

const barColumn: Column = { key: 'bars', header: 'Not told apart', format: 'text' };

/**
 * The ranks of the groups with the test they belong to. Bars join the groups that Nemenyi's test does not
 * tell apart; there are none without a critical difference.
 */
export function rankTable(
  comparison: ProblemComparison,
  owner: string,
  label: (name: string) => string,
): Table {
  const { ranks, criticalDifference } = comparison.friedman;
  const bars = criticalDifference === null ? null : barsOf(ranks, criticalDifference);
  const rows = ranks.map(({ algorithm, averageRank }, index): Row => ({
    cells: { group: label(algorithm), averageRank, bars: bars?.[index] ?? null },
  }));
  const hasBars = bars?.some((bar) => bar !== '') ?? false;
  return {
    id: `ranks-${owner}`,
    caption: `${rankedText(comparison)} ${rankTest(comparison)}`.trim(),
    columns: hasBars ? [...rankColumns, barColumn] : rankColumns,
    rows: markBest(rows, 'averageRank', 'min'),
    notes:
      bars === null
        ? []
        : [hasBars ? barNote : 'Every two groups differ by the critical difference or more.'],
  };
}

const barNote = 'Groups joined by a bar are not shown to differ.';

/**
 * For each of the rising ranks one character a bar, without those that have ended: `|` where the bar joins
 * it, a dot where it does not.
 */
function barsOf(ranks: readonly { averageRank: number }[], criticalDifference: number): string[] {
  const cliques = cliquesOf(
    ranks.map(({ averageRank }) => averageRank),
    criticalDifference,
  );
  const lanes: [first: number, last: number][][] = [];
  for (const clique of cliques) {
    const free = lanes.find((lane) => (lane.at(-1)?.[1] ?? -1) < clique[0] - 1);
    if (free) free.push(clique);
    else lanes.push([clique]);
  }
  const isJoined = (lane: readonly [number, number][], index: number) =>
    lane.some(([first, last]) => first <= index && index <= last);
  return ranks.map((_, index) =>
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
