import { findObjective } from '#server/analysis/objective.ts';
import type { Database } from '#server/db/database.ts';
import { runNotFound } from '#server/errors.ts';
import { findFamilyText } from '#server/repositories/iterations.ts';
import { findRun } from '#server/repositories/runs.ts';
import * as telemetry from '#server/repositories/telemetry.ts';
import { maskText } from '#server/rules/secrets/mask-text.ts';
import { diagnose } from '#server/telemetry/diagnosis/diagnose.ts';
import { parseDiagnostics } from '#server/telemetry/diagnostics.ts';
import { eigenvaluesOf, heatMaps, maximumColumns } from '#server/telemetry/heat-maps.ts';
import { objectOf, parseObject, valueAfterKey } from '#server/telemetry/json.ts';
import * as relations from '#server/telemetry/relations.ts';
import { collectSeries } from '#server/telemetry/series.ts';
import { thinned } from '#server/telemetry/thinning.ts';
import type { Diagnosis, Insights, TelemetryFamily } from '#shared/schemas/insights.ts';
import { familyOf } from './family.ts';
import { findProgress } from './run-progress.ts';

/** Most iterations of which the series say something, and the least however long their JSON is. */
const maximumIterations = 2_000;
const fewestIterations = 200;

/** JSON that is looked through for the short parts of telemetry, and that is parsed for its vectors. */
const searchedBytes = 268_435_456;
const parsedBytes = 67_108_864;
const fewestColumns = 32;

/** A runner looks at the model before it samples the population of the row. */
const telemetryLag = 1;

/**
 * The telemetry of a run in compact arrays, of the iterations above `after`, and the diagnosis of the whole run. Of a long
 * run, or one with long telemetry, evenly chosen iterations. Throws RUN_NOT_FOUND.
 */
export async function getInsights(
  database: Database,
  runId: string,
  { after = -Infinity }: { after?: number | undefined },
): Promise<Insights> {
  const run = await findRun(database, runId);
  if (!run) throw runNotFound(runId);
  const points = await telemetry.listPoints(database, runId);
  const bytes = await telemetry.findNewestBytes(database, runId);
  const affordable = (budget: number) => Math.floor(budget / Math.max(1, bytes));
  const most = clamp(affordable(searchedBytes), fewestIterations, maximumIterations);
  const chosen = await listReadings(database, runId, thinned(points, most));
  const family = await telemetryFamilyOf(database, run);
  const shown = chosen.filter(({ point }) => point.iteration > after);
  const mostColumns = clamp(affordable(parsedBytes), fewestColumns, maximumColumns);
  return {
    family,
    telemetryLag,
    thinnedIterations: chosen.length < points.length ? points.length : null,
    iterations: shown.map(({ point }) => point.iteration),
    evaluations: shown.map(({ point }) => point.evaluations),
    series: collectSeries(shown.map(({ metrics }) => metrics)),
    model: collectSeries(shown.map(({ model }) => model)),
    ...(await drawnOver(database, run, family, shown, mostColumns)),
    adaptiveActions: shown.flatMap(({ actions }) => actions),
    diagnosis: await diagnosisOf(database, run, family, points, chosen),
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

type StoredRun = NonNullable<Awaited<ReturnType<typeof findRun>>>;

/** An iteration with the short parts of its telemetry. */
interface Reading {
  point: telemetry.IterationPoint;
  metrics: Record<string, unknown>;
  model: Record<string, unknown>;
  actions: Insights['adaptiveActions'];
}

/** Rows that are written anew or removed meanwhile count as without telemetry. */
async function listReadings(
  database: Database,
  runId: string,
  points: readonly telemetry.IterationPoint[],
): Promise<Reading[]> {
  const iterations = points.map(({ iteration }) => iteration);
  const heads = await telemetry.listTelemetryHeads(database, runId, iterations);
  const headOf = new Map(heads.map((head) => [head.iteration, head]));
  return points.map((point) => {
    const head = headOf.get(point.iteration);
    return {
      point,
      metrics: parseObject(head?.metricsJson ?? null),
      model: objectOf(valueAfterKey(head?.model ?? null)),
      actions: relations
        .adaptiveActions(point.iteration, valueAfterKey(head?.actions ?? null))
        .map((action) => ({ ...action, reason: maskText(action.reason) })),
    };
  });
}

/** The telemetry of a grammar run is that of its genome. */
async function telemetryFamilyOf(database: Database, run: StoredRun): Promise<TelemetryFamily> {
  const family = await familyOf(run.representationType, () => findFamilyText(database, run.runId));
  return family === 'grammar' ? 'binary' : family;
}

/** What is drawn over the iterations, for which their whole diagnostics are parsed. */
async function drawnOver(
  database: Database,
  { runId }: StoredRun,
  family: TelemetryFamily,
  shown: readonly Reading[],
  mostColumns: number,
): Promise<Pick<Insights, 'heatmaps' | 'edges' | 'clusters' | 'adjacency' | 'eigenvalues'>> {
  const iterations = thinned(
    shown.map(({ point }) => point.iteration),
    mostColumns,
  );
  const columns = await telemetry.readDiagnostics(database, runId, iterations, parseDiagnostics);
  return {
    heatmaps: heatMaps(family, columns, shown.length),
    edges: relations.newestEdges(columns),
    clusters: relations.newestClusters(columns),
    adjacency: relations.newestAdjacency(columns),
    eigenvalues: eigenvaluesOf(columns),
  };
}

async function diagnosisOf(
  database: Database,
  run: StoredRun,
  family: TelemetryFamily,
  points: readonly telemetry.IterationPoint[],
  chosen: readonly Reading[],
): Promise<Diagnosis[]> {
  const { direction, targetFitness } = await findObjective(database, run);
  const progress = (await findProgress(database, [run])).get(run.runId);
  return diagnose({
    ...run,
    direction,
    target: targetFitness,
    silentSince: progress?.silent ? progress.lastActivityAt : null,
    points,
    telemetry: {
      family,
      iterations: chosen.map(({ point }) => point.iteration),
      series: collectSeries(chosen.map(({ metrics }) => metrics)),
      model: collectSeries(chosen.map(({ model }) => model)),
    },
  });
}
