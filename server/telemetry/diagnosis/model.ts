import { formatFitness } from '#shared/number-format.ts';
import type { Diagnosis, TelemetryFamily } from '#shared/schemas/insights.ts';
import type { ObjectiveDirection } from '#shared/schemas/run.ts';
import type { Series } from '#server/telemetry/series.ts';

/** What an iteration tells without its telemetry; `best` and `mean` are null where they are not finite. */
export interface RunPoint {
  iteration: number;
  best: number | null;
  mean: number | null;
}

/** A run as its diagnosis looks at it. */
export interface DiagnosedRun {
  /** As stored. */
  status: string;
  direction: ObjectiveDirection;
  target: number | null;
  /** `runs.best_fitness`; null while the run has no result. */
  bestFitness: number | null;
  /** Since when a RUNNING run has been silent, as stored; null for every other. */
  silentSince: string | null;
  /** All iterations, ascending. */
  points: readonly RunPoint[];
  telemetry: DiagnosedTelemetry;
}

/** The telemetry of the iterations that were read: all, or evenly chosen ones of a long run. */
export interface DiagnosedTelemetry {
  family: TelemetryFamily;
  iterations: readonly number[];
  /** Of `metrics_json`. */
  series: Series;
  /** Of `modelDiagnostics`. */
  model: Series;
}

/** What decides whether a run was solved. */
export type Judged = Pick<DiagnosedRun, 'direction' | 'target' | 'bestFitness'>;

/** What all rules build upon. */
export interface RunCourse {
  /** How many iterations there are. */
  count: number;
  /** Index of the point at which the best so far took its last value; null without any finite best. */
  lastImprovement: number | null;
  /** Whether it got better than the first finite best. */
  hasImproved: boolean;
  /** Index of the first point that reaches the target; null when none does. */
  hit: number | null;
  /** Whether the target was reached, by a point or by the result of the run. */
  isSolved: boolean;
}

export const isBetter = (value: number, than: number, direction: ObjectiveDirection): boolean =>
  direction === 'min' ? value < than : value > than;

/** The course of the best so far, from the best fitness of each iteration, not finite where there is none. */
export function courseOf(
  bests: Float64Array,
  { direction, target, bestFitness }: Judged,
): RunCourse {
  let [first, lastImprovement, hit] = [-1, -1, -1];
  for (const [index, best] of bests.entries()) {
    if (!Number.isFinite(best)) continue;
    if (first < 0) first = index;
    if (lastImprovement >= 0 && !isBetter(best, bests[lastImprovement] ?? NaN, direction)) continue;
    lastImprovement = index;
    if (hit < 0 && reaches(best, target, direction)) hit = index;
  }
  return {
    count: bests.length,
    lastImprovement: lastImprovement < 0 ? null : lastImprovement,
    hasImproved: lastImprovement > first,
    hit: hit < 0 ? null : hit,
    isSolved: hit >= 0 || reaches(bestFitness, target, direction),
  };
}

function reaches(
  value: number | null,
  target: number | null,
  direction: ObjectiveDirection,
): boolean {
  return value !== null && target !== null && !isBetter(target, value, direction);
}

/** One rule: what it finds in a run; null when it finds nothing. */
export type Rule = (run: DiagnosedRun, course: RunCourse) => Diagnosis | null;

/** How a finding ends that counts only before the target: "before the target was reached", or that there is none. */
export function beforeTargetWords({ target }: Pick<DiagnosedRun, 'target'>): string {
  return target === null ? 'no target given' : 'before the target was reached';
}

/** The same of a finding at the end of a run. */
export function unsolvedWords({ target }: Pick<DiagnosedRun, 'target'>): string {
  return target === null ? 'no target given' : 'the target not reached';
}

/** A threshold as per cent: "5 %", with a thin space. */
export function percent(share: number): string {
  return `${formatFitness(100 * share)}\u2009%`;
}
