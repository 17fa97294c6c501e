import { findBars, type ClaimedPair } from '#shared/claim-marks.ts';
import type { FriedmanResult } from '#shared/schemas/analysis.ts';
import type { RankFigure } from '#renderer/charts/figure.ts';

/**
 * Returns a rank diagram: average ranks with bars over groups without a claimed difference, by their `pairs`. Nemenyi's
 * critical difference is for scale only. Empty without blocks and with fewer than two ranks. `getLook` returns the name
 * and the palette index of a group.
 */
export function makeCriticalDifferenceFigure(
  { ranks, criticalDifference }: Pick<FriedmanResult, 'ranks' | 'criticalDifference'>,
  pairs: readonly Pick<ClaimedPair, 'a' | 'b' | 'significant'>[],
  getLook: (algorithm: string) => { name: string; paletteIndex: number },
): RankFigure {
  const hasBlocks = criticalDifference !== null;
  const ordered = (ranks.length > 1 && hasBlocks ? ranks : []).toSorted(
    (first, second) => first.averageRank - second.averageRank,
  );
  return {
    kind: 'ranks',
    ranks: ordered.map(({ algorithm, averageRank }) => ({
      ...getLook(algorithm),
      rank: averageRank,
    })),
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
