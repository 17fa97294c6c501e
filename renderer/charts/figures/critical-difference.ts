import { cliquesOf } from '#shared/rank-cliques.ts';
import type { FriedmanResult } from '#shared/schemas/analysis.ts';
import type { RankFigure } from '#renderer/charts/figure.ts';

/**
 * Critical-difference diagram of average ranks. Without a critical difference (no Friedman test) the ranks stand
 * alone; with fewer than two ranks there is nothing to see. `look` gives name and paletteIndex of a group.
 */
export function criticalDifferenceFigure(
  { ranks, criticalDifference }: Pick<FriedmanResult, 'ranks' | 'criticalDifference'>,
  look: (algorithm: string) => { name: string; paletteIndex: number },
): RankFigure {
  // One group is first among itself.
  const ordered = (ranks.length > 1 ? ranks : [])
    .map(({ algorithm, averageRank }) => ({ ...look(algorithm), rank: averageRank }))
    .sort((first, second) => first.rank - second.rank);
  return {
    kind: 'ranks',
    ranks: ordered,
    criticalDifference,
    cliques:
      criticalDifference === null
        ? []
        : cliquesOf(
            ordered.map(({ rank }) => rank),
            criticalDifference,
          ),
    empty: 'Ranks need two or more groups with completed runs.',
  };
}
