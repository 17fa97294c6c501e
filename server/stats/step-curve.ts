import type { CurvePoint } from '#shared/schemas/analysis.ts';
import { sortAscending } from './descriptive.ts';

/**
 * Right-continuous cumulative steps: one point for each distinct finite cost, y = share of `total` with a
 * cost up to and including x. Costs that are null or infinite (not reached) make no step. No finite cost,
 * or a total of 0: no points.
 */
export function cumulativeSteps(costs: Iterable<number | null>, total: number): CurvePoint[] {
  const reached = [...costs].filter((cost) => cost !== null && Number.isFinite(cost));
  const sorted = sortAscending(reached as number[]);
  return sorted.flatMap((cost, index) =>
    sorted[index + 1] === cost ? [] : [{ x: cost, y: (index + 1) / total }],
  );
}

/** Value of a right-continuous step curve at x: that of the last point not beyond x; 0 before the first. */
export function stepValueAt(points: readonly CurvePoint[], x: number): number {
  return points.findLast((point) => point.x <= x)?.y ?? 0;
}
