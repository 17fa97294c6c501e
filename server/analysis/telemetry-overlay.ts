import type { AnalysisContext } from './load.ts';
import { listSeconds } from './run-traces.ts';
import { findRun } from '#server/repositories/runs.ts';
import type { Series } from '#server/telemetry/series.ts';
import type {
  ProgressAxis,
  TelemetryOverlay,
  TelemetryOverlayQuery,
} from '#shared/schemas/analysis-runs.ts';
import { maximumComparedRuns } from '#shared/words.ts';
import { listRunsWithSummaries, type RunWithSummary } from './compared-runs.ts';
import { getColumns, readTelemetry, type RunReadings } from './telemetry-readings.ts';

/** Cached telemetry of a run, valid until the run changes or becomes silent. */
interface RunTelemetry extends Pick<RunReadings, 'family' | 'diagnosis' | 'thinnedIterations'> {
  iterations: number[];
  evaluations: (number | null)[];
  series: Series;
}

/** Maximum number of runs with up to 2,000 iterations each. More runs have up to 1,000 iterations each. */
const maximumRunsAtFullLength = 10;

/** Series that are axes of a chart. */
const axes = new Set(['iteration', 'evaluations']);

/**
 * Returns the requested series of runs over one axis, the keys of all series except the axes, and the diagnosis of each
 * run. For a long run or long telemetry, the response contains only evenly spaced iterations, with lower limits for
 * more than 10 runs. If both metrics and model have a key, the series is that of the metrics. The values of a run
 * without the series are empty. Throws RUN_NOT_FOUND.
 */
export async function overlayTelemetry(
  context: AnalysisContext,
  { run: runIds, by, series }: TelemetryOverlayQuery,
): Promise<TelemetryOverlay> {
  const chosenRuns = await listRunsWithSummaries(context, runIds);
  // This divisor of the limits has only two values, so adding a run rarely requires reading the other runs again.
  const runCount =
    chosenRuns.length > maximumRunsAtFullLength ? maximumComparedRuns : maximumRunsAtFullLength;
  const telemetry: RunTelemetry[] = [];
  for (const run of chosenRuns) telemetry.push(await getTelemetry(context, run, runCount));
  const runs = chosenRuns.map(async ({ run }, index) => {
    const { family, diagnosis, thinnedIterations } = telemetry[index] ?? noTelemetry;
    const x = await getPositions(context, run, telemetry[index] ?? noTelemetry, by);
    return { runId: run.runId, family, diagnosis, thinnedIterations, x };
  });
  return {
    by,
    runs: await Promise.all(runs),
    keys: listSeriesKeys(telemetry),
    series: series.map((key) => ({
      key,
      values: telemetry.map((run) =>
        Object.hasOwn(run.series, key) ? (run.series[key] ?? []) : [],
      ),
    })),
  };
}

const noTelemetry: RunTelemetry = {
  family: 'unknown',
  diagnosis: [],
  thinnedIterations: null,
  iterations: [],
  evaluations: [],
  series: {},
};

function getTelemetry(
  { database, memo }: AnalysisContext,
  { run, summary }: RunWithSummary,
  runCount: number,
): Promise<RunTelemetry> {
  const { runId, version } = run;
  // A run becomes silent without a change of its rows.
  const facts = ['telemetry', runId, version, summary.progress?.silent ?? null, runCount];
  return memo.ensure(facts, async () => {
    const storedRun = await findRun(database, runId);
    if (!storedRun) return noTelemetry;
    const {
      family,
      readings: chosenReadings,
      thinnedIterations,
      diagnosis,
    } = await readTelemetry(database, storedRun, runCount);
    const { iterations, evaluations, series, model } = getColumns(chosenReadings);
    const allSeries = { ...model, ...series };
    return { family, diagnosis, thinnedIterations, iterations, evaluations, series: allSeries };
  });
}

/** Returns the position of each iteration on the axis; null if unknown. */
async function getPositions(
  { database, memo }: AnalysisContext,
  run: RunWithSummary['run'],
  { iterations, evaluations }: RunTelemetry,
  axis: ProgressAxis,
): Promise<(number | null)[]> {
  if (axis === 'iteration') return iterations;
  if (axis === 'evaluations') return evaluations;
  const { runId, version, startTime } = run;
  const facts = ['seconds', runId, version, startTime, iterations.length];
  return memo.ensure(facts, async () => {
    const seconds = await listSeconds(database, run, iterations);
    return iterations.map((iteration) => seconds.get(iteration) ?? null);
  });
}

/**
 * Returns the keys of the series except the axes, with the number of runs that have them, the most common first.
 * Equally common keys are in the order of their first occurrence.
 */
function listSeriesKeys(telemetry: readonly RunTelemetry[]): TelemetryOverlay['keys'] {
  const counts = new Map<string, number>();
  for (const key of telemetry.flatMap(({ series }) => Object.keys(series))) {
    if (!axes.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Array.from(counts, ([key, runs]) => ({ key, runs })).toSorted((a, b) => b.runs - a.runs);
}
