import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { presentValues } from './descriptive.ts';
import { chiSquaredUpperTail } from './distributions.ts';
import { rank } from './rank.ts';
import { sum } from './sum.ts';

/**
 * Kruskal-Wallis test of two or more independent groups, tie-corrected, by the χ² approximation. Null and
 * NaN are left out, and so are groups without values; null when fewer than 2 groups remain. All values
 * equal: H = 0, p = 1. Kruskal & Wallis 1952.
 */
export function kruskalWallis(
  groups: Iterable<Iterable<number | null | undefined>>,
): ProblemComparison['kruskalWallis'] {
  const samples = Array.from(groups, presentValues).filter((sample) => sample.length > 0);
  if (samples.length < 2) return null;
  const { ranks, tieSum } = rank(samples.flat());
  const total = ranks.length;
  const untied = total ** 3 - total - tieSum;
  const spread = sum(spreadsOfMeanRanks(samples, ranks));
  const statistic = spread === 0 ? 0 : (12 * (total - 1) * spread) / untied;
  const df = samples.length - 1;
  return { statistic, df, pValue: chiSquaredUpperTail(statistic, df) };
}

function spreadsOfMeanRanks(samples: readonly number[][], ranks: readonly number[]): number[] {
  const center = (ranks.length + 1) / 2;
  let start = 0;
  return samples.map(({ length }) => {
    const rankSum = sum(ranks.slice(start, start + length));
    start += length;
    return (rankSum - length * center) ** 2 / length;
  });
}
