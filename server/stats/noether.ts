import { binomial } from './binomial.ts';
import { normalQuantile } from './distributions.ts';

/** So many runs can give a p-value below any level. */
const mostTooFew = 1000;

/** What a rank-sum test should find, and how surely. */
export interface RankSumDesign {
  /** Smallest A12 to be found, other than 1/2; declared, never the observed one (Hoenig & Heisey 2001). */
  effect: number;
  /** Probability of finding it, above the level. */
  power: number;
  /** Level over all pairs. */
  alpha: number;
  /** Number of pairs, each tested at alpha / pairs: the hardest of Holm's procedure. */
  pairs: number;
  /** Share of all runs that are in group a; half by default. */
  shareA?: number;
  /** Sizes of the ties among the runs to be expected, as 1 − Σ(t³ − t) / (N³ − N); 1 = no ties, the default. */
  untied?: number;
}

/**
 * Runs that groups a and b need for a two-sided rank-sum test, by Noether's formula (1987):
 * N = (z(1 − alpha / 2 pairs) + z(power))² / (12 c (1 − c) (A12 − 1/2)²), with c the share of a, rounded up in each group; and
 * never fewer than can have a p-value of alpha / pairs, which the formula knows nothing of. An A12 of 1/2 needs infinitely many,
 * and so do values that are all tied.
 */
export function rankSumRuns(design: RankSumDesign): { a: number; b: number } {
  const { effect, power, alpha, pairs, shareA = 0.5, untied = 1 } = design;
  const z = -normalQuantile(alpha / pairs / 2) + normalQuantile(power);
  const total = z ** 2 / (12 * shareA * (1 - shareA) * (effect - 0.5) ** 2 * untied);
  const sizesOf = (runs: number) => ({
    a: Math.ceil(shareA * runs),
    b: Math.ceil((1 - shareA) * runs),
  });
  const canFind = ({ a, b }: { a: number; b: number }) =>
    2 / binomial(a + b, Math.min(a, b)) <= alpha / pairs;
  let runs = total;
  while (runs < mostTooFew && !canFind(sizesOf(runs))) runs += 1;
  return sizesOf(runs);
}
