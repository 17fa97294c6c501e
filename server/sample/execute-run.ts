import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Database } from '#server/db/database.ts';
import { createClock, type Instant, instantText } from '#server/recording/clock.ts';
import { record } from '#server/recording/recorder.ts';
import type { Generation } from './generation.ts';
import type { ExperimentPlan } from './plan.ts';
import { createPublisher, type Publish, type RunIdentity } from './publisher.ts';
import {
  publishAdaptiveAction,
  publishCheckpoint,
  publishCompleted,
  publishFailed,
  publishIteration,
  publishStarted,
  publishStopped,
  type ReportedRun,
  type RunResult,
} from './run-events.ts';
import { createSearch, isFinished, type Search } from './search.ts';
import { acknowledgeStop, isStopRequested, requestStop } from './stop-requests.ts';

/** What the runner writes as the reason, whatever reason the user gave. */
export const stopReason = 'Stop requested from dashboard controls';

/** What the runner writes into a run that a signal ended. */
export const interruptedReason = 'Run interrupted by a signal';

/** How a run is carried out, besides what its plan says. */
export interface Execution {
  database: Database;
  /** Pause before every iteration. */
  intervalMillis: number;
  /** Once aborted, the run ends before its next iteration. */
  signal: AbortSignal;
  /** What the artifacts name as the database. */
  databaseUrl: string;
}

/** How a run ended. `generation` is its last one; null when there was none. */
export interface RunOutcome {
  runId: string;
  status: 'COMPLETED' | 'STOPPED' | 'FAILED';
  generation: Generation | null;
}

interface RunInProgress extends Execution {
  plan: ExperimentPlan;
  run: ReportedRun;
  search: Search;
  publish: Publish;
  clock: () => Instant;
  startedAt: Instant;
  lastCheckpoint: string | undefined;
}

/**
 * Carries out one run and writes all of it. An error of the search makes the run FAILED, with nothing but
 * that event if it never got an initial population; an error of the database rejects.
 */
export async function executeRun(
  plan: ExperimentPlan,
  identity: RunIdentity,
  execution: Execution,
): Promise<RunOutcome> {
  const search = createSearch(plan, identity.seed);
  const clock = createClock();
  const progress: RunInProgress = {
    ...execution,
    plan,
    run: { ...identity, problemName: search.problem.type },
    search,
    publish: createPublisher(execution.database, identity),
    clock,
    startedAt: clock(),
    lastCheckpoint: undefined,
  };
  const first = attempt(() => search.start());
  if (first instanceof Error) return fail(progress, null, first);
  await publishStarted(progress.publish, progress.run, clock());
  await publishIteration(progress.publish, identity.runId, clock(), first);
  return iterate(progress, first);
}

async function iterate(progress: RunInProgress, first: Generation): Promise<RunOutcome> {
  const { plan, search, signal, intervalMillis } = progress;
  let generation = first;
  while (!isFinished(generation, plan.stopping, search.problem.minimised)) {
    await pause(intervalMillis, signal);
    if (signal.aborted) return interrupt(progress, generation);
    if (await isStopRequested(progress.database, progress.run)) return stop(progress, generation);
    const next = attempt(() => search.advance(generation));
    if (next instanceof Error) return fail(progress, generation, next);
    generation = next;
    await recordGeneration(progress, generation);
  }
  await publishCompleted(progress.publish, progress.run, progress.clock(), {
    ...resultOf(progress, generation),
    artifacts: artifactsOf(progress),
  });
  return { runId: progress.run.runId, status: 'COMPLETED', generation };
}

async function pause(millis: number, signal: AbortSignal): Promise<void> {
  // SQLite answers at once: without a turn of its own no signal would come in before all runs have ended.
  if (millis === 0) return nextTurn();
  if (signal.aborted) return;
  try {
    await wait(millis, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function attempt<Result>(compute: () => Result): Result | Error {
  try {
    return compute();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function recordGeneration(progress: RunInProgress, generation: Generation): Promise<void> {
  const { publish, run, clock, plan } = progress;
  const { iteration } = generation;
  const decidedAt = clock();
  for (const action of generation.adaptiveActions) {
    await publishAdaptiveAction(publish, decidedAt, iteration, action);
  }
  await publishIteration(publish, run.runId, clock(), generation);
  const { checkpointEveryIterations, stopRequestedAfter } = plan;
  if (checkpointEveryIterations > 0 && iteration % checkpointEveryIterations === 0) {
    const checkpointPath = `./results/checkpoints/${run.runId}-iter-${iteration}.ckpt.yaml`;
    await publishCheckpoint(publish, run.runId, clock(), { iteration, checkpointPath });
    progress.lastCheckpoint = checkpointPath;
  }
  if (iteration === stopRequestedAfter) {
    await requestStop(progress.database, run.runId, instantText(clock()));
  }
}

function resultOf(progress: RunInProgress, generation: Generation): RunResult {
  return {
    generation,
    family: progress.search.problem.family,
    runtimeMillis: Number((progress.clock() - progress.startedAt) / 1_000_000n),
    artifacts: { database: progress.databaseUrl },
  };
}

/** Only completed runs keep the path of their last checkpoint. */
function artifactsOf({ databaseUrl, lastCheckpoint }: RunInProgress): Record<string, string> {
  return { database: databaseUrl, ...(lastCheckpoint && { checkpoint: lastCheckpoint }) };
}

async function stop(progress: RunInProgress, generation: Generation): Promise<RunOutcome> {
  const { publish, run, clock, database } = progress;
  await publishStopped(publish, run, clock(), resultOf(progress, generation), stopReason);
  await acknowledgeStop(database, run, instantText(clock()));
  return { runId: run.runId, status: 'STOPPED', generation };
}

async function fail(
  { publish, run, clock }: RunInProgress,
  generation: Generation | null,
  error: Error,
): Promise<RunOutcome> {
  await publishFailed(publish, run, clock(), error.message || error.name);
  return { runId: run.runId, status: 'FAILED', generation };
}

/** As the runner's signal hook does it: no event, no results, only the status of a run still RUNNING. */
async function interrupt(progress: RunInProgress, generation: Generation): Promise<RunOutcome> {
  const { database, run, clock } = progress;
  const ending = {
    status: 'STOPPED',
    end_time: instantText(clock()),
    error_message: interruptedReason,
  };
  await record(database, (recorder) => recorder.changeRun(run.runId, ending, 'RUNNING'));
  return { runId: run.runId, status: 'STOPPED', generation };
}
