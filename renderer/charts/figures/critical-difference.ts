import { findBars, type ClaimedPair } from '#shared/claim-marks.ts';
import type { FriedmanResult } from '#shared/schemas/analysis.ts';
import type { RankFigure } from '#renderer/charts/figure.ts';

/**
 * Rank diagram: average ranks with bars over groups that are not shown to differ, by their `pairs`; Nemenyi's critical
 * difference is drawn for scale only. Empty without blocks and with fewer than two ranks. `look` gives name and paletteIndex
 * of a group.
 */
export function makeCriticalDifferenceFigure(
  { ranks, criticalDifference }: Pick<FriedmanResult, 'ranks' | 'criticalDifference'>,
  pairs: readonly Pick<ClaimedPair, 'a' | 'b' | 'significant'>[],
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
    cliques: findBars(
      ordered.map(({ algorithm }) => algorithm),
      pairs,
    ),
    empty:
      ranks.length > 1 && !hasBlocks
        ? 'No common blocks (instances or seeds), so there is no rank diagram.'
        : 'Ranks need two or more groups with completed runs.',
  };
}
