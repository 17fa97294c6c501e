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
 * Maximum size of the JSON that a request parses for the vectors of telemetry, in bytes, estimated from the newest
 * iteration. A request may parse more for the {@link minimumColumns}.
 */
const maximumParsedBytes = 67_108_864;

/** Minimum number of columns, if a response has as many iterations. */
const minimumColumns = 32;

/**
 * Number of generations that telemetry lags behind its row, except in row 0, because a runner observes the model before
 * it samples the population of the row.
 */
const telemetryLag = 1;

/**
 * Returns the telemetry of a run in compact arrays, for the iterations above `after` (by default all), and the
 * diagnosis of the whole run. Contains only evenly spaced iterations of a long run, and of a run with long telemetry.
 * Throws RUN_NOT_FOUND.
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
 * Returns the heat maps and eigenvalues over these iterations, and the newest relations among them. Parses the complete
 * diagnostics of at most `columnLimit` evenly spaced ones.
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
