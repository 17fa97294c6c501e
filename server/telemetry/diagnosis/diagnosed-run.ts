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
  /**
   * Stored time of the last activity of a silent RUNNING run: of its newest row, or of its start if it has no rows.
   * Null for any other run.
   */
  silentSince: string | null;
  /** Iterations in ascending order. Omits iterations whose number is not a safe integer. */
  points: readonly RunPoint[];
  telemetry: DiagnosedTelemetry;
}

/**
 * Telemetry of all iterations of a run, or only of evenly spaced iterations if the run or its telemetry is too long.
 */
export interface DiagnosedTelemetry {
  family: TelemetryFamily;
  iterations: readonly number[];
  /** Numbers in `metrics_json`. */
  series: Series;
  /** Numbers in `modelDiagnostics`, also infinite ones. */
  model: Series;
}

/** Rule of the diagnosis. Returns its finding about a run; null if there is none. */
export type Rule = (run: DiagnosedRun, trace: DiagnosisTrace) => Diagnosis | null;

/** Returns the last sentence of a finding about a run that has no target, or has not reached its target. */
export function describeMiss({ target, status }: Pick<DiagnosedRun, 'target' | 'status'>): string {
  if (target === null) return 'The run has no target.';
  return /^running$/i.test(status)
    ? `The run has not reached the target ${formatFitness(target)} yet.`
    : `The run did not reach the target ${formatFitness(target)}.`;
}

/** Returns a share (0 to 1) as a text in per cent: "5 %", with a thin space. */
export function formatPercent(share: number): string {
  return `${formatFitness(100 * share)}\u2009%`;
}
