import { formatFitness } from '#shared/number-format.ts';
import type { Diagnosis, TelemetryFamily } from '#shared/schemas/insights.ts';
import type { Series } from '#server/telemetry/series.ts';
import type { DiagnosisTrace } from './run-trace.ts';
import type { RunGoal, RunResult } from '#server/domain/objective.ts';

/**
 * Iteration without its telemetry. `evaluations` is null if it is missing or not an integer; `best` and `mean` are null
 * if they are missing or not finite.
 */
export interface RunPoint {
  iteration: number;
  evaluations: number | null;
  best: number | null;
  mean: number | null;
}

/** Run with all data for its diagnosis. */
export interface DiagnosedRun extends RunGoal, RunResult {
  /** Last activity of a silent RUNNING run, as stored: its newest row, or its start; null for any other run. */
  silentSince: string | null;
  /** Iterations, ascending, without those whose number is not a safe integer. */
  points: readonly RunPoint[];
  telemetry: DiagnosedTelemetry;
}

/** Telemetry of all iterations of a run, or of evenly spaced ones if they are too many or too large. */
export interface DiagnosedTelemetry {
  family: TelemetryFamily;
  iterations: readonly number[];
  /** Numbers in `metrics_json`. */
  series: Series;
  /** Numbers in `modelDiagnostics`, also infinite ones. */
  model: Series;
}

/** Rule of the diagnosis: returns its finding about a run, or null. */
export type Rule = (run: DiagnosedRun, trace: DiagnosisTrace) => Diagnosis | null;

/** Returns the last sentence of a finding about a run that missed its target or has none. */
export function describeMiss({ target, status }: Pick<DiagnosedRun, 'target' | 'status'>): string {
  if (target === null) return 'The run has no target.';
  return /^running$/i.test(status)
    ? `The run has not reached the target ${formatFitness(target)} yet.`
    : `The run did not reach the target ${formatFitness(target)}.`;
}

/** Returns the text of a share in per cent: "5 %", with a thin space. */
export function formatPercent(share: number): string {
  return `${formatFitness(100 * share)}\u2009%`;
}
