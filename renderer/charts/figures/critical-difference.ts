import type { FriedmanResult } from '#shared/schemas/analysis.ts';
import type { RankFigure } from '#renderer/charts/figure.ts';

/**
 * Critical-difference diagram of average ranks. Without a critical difference (no Friedman test) the ranks stand
 * alone; without ranks there is nothing to see. `look` gives name and paletteIndex of a group.
 */
export function criticalDifferenceFigure(
  { ranks, criticalDifference }: Pick<FriedmanResult, 'ranks' | 'criticalDifference'>,
  look: (algorithm: string) => { name: string; paletteIndex: number },
): RankFigure {
  const ordered = ranks
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

/**
 * First and last index of each largest set of two or more ranks that differ by less than the critical
 * difference. `ranks` rise; sets that lie inside another are left out. Demšar 2006.
 */
export function cliquesOf(
  ranks: readonly number[],
  criticalDifference: number,
): [number, number][] {
  const cliques: [number, number][] = [];
  for (const [first, rank] of ranks.entries()) {
    const last = ranks.findLastIndex((other) => other - rank < criticalDifference);
    const isInside = last <= (cliques.at(-1)?.[1] ?? -1);
    if (last > first && !isInside) cliques.push([first, last]);
  }
  return cliques;
}
