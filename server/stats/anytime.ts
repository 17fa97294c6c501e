import { mean } from './descriptive.ts';

/** Values that are equal by definition differ after this many decimals at most; others do so before. */
const decimals = 1e12;

/**
 * Anytime performance of a run: the share of the levels that it reached, averaged over log10 of the budget
 * from 1 to `budget`, so in [0, 1], larger is better. Takes the evaluations at which it reached each level,
 * null = never: the mean over the levels of max(0, 1 − log10 T / log10 budget), where T ≤ 1 counts 1 and a
 * level reached at the budget or later 0. A budget of 1: the share reached by then. Rounded to 12 decimals, so
 * that runs that are equal tie. Null without levels and for a budget below 1.
 */
export function anytimePerformance(
  evaluationsToLevels: readonly (number | null)[],
  budget: number,
): number | null {
  if (budget < 1) return null;
  const shares = mean(evaluationsToLevels.map((evaluations) => shareOfBudget(evaluations, budget)));
  return shares === null ? null : Math.round(shares * decimals) / decimals;
}

/** How much of the logarithm of the budget is left once the level is reached. */
function shareOfBudget(evaluations: number | null, budget: number): number {
  if (evaluations === null || evaluations > budget) return 0;
  return evaluations <= 1 ? 1 : 1 - Math.log10(evaluations) / Math.log10(budget);
}
