import { formatCount, formatPValue, formatStatistic } from '#shared/number-format.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';

type Ranked = Pick<ProblemComparison, 'friedman' | 'kruskalWallis'>;

/** The tests over all groups in one line: Friedman with Iman-Davenport, else Kruskal-Wallis, else why none. */
export function rankTestWords({ friedman, kruskalWallis }: Ranked): string {
  if (friedman.statistic !== null) {
    const { blocks, blockBy, statistic, pValue, imanDavenport } = friedman;
    const words = [
      `${formatCount(blocks)} blocks by ${blockBy ?? 'none'}`,
      `χ² = ${formatStatistic(statistic)}, p = ${formatPValue(pValue)}`,
    ];
    if (imanDavenport) {
      // No finite F goes with p = 0: all blocks agree.
      const f = formatStatistic(imanDavenport.statistic ?? Infinity);
      words.push(`Iman-Davenport F = ${f}, p = ${formatPValue(imanDavenport.pValue)}`);
    }
    return words.join(' · ');
  }
  if (!kruskalWallis) return 'A comparison of ranks needs two or more groups with completed runs';
  const { statistic, df, pValue } = kruskalWallis;
  return `No common blocks · Kruskal-Wallis H(${formatCount(df)}) = ${formatStatistic(statistic)}, p = ${formatPValue(pValue)}`;
}

/** What the bars of the diagram say; nothing without a critical difference. */
export function barNotes({ friedman }: Pick<Ranked, 'friedman'>): string[] {
  if (friedman.criticalDifference === null) return [];
  return [
    `Groups joined by a bar do not differ at 0.05 (Nemenyi, CD = ${formatStatistic(friedman.criticalDifference)}).`,
  ];
}
