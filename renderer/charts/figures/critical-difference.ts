import { barsOver, cliquesOf } from '#shared/rank-cliques.ts';
import type { MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { FriedmanResult } from '#shared/schemas/analysis.ts';
import type { RankFigure } from '#renderer/charts/figure.ts';

/**
 * Rank diagram: average ranks with bars over groups that are not shown to differ, by their `pairs` (Nemenyi's critical
 * difference is there for scale), or without pairs by the critical difference. Empty without blocks and with fewer than two ranks. `look` gives name and paletteIndex of a
 * group.
 */
export function criticalDifferenceFigure(
  { ranks, criticalDifference }: Pick<FriedmanResult, 'ranks' | 'criticalDifference'>,
  pairs: readonly Pick<MeasuredPair, 'a' | 'b' | 'significant'>[] | undefined,
  look: (algorithm: string) => { name: string; paletteIndex: number },
): RankFigure {
  const hasBlocks = criticalDifference !== null;
  const ordered = (ranks.length > 1 && hasBlocks ? ranks : []).toSorted(
    (first, second) => first.averageRank - second.averageRank,
  );
  return {
    kind: 'ranks',
    ranks: ordered.map(({ algorithm, averageRank }) => ({ ...look(algorithm), rank: averageRank })),
    criticalDifference,
    cliques: pairs
      ? barsOver(
          ordered.map(({ algorithm }) => algorithm),
          pairs,
        )
      : cliquesOf(
          ordered.map(({ averageRank }) => averageRank),
          criticalDifference ?? 0,
        ),
    empty:
      ranks.length > 1 && !hasBlocks
        ? 'No common blocks (instances or seeds), so there is no rank diagram.'
        : 'Ranks need two or more groups with completed runs.',
  };
}
