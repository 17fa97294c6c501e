import { formatCount, formatStatistic, pValueWords } from '#shared/number-format.ts';
import { cliquesOf } from '#shared/rank-cliques.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';

type Ranked = Pick<ProblemComparison, 'friedman' | 'kruskalWallis'>;

/** The tests over all groups in one line: Friedman with Iman-Davenport, else Kruskal-Wallis, else why there is none. */
export function rankTestWords({ friedman, kruskalWallis }: Ranked): string {
  if (friedman.statistic !== null) {
    const { blocks, blockBy, statistic, pValue, exactPValue, imanDavenport } = friedman;
    const kind = exactPValue === null ? '' : 'exact ';
    const words = [
      `${formatCount(blocks)} blocks by ${blockBy ?? 'none'}`,
      `χ² = ${formatStatistic(statistic)}, ${kind}${pValueWords(exactPValue ?? pValue)}`,
    ];
    if (imanDavenport) {
      const f = formatStatistic(imanDavenport.statistic);
      words.push(`Iman-Davenport F = ${f}, ${pValueWords(imanDavenport.pValue)}`);
    }
    return words.join(' · ');
  }
  if (!kruskalWallis) {
    return friedman.ranks.length > 1
      ? 'Average ranks; too few blocks for a test of them'
      : 'A comparison of ranks needs two or more groups with completed runs';
  }
  const { statistic, df, pValue } = kruskalWallis;
  return `No common blocks · Kruskal-Wallis H(${formatCount(df)}) = ${formatStatistic(statistic)}, ${pValueWords(pValue)}`;
}

/** What the diagram's bars, or their absence, say; nothing without a critical difference. */
export function barNotes({ friedman }: Pick<Ranked, 'friedman'>): string[] {
  const { criticalDifference, ranks } = friedman;
  if (criticalDifference === null) return [];
  const rising = ranks.map(({ averageRank }) => averageRank).sort((a, b) => a - b);
  const who =
    cliquesOf(rising, criticalDifference).length > 0
      ? 'Groups joined by a bar are not shown to differ'
      : 'Every two groups differ';
  return [`${who} at 0.05 (Nemenyi, CD = ${formatStatistic(criticalDifference)}).`];
}
