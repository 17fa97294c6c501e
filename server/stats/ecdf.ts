import type { CurvePoint } from '#shared/schemas/analysis.ts';
import { sortAscending } from './descriptive.ts';

/**
 * Right-continuous cumulative steps: one point for each distinct finite cost, y = share of `total` with a
 * cost up to and including x. Costs that are null or infinite (not reached) make no step. No finite cost,
 * or a total of 0: no points.
 */
export function cumulativeSteps(costs: Iterable<number | null>, total: number): CurvePoint[] {
  const reached = [...costs].filter((cost) => cost !== null && Number.isFinite(cost));
  return stepsOf(sortAscending(reached as number[]), total);
}

/** The steps of {@link cumulativeSteps} at finite costs that ascend. */
export function stepsOf(sorted: ArrayLike<number>, total: number): CurvePoint[] {
  const points: CurvePoint[] = [];
  for (let index = 0; index < sorted.length; index += 1) {
    const x = sorted[index] ?? NaN;
    if (sorted[index + 1] !== x) points.push({ x, y: (index + 1) / total });
  }
  return points;
}

/** Value of a right-continuous step curve at x: that of the last point not beyond x; 0 before the first. */
export function stepValueAt(points: readonly CurvePoint[], x: number): number {
  return points.findLast((point) => point.x <= x)?.y ?? 0;
}

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
