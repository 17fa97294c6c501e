import type { Database } from '#server/db/database.ts';
import * as telemetry from '#server/repositories/telemetry.ts';
import { getTrace, type RunTrace } from '#server/domain/trace.ts';
import { thin } from '#server/telemetry/thinning.ts';
import type { ProgressAxis } from '#shared/schemas/analysis-runs.ts';
import { toMillis } from '#shared/syntax.ts';
import { isRunning } from '#shared/words.ts';
import type { AnalysisContext } from './load.ts';
import type { AnalysedRun } from './model.ts';
import type { GridTrace } from './run-grid.ts';

/** Maximum number of improvements with a time. Each of them requires reading a long row. */
const maximumTimedPoints = 500;

/** A run with its stored start time. */
export type AnalysedRunWithStart = AnalysedRun & { startTime: string };

/**
 * Returns the trace of a run over an axis: evaluations, the number of the iteration, or seconds from the start of the
 * run to the stored time of the iteration. The trace over seconds contains the points of {@link getTimedPairs}. It is
 * null if a run with improvements has no usable times: all imported iterations may have the same time, and times may be
 * invalid.
 */
export async function getGridTrace(
  context: AnalysisContext,
  run: AnalysedRunWithStart,
  axis: ProgressAxis,
): Promise<GridTrace | null> {
  if (axis === 'evaluations') return makeGridTrace(run.trace, run);
  const points = await telemetry.listPoints(context.database, run.runId);
  const { direction } = run.trace;
  const pairs = points.flatMap(({ iteration, best }) => [iteration, best ?? NaN]);
  const iterationTrace = getTrace(Float64Array.from(pairs), direction);
  if (axis === 'iteration') return makeGridTrace(iterationTrace, run);
  if (iterationTrace.best.length === 0) return makeGridTrace(iterationTrace, run);
  const lastPosition = isRunning(run) ? iterationTrace.end : (points.at(-1)?.iteration ?? 0);
  const timedPairs = await getTimedPairs(context, run, iterationTrace, lastPosition);
  return timedPairs && makeGridTrace(getTrace(Float64Array.from(timedPairs), direction), run);
}

function makeGridTrace(
  { evaluations, best, end, usedEvaluations }: RunTrace,
  run: AnalysedRun,
): GridTrace {
  const isCarried = !isRunning(run);
  const lastPosition = isCarried ? usedEvaluations : end;
  return { evaluations, best, end: best.length === 0 ? null : lastPosition, isCarried };
}

/**
 * Returns seconds and best so far of at most 500 evenly spaced improvements and of the iteration at `lastPosition`, as
 * [seconds, best, …]. Omits iterations without a time. Returns null if {@link listSeconds} returns an empty map.
 */
async function getTimedPairs(
  { database, memo }: AnalysisContext,
  run: AnalysedRunWithStart,
  { evaluations: improvements, best, direction }: RunTrace,
  lastPosition: number,
): Promise<number[] | null> {
  const { runId, version, startTime } = run;
  return memo.ensure(['times', runId, version, startTime, direction], async () => {
    const indices = thin([...improvements.keys()], maximumTimedPoints);
    const points = indices.map((index) => [improvements[index] ?? 0, best[index] ?? NaN] as const);
    const timedPoints = [...points, [lastPosition, best.at(-1) ?? NaN] as const];
    const seconds = await listSeconds(
      database,
      run,
      timedPoints.map(([iteration]) => iteration),
    );
    const pairs = timedPoints.flatMap(([iteration, value]) => {
      const second = seconds.get(iteration);
      return second === undefined ? [] : [second, value];
    });
    return pairs.length === 0 ? null : pairs;
  });
}

/**
 * Returns the seconds from the start of the run to each iteration, at least 0, by the number of the iteration. Omits
 * iterations without a valid time. Returns an empty map if the start is invalid, or if several iterations all have the
 * same time, because this time does not describe the run.
 */
export async function listSeconds(
  database: Database,
  { runId, startTime }: Pick<AnalysedRunWithStart, 'runId' | 'startTime'>,
  iterations: readonly number[],
): Promise<Map<number, number>> {
  const rows = await telemetry.listTimes(database, runId, [...new Set(iterations)]);
  const start = toMillis(startTime);
  const seconds = new Map<number, number>();
  for (const { iteration, createdAt } of rows) {
    const second = (toMillis(String(createdAt)) - start) / 1_000;
    // The stored time of the first iteration may be just before the stored start time.
    if (Number.isFinite(second)) seconds.set(iteration, Math.max(0, second));
  }
  const isOneMoment = rows.length > 1 && new Set(rows.map(({ createdAt }) => createdAt)).size === 1;
  return isOneMoment ? new Map() : seconds;
}
