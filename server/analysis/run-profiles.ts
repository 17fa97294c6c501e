import type { CurvePoint, DataProfileUnit } from '#shared/schemas/analysis.ts';
import type { AnalysedRun, MeasurementPlan, Measurements } from './analysis-input.ts';
import { outcomesPerLevel } from './measurement.ts';
import { dataProfile } from '#server/stats/profiles.ts';
import { expectedRuntime } from '#server/stats/runtime.ts';

/** Runs with what was measured in their traces for a plan made from these same runs. */
export interface MeasuredRuns {
  runs: readonly AnalysedRun[];
  plan: MeasurementPlan;
  measurements: Measurements;
}

/** Data profile over all pairs of a run and a level of the plan. */
export function runsDataProfile(measured: MeasuredRuns, dimension: number | null): CurvePoint[] {
  const perLevel = outcomesPerLevel(measured.runs, measured.plan, measured.measurements);
  const costs = perLevel.flat().map((outcome) => outcome.evaluationsToTarget);
  return dataProfile(costs.map((evaluations) => ({ evaluations, dimension })));
}

/** What the x of a data profile counts in: plain evaluations when the dimension is unknown. */
export function dataProfileUnitFor(dimension: number | null): DataProfileUnit {
  return dimension === null ? 'evaluations' : 'evaluationsPerDimensionPlusOne';
}

/** ERT of the runs at each level of the plan; null where none reached it. */
export function expectedRuntimes(measured: MeasuredRuns): (number | null)[] {
  const perLevel = outcomesPerLevel(measured.runs, measured.plan, measured.measurements);
  return perLevel.map(expectedRuntime);
}
