import type { Database } from '#server/db/database.ts';
import { parseConfig } from '#server/domain/config.ts';
import {
  isSilentRun,
  getLastActivity,
  getMedianGapMillis,
  getMedianPaceMillis,
} from '#server/domain/liveness.ts';
import { getConfiguredBudget } from '#server/domain/objective.ts';
import { listExperiments } from '#server/repositories/analysis.ts';
import { listStopRequests } from '#server/repositories/control.ts';
import type { ListId } from '#server/repositories/list.ts';
import {
  listFitnessRanges,
  listNewestRows,
  type NewestRow,
} from '#server/repositories/iterations.ts';
import { listRuns } from '#server/repositories/runs.ts';
import { getTimeKey, toMillis } from '#shared/syntax.ts';
import type { WireInteger } from '#shared/schemas/common.ts';
import type { RunItem, RunProgress, StopRequest } from '#shared/schemas/run.ts';
import { isRunning } from '#shared/words.ts';
import { readAnnotationsOrNone } from './annotations.ts';
import { findObjectivesOfExperiments } from './objectives.ts';

/**
 * A run of a list, with progress, newest stop request, display name, tags, and `resumedFrom`, the checkpoint from which
 * it resumed.
 */
export type ListedRun = RunItem & { resumedFrom: string | null };

/**
 * Returns the runs with these ids in this order, with progress, newest stop requests, display names and tags; omits
 * deleted runs.
 */
export async function listRunItems(
  database: Database,
  runIds: readonly ListId[],
): Promise<ListedRun[]> {
  const rows = await listRuns(database, runIds);
  // PostgreSQL runs these queries at the same time.
  const [progress, stopRequests, annotations] = await Promise.all([
    findProgress(database, rows),
    findStopRequests(database, rows),
    readAnnotationsOrNone(database),
  ]);
  return rows.map((run, index) => ({
    ...run,
    progress: progress.get(run.runId) ?? null,
    stopRequest: stopRequests[index] ?? null,
    ...annotations.getFields('run', run.runId),
  }));
}

/** The columns of a run that determine its progress. */
export interface ProgressRun {
  runId: string;
  experimentId: string;
  status: string;
  startTime: string;
  maxIterations: WireInteger | null;
}

/** Returns the progress of each RUNNING run by run id; omits other runs. */
export async function findProgress(
  database: Database,
  runs: readonly ProgressRun[],
  nowMillis = Date.now(),
): Promise<Map<string, RunProgress>> {
  const runningRuns = runs.filter(isRunning);
  if (runningRuns.length === 0) return new Map();
  const ids = runningRuns.map(({ runId }) => runId);
  const rows = Map.groupBy(await listNewestRows(database, ids), ({ runId }) => runId);
  const ranges = await listFitnessRanges(database, ids);
  const rangeByRun = new Map(ranges.map((range) => [range.runId, range]));
  const experimentIds = new Set(runningRuns.map(({ experimentId }) => experimentId));
  const experiments = await listExperiments(database, [...experimentIds]);
  const objectives = await findObjectivesOfExperiments(database, experiments);
  const grantedEvaluationsByExperiment = new Map(
    experiments.map(({ experimentId, configJson }) => [
      experimentId,
      getConfiguredBudget(parseConfig(configJson)).evaluations,
    ]),
  );
  return new Map(
    runningRuns.map((run) => {
      const range = rangeByRun.get(run.runId);
      const { direction } = objectives.get(run.experimentId) ?? {};
      const grantedEvaluations = grantedEvaluationsByExperiment.get(run.experimentId) ?? null;
      const bestSoFar =
        (direction === 'max' ? range?.highestFitness : range?.lowestFitness) ?? null;
      const newestRows = rows.get(run.runId) ?? [];
      return [
        run.runId,
        getProgress(run, newestRows, { bestSoFar, grantedEvaluations, nowMillis }),
      ];
    }),
  );
}

/**
 * Returns the progress of a RUNNING run from its newest rows, oldest first. Without rows, the last activity is the
 * start of the run. `secondsLeft` is the time until the first limit, of evaluations or iterations; null if it is
 * unknown. `evaluationsPerSecond` and `secondsLeft` are null for a silent run.
 */
