import type { Database } from '#server/db/database.ts';
import { findFamilyText } from '#server/repositories/iterations.ts';
import type { findRun } from '#server/repositories/runs.ts';
import * as telemetry from '#server/repositories/telemetry.ts';
import { diagnose } from '#server/telemetry/diagnosis/diagnose.ts';
import {
  parseObject,
  readValueAfterKey,
  toFiniteOrInfinite,
  toObject,
} from '#server/telemetry/json.ts';
import * as relations from '#server/telemetry/relations.ts';
import { collectSeries } from '#server/telemetry/series.ts';
import { thin } from '#server/telemetry/thinning.ts';
import type { Diagnosis, Insights, TelemetryFamily } from '#shared/schemas/insights.ts';
import { getFamily } from '#server/domain/problem-instance.ts';
import { findGoal, getResult } from '#server/records/run-goals.ts';
import { findProgress } from '#server/records/runs.ts';

/**
 * Range of the maximum number of iterations of a run whose telemetry a request reads. The size of the JSON of the run
 * decides the maximum.
 */
const maximumIterations = 2_000;
const minimumIterations = 200;

/** Maximum number of iterations whose telemetry a request reads, of all its runs together. */
const maximumReadings = 20_000;

/**
 * Approximate maximum size of the JSON that a request searches for the short fields of telemetry, in bytes. The JSON
 * may be larger, because a request reads at least {@link minimumIterations} of each run.
 */
const maximumSearchedBytes = 268_435_456;

/** Telemetry of a run. */
export interface RunReadings {
  family: TelemetryFamily;
  /**
   * Iterations in order, without those whose number is not a safe integer. If the run or its telemetry is too long for
   * the limits of the request, these are only evenly spaced iterations, including the first and the last.
   */
  readings: Reading[];
  /** Number of all iterations whose number is a safe integer; null if `readings` contains all of them. */
  thinnedIterations: number | null;
  diagnosis: Diagnosis[];
  /** Bytes of the diagnostics of the newest iteration, at least 1. */
  bytes: number;
}

/**
 * Reads the short fields of a run's telemetry, and diagnoses the run. Divides the limits of a request by `runCount`.
 */
export async function readTelemetry(
  database: Database,
  run: StoredRun,
  runCount = 1,
): Promise<RunReadings> {
  const points = await telemetry.listPoints(database, run.runId);
  const bytes = Math.max(1, await telemetry.findNewestDiagnosticsBytes(database, run.runId));
  const affordableIterations = Math.floor(maximumSearchedBytes / runCount / bytes);
  const maximum = clamp(
    affordableIterations,
    minimumIterations,
    Math.min(maximumIterations, Math.floor(maximumReadings / runCount)),
  );
  const readings = await listReadings(database, run.runId, thin(points, maximum));
  const family = await getTelemetryFamily(database, run);
  return {
    family,
    readings,
    thinnedIterations: readings.length < points.length ? points.length : null,
    diagnosis: await getDiagnosis(database, run, family, points, readings),
    bytes,
  };
}

/** Returns the value, limited to the range. `minimum` must be at most `maximum`. */
export function clamp(value: number, minimum: number, maximum: number): number {
  return Math.min(maximum, Math.max(minimum, value));
}

/** A stored run with the fields of its experiment. */
export type StoredRun = NonNullable<Awaited<ReturnType<typeof findRun>>>;

/** An iteration with the short fields of its telemetry. */
export interface Reading {
  point: telemetry.IterationPoint;
  metrics: Record<string, unknown>;
  model: Record<string, unknown>;
  actions: Insights['adaptiveActions'];
}

/**
 * Returns the iterations as arrays of the same length: their numbers, their evaluations, and one array per key of
 * metrics and model that {@link collectSeries} returns.
 */
export function getColumns(readings: readonly Reading[]) {
  return {
    iterations: readings.map(({ point }) => point.iteration),
    evaluations: readings.map(({ point }) => point.evaluations),
    series: collectSeries(readings.map(({ metrics }) => metrics)),
    model: collectSeries(readings.map(({ model }) => model)),
  };
}

/**
 * Reads the short fields of these iterations. Rows that another program has deleted in the meantime count as rows
 * without telemetry.
 */
async function listReadings(
  database: Database,
  runId: string,
  points: readonly telemetry.IterationPoint[],
): Promise<Reading[]> {
  const iterations = points.map(({ iteration }) => iteration);
  const heads = await telemetry.listTelemetryHeads(database, runId, iterations);
  const headByIteration = new Map(heads.map((head) => [head.iteration, head]));
  return points.map((point) => {
    const head = headByIteration.get(point.iteration);
    return {
      point,
      metrics: parseObject(head?.metricsJson ?? null),
      model: toObject(readValueAfterKey(head?.model ?? null)),
      actions: relations.readAdaptiveActions(
        point.iteration,
        readValueAfterKey(head?.actions ?? null),
      ),
    };
  });
}

/** Returns the telemetry family of a run. For a grammar run, returns binary, the family of its genome. */
async function getTelemetryFamily(database: Database, run: StoredRun): Promise<TelemetryFamily> {
  const family = await getFamily(run.representationType, () => findFamilyText(database, run.runId));
  return family === 'grammar' ? 'binary' : family;
}

async function getDiagnosis(
  database: Database,
  run: StoredRun,
  family: TelemetryFamily,
  points: readonly telemetry.IterationPoint[],
  readings: readonly Reading[],
): Promise<Diagnosis[]> {
  const progress = (await findProgress(database, [run])).get(run.runId);
  return diagnose({
    ...getResult(run),
    ...(await findGoal(database, run)),
    silentSince: progress?.silent ? progress.lastActivityAt : null,
    points,
    telemetry: {
      family,
      ...getColumns(readings),
      // A singular covariance has an infinite condition number.
      model: collectSeries(
        readings.map(({ model }) => model),
        toFiniteOrInfinite,
      ),
    },
  });
}
