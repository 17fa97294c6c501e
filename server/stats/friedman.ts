import type { FriedmanResult } from '#shared/schemas/analysis.ts';
import { chiSquaredUpperTail, fUpperTail } from './distributions.ts';
import { friedmanExactPValue } from './friedman-exact.ts';
import { rank } from './rank.ts';
import { studentizedRangeQuantile } from './studentized-range.ts';
import { sum } from './sum.ts';

/** Result of the Friedman test of k groups over N blocks. */
export interface FriedmanTest {
  averageRanks: number[];
  /** Tie-corrected χ² with k − 1 degrees of freedom. */
  statistic: number;
  pValue: number;
  /** From the permutation distribution; null where that has too many outcomes. */
  exactPValue: number | null;
  /** Only if the exact p-value is unknown: an approximation next to it would mislead. */
  imanDavenport: FriedmanResult['imanDavenport'];
}

/**
 * Friedman's test. `blocks` has one row per block and one value per group in each, the smallest value
 * being rank 1; null without blocks or with fewer than 2 groups. Tied in every block: χ² = 0, p = 1.
 * `imanDavenport` is null for one block, with an exact p-value and where all blocks agree (F infinite), so
 * that few blocks never give p = 0. Infinities are ordinary extreme values. Friedman 1937; Iman & Davenport 1980; Demšar 2006.
 */
export function friedman(blocks: readonly (readonly number[])[]): FriedmanTest | null {
  const groups = blocks[0]?.length ?? 0;
  if (groups < 2) return null;
  const rankings = blocks.map((block) => rank(block));
  const rankSums = Array.from({ length: groups }, (_, group) =>
    sum(rankings.map((ranking) => ranking.ranks[group] ?? 0)),
  );
  const center = (blocks.length * (groups + 1)) / 2;
  const spread = 12 * sum(rankSums.map((rankSum) => (rankSum - center) ** 2));
  const untied = blocks.length * (groups ** 3 - groups) - sum(rankings.map((r) => r.tieSum));
  const statistic = spread === 0 ? 0 : ((groups - 1) * spread) / untied;
  const exactPValue = friedmanExactPValue(rankings.map((ranking) => ranking.ranks));
  const residual = blocks.length * untied - spread;
  return {
    averageRanks: rankSums.map((rankSum) => rankSum / blocks.length),
    statistic,
    pValue: chiSquaredUpperTail(statistic, groups - 1),
    exactPValue,
    imanDavenport:
      exactPValue === null ? imanDavenport(spread, residual, blocks.length, groups) : null,
  };
}

// F = (N − 1)χ² / (N(k − 1) − χ²) with both sides multiplied until only whole numbers are left, so that
// complete agreement makes the denominator exactly 0.
function imanDavenport(
  spread: number,
  residual: number,
  blocks: number,
  groups: number,
): FriedmanResult['imanDavenport'] {
  const statistic = spread === 0 ? 0 : ((blocks - 1) * spread) / residual;
  if (blocks < 2 || !Number.isFinite(statistic)) return null;
  const df1 = groups - 1;
  const df2 = (groups - 1) * (blocks - 1);
  return { statistic, df1, df2, pValue: fUpperTail(statistic, df1, df2) };
}

/**
 * Nemenyi's critical difference of average ranks for k groups over N blocks: q·√(k(k + 1) / 6N), q being
 * the studentised range quantile for infinite degrees of freedom over √2. Null for fewer than 2 groups or
 * no blocks. Demšar 2006.
 */
export function nemenyiCriticalDifference(
  groups: number,
  blocks: number,
  alpha = 0.05,
): number | null {
  if (groups < 2 || blocks < 1) return null;
  const critical = studentizedRangeQuantile(alpha, groups) / Math.SQRT2;
  return critical * Math.sqrt((groups * (groups + 1)) / (6 * blocks));
}
