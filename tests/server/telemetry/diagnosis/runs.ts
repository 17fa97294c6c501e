import { diagnose } from '#server/telemetry/diagnosis/diagnose.ts';
import type { DiagnosedRun, RunPoint } from '#server/telemetry/diagnosis/diagnosed-run.ts';
import type { Diagnosis, TelemetryFamily } from '#shared/schemas/insights.ts';

export const getPoints = (bests: readonly (number | null)[]): RunPoint[] =>
  bests.map((best, iteration) => ({
    iteration,
    evaluations: 10 * (iteration + 1),
    best,
    mean: best,
  }));

export const usualRun: DiagnosedRun = {
  status: 'COMPLETED',
  isImported: false,
  isResumed: false,
  direction: 'max',
  target: null,
  optimum: null,
  budget: { evaluations: null, iterations: null },
  iterations: null,
  evaluations: null,
  bestFitness: null,
  silentSince: null,
  points: [],
  telemetry: { family: 'unknown', iterations: [], series: {}, model: {} },
};

type Values = (number | null)[];

/** Returns a run with telemetry whose best fitness never changes. */
export function makeTelemetryRun(
  family: TelemetryFamily,
  series: Record<string, Values>,
  model: Record<string, Values> = {},
): DiagnosedRun {
  const count = Object.values({ ...series, ...model })[0]?.length ?? 0;
  const iterations = Array.from({ length: count }, (_, iteration) => iteration);
  const points = getPoints(iterations.map(() => 1));
  return { ...usualRun, points, telemetry: { family, iterations, series, model } };
}

/** Returns a run of 50 iterations that misses its target and improves until an iteration, by default the 20th. */
export function makeStoppingRun(
  family: TelemetryFamily,
  series: Record<string, Values>,
  { stop = 20, ...run }: Partial<DiagnosedRun> & { stop?: number } = {},
): DiagnosedRun {
  const iterations = makeRisingValues(50);
  const points = getPoints(iterations.map((iteration) => Math.min(iteration, stop)));
  const telemetry = { family, iterations, series, model: {} };
  return { ...usualRun, points, target: 100, telemetry, ...run };
}

/** Returns values of 50 iterations: one value before an iteration, another value from it on. */
export const step = (at: number, before: number, after: number): number[] => [
  ...repeat(at, before),
  ...repeat(50 - at, after),
];

export const findDiagnosis = (run: DiagnosedRun, code: Diagnosis['code']) =>
  diagnose(run).find((finding) => finding.code === code) ?? null;

export const makeRisingValues = (count: number) =>
  Array.from({ length: count }, (_, index) => index);
export const repeat = <Value>(count: number, value: Value) =>
  Array.from({ length: count }, () => value);

export const getCodes = (run: DiagnosedRun) => diagnose(run).map(({ code }) => code);