export function getProgress(
  run: ProgressRun,
  rows: readonly NewestRow[],
  { bestSoFar, grantedEvaluations, nowMillis }: ProgressFacts,
): RunProgress {
  const newestRow = rows.at(-1);
  const gapMillis = getMedianGapMillis(rows);
  const paceMillis = getMedianPaceMillis(rows);
  const isSilent = isSilentRun(run.startTime, rows, nowMillis);
  const evaluationsPerSecond = isSilent ? null : computeSpeed(rows);
  const remainingSeconds = [
    estimateTimeLeft(
      grantedEvaluations,
      newestRow?.evaluations,
      evaluationsPerSecond === null ? null : 1 / evaluationsPerSecond,
    ),
    estimateTimeLeft(
      run.maxIterations,
      newestRow?.iteration,
      paceMillis === null ? null : paceMillis / 1_000,
    ),
  ].flatMap((seconds) => seconds ?? []);
  return {
    iteration: newestRow?.iteration ?? null,
    maxIterations: run.maxIterations,
    evaluations: newestRow?.evaluations ?? null,
    bestSoFar,
    meanFitness: newestRow?.meanFitness ?? null,
    lastActivityAt: getLastActivity(run.startTime, rows),
    secondsPerIteration: gapMillis === null ? null : gapMillis / 1_000,
    evaluationsPerSecond,
    grantedEvaluations,
    secondsLeft: isSilent || remainingSeconds.length === 0 ? null : Math.min(...remainingSeconds),
    silent: isSilent,
  };
}

/** Further data that determine the progress of a run, in addition to its rows. */
interface ProgressFacts {
  bestSoFar: number | null;
  /** Number of evaluations after which the configuration ends the run; null without a limit. */
  grantedEvaluations: number | null;
  nowMillis: number;
}

/**
 * Returns the evaluations per second between the oldest and the newest row that have evaluations and a valid time.
 * Returns null if there are fewer than two such rows, if the time does not increase between them, or if the evaluations
 * decrease.
 */
function computeSpeed(rows: readonly NewestRow[]): number | null {
  const timedRows = rows.filter(
    ({ evaluations, createdAt }) => evaluations !== null && Number.isFinite(toMillis(createdAt)),
  );
  const [firstRow, lastRow] = [timedRows[0], timedRows.at(-1)];
  if (!firstRow || !lastRow) return null;
  const seconds = (toMillis(lastRow.createdAt) - toMillis(firstRow.createdAt)) / 1_000;
  const evaluations = Number(lastRow.evaluations) - Number(firstRow.evaluations);
  return seconds > 0 && evaluations >= 0 ? evaluations / seconds : null;
}

/**
 * Returns the seconds until a run has used a budget, if each unit takes `secondsPerUnit`. Returns 0 if the run has
 * already used it, and null if a value is unknown or `secondsPerUnit` is infinite.
 */
function estimateTimeLeft(
  budget: WireInteger | null,
  value: WireInteger | null | undefined,
  secondsPerUnit: number | null,
): number | null {
  if (budget === null || value === null || value === undefined || secondsPerUnit === null)
    return null;
  return Number.isFinite(secondsPerUnit)
    ? Math.max(0, Number(budget) - Number(value)) * secondsPerUnit
    : null;
}

/** Target of a stop request: an experiment, or one of its runs. */
export interface StopTarget {
  experimentId: string;
  runId?: string;
}

/**
 * Returns the newest stop request for each target, in the order of the targets; null for a target without a request. A
 * stop request for an experiment is also a request for its runs. If a run and its experiment have requests with the
 * same time, returns the request for the run.
 */
export async function findStopRequests(
  database: Database,
  targets: readonly StopTarget[],
): Promise<(StopRequest | null)[]> {
  const runIds = targets.flatMap(({ runId }) => runId ?? []);
  const experimentIds = [...new Set(targets.map(({ experimentId }) => experimentId))];
  const requests = await listStopRequests(database, runIds, experimentIds);
  if (requests.length === 0) return targets.map(() => null);
  const requestsByTarget = new Map(
    requests.map((request) => [makeTargetKey(request.scope, request.targetId), request]),
  );
  return targets.map(({ runId, experimentId }) => {
    const runStop =
      runId === undefined ? undefined : requestsByTarget.get(makeTargetKey('run', runId));
    return chooseNewerRequest(
      runStop,
      requestsByTarget.get(makeTargetKey('experiment', experimentId)),
    );
  });
}

function makeTargetKey(scope: string, targetId: string): string {
  return `${scope} ${targetId}`;
}

function chooseNewerRequest(
  runStop?: StopRequest,
  experimentStop?: StopRequest,
): StopRequest | null {
  const getKey = (request?: StopRequest) => getTimeKey(request?.requestedAt ?? '');
  const isExperimentStopNewer = getKey(experimentStop) > getKey(runStop);
  return (isExperimentStopNewer ? experimentStop : (runStop ?? experimentStop)) ?? null;
}
