import type { CurvePoint } from '#shared/schemas/analysis.ts';
import { cumulativeSteps } from './step-curve.ts';

/**
 * Share of all runs, unsuccessful ones included, that reached the target within each number of
 * evaluations. Takes evaluations to target per run, null = never reached. Right-continuous; ties make one
 * step; the last value is the success rate. Empty without successes. Hansen et al. 2016.
 */
export function ecdfOfAllRuns(evaluationsToTarget: readonly (number | null)[]): CurvePoint[] {
  return cumulativeSteps(evaluationsToTarget, evaluationsToTarget.length);
}

/** The same share among the runs that reached the target only: it ends at 1. Empty without successes. */
export function ecdfOfSuccessfulRuns(
  evaluationsToTarget: readonly (number | null)[],
): CurvePoint[] {
  const reached = evaluationsToTarget.filter((evaluations) => evaluations !== null);
  return cumulativeSteps(reached, reached.length);
}
