import type { Database } from '#server/db/database.ts';
import { makeNotFoundError } from '#server/errors.ts';
import { findRun } from '#server/repositories/runs.ts';
import * as telemetry from '#server/repositories/telemetry.ts';
import { parseDiagnostics } from '#server/telemetry/diagnostics.ts';
import { getEigenvalues, makeHeatMaps, maximumColumns } from '#server/telemetry/heat-maps.ts';
import * as relations from '#server/telemetry/relations.ts';
import { thin } from '#server/telemetry/thinning.ts';
import type { Insights, TelemetryFamily } from '#shared/schemas/insights.ts';
import {
  clamp,
  getColumns,
  readTelemetry,
  type Reading,
  type StoredRun,
} from './telemetry-readings.ts';

/**
 * Approximate maximum size in bytes of the JSON that a request parses for the vectors of telemetry. The newest
 * iteration is the basis of the estimate. With {@link minimumColumns}, the JSON may be larger.
 */
const maximumParsedBytes = 67_108_864;

/** Minimum number of columns of a response that has at least as many iterations. */
const minimumColumns = 32;

/**
 * Number of generations by which telemetry lags behind its row, because a runner observes the model before it samples
 * the population of the row. Row 0 has no lag.
 */
const telemetryLag = 1;

/**
 * Returns the telemetry of a run in compact arrays for the iterations above `after`, by default for all iterations, and
 * the diagnosis of the whole run. If the run or its telemetry is long, the arrays contain only evenly spaced
 * iterations. Throws RUN_NOT_FOUND.
 */
export async function getInsights(
  database: Database,
  runId: string,
  { after = -Infinity }: { after?: number | undefined },
): Promise<Insights> {
  const run = await findRun(database, runId);
  if (!run) throw makeNotFoundError('run', runId);
  const {
    readings: chosenReadings,
    family,
    bytes,
    thinnedIterations,
    diagnosis,
  } = await readTelemetry(database, run);
  const newReadings = chosenReadings.filter(({ point }) => point.iteration > after);
  const columnLimit = clamp(Math.floor(maximumParsedBytes / bytes), minimumColumns, maximumColumns);
  return {
    family,
    telemetryLag,
    thinnedIterations,
    ...getColumns(newReadings),
    ...(await getHeatMapsAndRelations(database, run, family, newReadings, columnLimit)),
    adaptiveActions: newReadings.flatMap(({ actions }) => actions),
    diagnosis,
  };
}

/**
 * Parses the complete diagnostics of at most `columnLimit` evenly spaced ones of these iterations. Returns the heat
 * maps and eigenvalues over the parsed iterations, and edges, clusters and adjacency, each from the newest parsed
 * iteration with such data.
 */
async function getHeatMapsAndRelations(
  database: Database,
  { runId }: StoredRun,
  family: TelemetryFamily,
  readings: readonly Reading[],
  columnLimit: number,
): Promise<Pick<Insights, 'heatmaps' | 'edges' | 'clusters' | 'adjacency' | 'eigenvalues'>> {
  const iterations = thin(
    readings.map(({ point }) => point.iteration),
    columnLimit,
  );
  const columns = await telemetry.readDiagnostics(database, runId, iterations, parseDiagnostics);
  return {
    heatmaps: makeHeatMaps(family, columns, readings.length),
    edges: relations.findNewestEdges(columns),
    clusters: relations.findNewestClusters(columns),
    adjacency: relations.findNewestAdjacency(columns),
    eigenvalues: getEigenvalues(columns),
  };
}
