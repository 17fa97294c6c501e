import type { CurvePoint } from '#shared/schemas/analysis.ts';
import { median } from './quantile.ts';
import { cumulativeSteps } from './step-curve.ts';

/** First hits of one trial or run, for each target of a set. */
export interface TargetHits {
  dimension: number;
  /** Evaluations of the first hit per target, null = not reached. */
  hits: readonly (number | null)[];
  /** Evaluations it used in all. */
  budget: number;
}

/** Share of (trial, target) pairs solved within x = evaluations / dimension. */
export interface TargetEcdf {
  points: CurvePoint[];
  /** Median budget of the trials that missed a target, over the dimension; null when none did. */
  budgetCross: number | null;
}

/** Targets from `first` down to `last`, evenly spaced by their logarithm, both ends among them. */
export function logarithmicTargets(first = 1e2, last = 1e-8, count = 51): number[] {
  const [start, end] = [Math.log10(first), Math.log10(last)];
  return Array.from({ length: count }, (_, index) =>
    count === 1 ? first : 10 ** (start + ((end - start) * index) / (count - 1)),
  );
}

/**
 * Runtime ECDF over a set of targets: right-continuous steps at evaluations / dimension over all pairs of a
 * trial and a target; pairs that are not solved stay in the denominator. Beyond the cross the curve rests on
 * trials that were still running. No trials: no points. Hansen et al. 2016.
 */
export function targetEcdf(trials: readonly TargetHits[]): TargetEcdf {
  const costs = trials.flatMap(({ dimension, hits }) =>
    hits.map((hit) => (hit === null ? null : hit / dimension)),
  );
  const unsolved = trials.filter(({ hits }) => hits.includes(null));
  return {
    points: cumulativeSteps(costs, costs.length),
    budgetCross: median(unsolved.map(({ budget, dimension }) => budget / dimension)),
  };
}
