import { isCompleted, getOutcomes } from '#server/domain/outcome.ts';
import { hasReached } from '#server/domain/trace.ts';
import { makeNotFoundError } from '#server/errors.ts';
import { findProgress } from '#server/records/runs.ts';
import * as analysis from '#server/repositories/analysis.ts';
import { findRun } from '#server/repositories/runs.ts';
import { forecastHit } from '#shared/hit-forecast.ts';
import type { RunForecast } from '#shared/schemas/run-forecast.ts';
import { isRunning } from '#shared/words.ts';
import { ensureConvergence } from './curves.ts';
import {
  loadExperimentsById,
  loadTraces,
  createTraceLoader,
  type AnalysisContext,
  getCommonObjective,
} from './load.ts';

/** Minimum number of other completed runs of the experiment for a band of quartiles. */
const minimumRunsForBand = 2;

/**
 * Returns the outcomes of the other ended runs of the same experiment. For a RUNNING run, also returns a forecast of
 * the evaluations to its target, and of the seconds until it reaches the target. Without a target, there are no
 * outcomes and no forecast. `band` is the convergence of the other completed runs; null if there are fewer than 2.
 * Throws RUN_NOT_FOUND.
 */
export async function forecastRun(context: AnalysisContext, runId: string): Promise<RunForecast> {
  const { database, memo } = context;
  const run = await findRun(database, runId);
  if (!run) throw makeNotFoundError('run', runId);
  const experiments = await loadExperimentsById(database, [run.experimentId]);
  const objective = await getCommonObjective(database, {}, experiments);
  const { direction, targetFitness } = objective;
  const runs = await analysis.listRuns(database, [run.experimentId]);
  const endedRuns = runs.filter((otherRun) => otherRun.runId !== runId && !isRunning(otherRun));
  const completedRuns = endedRuns.filter(isCompleted);
  const hasBand = completedRuns.length >= minimumRunsForBand;
  const siblings =
    targetFitness === null
      ? []
      : getOutcomes(await loadTraces(context, endedRuns, direction), objective).map(
          ({ evaluationsToTarget, usedEvaluations }) => ({
            evaluationsToTarget,
            evaluations: usedEvaluations,
          }),
        );
  const loadCompletedTraces = createTraceLoader(context, completedRuns, direction);
  return {
    runId,
    targetFitness,
    siblings,
    ...(await getForecast(context, run, siblings, objective)),
    band: hasBand
      ? {
          runs: completedRuns.length,
          points: await ensureConvergence(memo, direction, completedRuns, loadCompletedTraces),
        }
      : null,
  };
}

/**
 * Returns the forecast of a RUNNING run that is not silent, has a target and has not reached it. For any other run,
 * both fields are null. `hit` is also null if {@link forecastHit} has too few outcomes. `seconds` is also null if `hit`
 * is null, or if the rate of evaluations is unknown or 0. A quartile of `seconds` is null if this quartile of `hit` is
 * null.
 */
async function getForecast(
  { database }: AnalysisContext,
  run: NonNullable<Awaited<ReturnType<typeof findRun>>>,
  siblings: RunForecast['siblings'],
  { direction, targetFitness }: Awaited<ReturnType<typeof getCommonObjective>>,
): Promise<Pick<RunForecast, 'hit' | 'seconds'>> {
  const noForecast = { hit: null, seconds: null };
  const progress = (await findProgress(database, [run])).get(run.runId);
  if (!progress || progress.silent || targetFitness === null) return noForecast;
  const { bestSoFar, evaluationsPerSecond: rate } = progress;
  const isReached = bestSoFar !== null && hasReached(bestSoFar, targetFitness, direction);
  const usedEvaluations = Number(progress.evaluations ?? 0);
  const hit = isReached ? null : forecastHit(siblings, usedEvaluations);
  if (!hit || rate === null || rate === 0) return { hit, seconds: null };
  const getSecondsTo = (evaluations: number | null) =>
    evaluations === null ? null : (evaluations - usedEvaluations) / rate;
  const { lower, median, upper } = hit.evaluations;
  return {
    hit,
    seconds: {
      lower: getSecondsTo(lower),
      median: getSecondsTo(median),
      upper: getSecondsTo(upper),
    },
  };
}
