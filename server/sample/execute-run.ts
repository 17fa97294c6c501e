import type { AdaptiveAction } from './adaptive.ts';
import type { Database } from '#server/db/database.ts';
import type { ExperimentPlan } from './experiments.ts';
import {
  type ExperimentRecord,
  record,
  type Recorder,
  type Instant,
  formatInstant,
  createClock,
  type JavaObject,
  toDouble,
  toDoubles,
  formatJavaJson,
} from '#server/recording/recorder.ts';
import {
  acknowledgeStops,
  hasPendingStop,
  writeStopRequests,
  type StopTargets,
} from '#server/repositories/control.ts';
import {
  createSearch,
  isFinished,
  type Search,
  type Generation,
  toActionJson,
  summariseFitness,
  makeGenerationDiagnostics,
  measureGeneration,
  makeGenerationPayload,
} from './search.ts';
import { summariseGenotype, formatGenotype, type RepresentationFamily } from './problems.ts';
import { setImmediate as waitForNextTurn, setTimeout as delay } from 'node:timers/promises';

/** Id, seed and experiment of a run. */
export interface RunIdentity {
  runId: string;
  seed: bigint;
  experiment: ExperimentRecord;
}

/** Writes an event of one run and its effect on other tables in one transaction. */
export type Publish = (
  type: string,
  instant: Instant,
  members: JavaObject,
  writeEffect?: (recorder: Recorder) => Promise<void>,
) => Promise<void>;

/**
 * Returns a function that writes the events of one run. Until a call has succeeded, each call first writes the
 * experiment with its parameters. Each call writes the run if it is missing, then the event, then the effect of the
 * event. If one of these writes fails, the call writes nothing.
 */
function createPublisher(database: Database, run: RunIdentity): Publish {
  const { runId, seed, experiment } = run;
  let isFirstEvent = true;
  return async (type, instant, members, writeEffect) => {
    await record(database, async (recorder) => {
      if (isFirstEvent) await recorder.writeExperiment(experiment, instant);
      await recorder.writeRuns([
        {
          run_id: runId,
          experiment_id: experiment.experimentId,
          seed: String(seed),
          status: 'RUNNING',
          start_time: formatInstant(instant),
        },
      ]);
      await recorder.writeEvents([{ runId, type, instant, members }]);
      await writeEffect?.(recorder);
    });
    isFirstEvent = false;
  };
}

/** Reason that the runner writes for a stop request, independent of the user's reason. */
const stopReason = 'Stop requested from dashboard controls';

/** Reason that the runner writes into a run that a signal ended. */
const interruptionReason = 'Run interrupted by a signal';

/** Settings of the execution of a run, in addition to its plan. */
export interface Execution {
  database: Database;
  /** Pause before each iteration after the initial population, in milliseconds. */
  intervalMillis: number;
  /** Signal that stops the run before its next iteration, but not before its initial population. */
  signal: AbortSignal;
  /** URL of the database in the artifacts. */
  databaseUrl: string;
}

/** Result of an ended run. `generation` is the last generation; null if the run has no generation. */
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
  readClock: () => Instant;
  /** Start in milliseconds of `performance.now()`, which no change of the system clock affects. */
  startedAt: number;
  lastCheckpoint: string | undefined;
}

/**
 * Executes one run and writes all its rows. The run becomes FAILED if the search throws, and STOPPED after a stop
 * request or when the signal is aborted. If the search throws before it has an initial population, the failure is the
 * only event of the run. Rejects with the errors of the database.
 */
export async function executeRun(
  plan: ExperimentPlan,
  identity: RunIdentity,
  execution: Execution,
): Promise<RunOutcome> {
  const search = createSearch(plan, identity.seed);
  const readClock = createClock();
  const progress: RunInProgress = {
    ...execution,
    plan,
    run: { ...identity, problemName: search.problem.type },
    search,
    publish: createPublisher(execution.database, identity),
    readClock,
    startedAt: performance.now(),
    lastCheckpoint: undefined,
  };
  const firstGeneration = tryCompute(() => search.start());
  if (firstGeneration instanceof Error) return fail(progress, null, firstGeneration);
  await publishStart(progress.publish, progress.run, readClock());
  await publishIteration(progress.publish, identity.runId, readClock(), firstGeneration);
  return iterate(progress, firstGeneration);
}

async function iterate(progress: RunInProgress, firstGeneration: Generation): Promise<RunOutcome> {
  const { plan, search, signal, intervalMillis } = progress;
  let generation = firstGeneration;
  while (!isFinished(generation, plan.stopping, search.problem.isMinimised)) {
    await pause(intervalMillis, signal);
    if (signal.aborted) return interrupt(progress, generation);
    if (await isStopRequested(progress.database, progress.run)) return stop(progress, generation);
    const newGeneration = tryCompute(() => search.advance(generation));
    if (newGeneration instanceof Error) return fail(progress, generation, newGeneration);
    generation = newGeneration;
    await recordGeneration(progress, generation);
  }
  await publishCompletion(progress.publish, progress.run, progress.readClock(), {
    ...getResult(progress, generation),
    artifacts: getArtifacts(progress),
  });
  return { runId: progress.run.runId, status: 'COMPLETED', generation };
}

async function pause(millis: number, signal: AbortSignal): Promise<void> {
  // SQLite responds synchronously, so without this pause the process handles no signal until all runs have ended.
  if (millis === 0) return waitForNextTurn();
  if (signal.aborted) return;
  try {
    await delay(millis, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function tryCompute<Result>(compute: () => Result): Result | Error {
  try {
    return compute();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function recordGeneration(progress: RunInProgress, generation: Generation): Promise<void> {
  const { publish, run, readClock, plan } = progress;
  const { iteration } = generation;
  const decidedAt = readClock();
  for (const action of generation.adaptiveActions) {
    await publishAdaptiveAction(publish, decidedAt, iteration, action);
  }
  await publishIteration(publish, run.runId, readClock(), generation);
  const { checkpointEveryIterations, stopIteration } = plan;
  if (checkpointEveryIterations > 0 && iteration % checkpointEveryIterations === 0) {
    const checkpointPath = `./results/checkpoints/${run.runId}-iter-${iteration}.ckpt.yaml`;
    await publishCheckpoint(publish, run.runId, readClock(), { iteration, checkpointPath });
    progress.lastCheckpoint = checkpointPath;
  }
  if (iteration === stopIteration) {
    await requestStop(progress.database, run.runId, formatInstant(readClock()));
  }
}

function getResult(progress: RunInProgress, generation: Generation): RunResult {
  return {
    generation,
    family: progress.search.problem.family,
    runtimeMillis: Math.floor(performance.now() - progress.startedAt),
    artifacts: { database: progress.databaseUrl },
  };
}

/** Returns the artifacts of a completed run. Only these include the path of the last checkpoint. */
function getArtifacts({ databaseUrl, lastCheckpoint }: RunInProgress): Record<string, string> {
  return { database: databaseUrl, ...(lastCheckpoint && { checkpoint: lastCheckpoint }) };
}

async function stop(progress: RunInProgress, generation: Generation): Promise<RunOutcome> {
  const { publish, run, readClock, database } = progress;
  await publishStop(publish, run, readClock(), getResult(progress, generation), stopReason);
  await acknowledgeStop(database, run, formatInstant(readClock()));
  return { runId: run.runId, status: 'STOPPED', generation };
}

async function fail(
  { publish, run, readClock }: RunInProgress,
  generation: Generation | null,
  error: Error,
): Promise<RunOutcome> {
  await publishFailure(publish, run, readClock(), error.message || error.name);
  return { runId: run.runId, status: 'FAILED', generation };
}

/**
 * Ends a run like the signal hook of the runner: changes only the row of the run, and only if the run is RUNNING.
 * Writes no event and no results.
 */
async function interrupt(progress: RunInProgress, generation: Generation): Promise<RunOutcome> {
  const { database, run, readClock } = progress;
  const endColumns = {
    status: 'STOPPED',
    end_time: formatInstant(readClock()),
    error_message: interruptionReason,
  };
  await record(database, (recorder) => recorder.changeRun(run.runId, endColumns, 'RUNNING'));
  return { runId: run.runId, status: 'STOPPED', generation };
}

const maximumAttempts = 6;
const backoffMillis = 40;

/**
 * Returns whether a stop request is pending for this run or its experiment. Retries with increasing pauses while the
 * database is busy. Returns false after six attempts. Rejects with other errors of the database.
 */
async function isStopRequested(database: Database, run: RunIdentity): Promise<boolean> {
  for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
    try {
      return await hasPendingStop(database, getTargets(run));
    } catch (error) {
      if (database.dialect.classifyFailure(error) !== 'busy') throw error;
      await delay(backoffMillis * attempt);
    }
  }
  return false;
}

/** Marks the pending stop requests for this run and its experiment as acknowledged by this run. */
async function acknowledgeStop(
  database: Database,
  run: RunIdentity,
  acknowledgedAt: string,
): Promise<void> {
  await database.dialect.withWriteTransaction((transaction) =>
    acknowledgeStops({ ...database, kysely: transaction }, getTargets(run), acknowledgedAt),
  );
}

/**
 * Requests a stop of a run, as a user would. Overwrites an earlier request for the run, which is then pending again.
 */
export async function requestStop(
  database: Database,
  runId: string,
  requestedAt: string,
): Promise<void> {
  const reason = 'Example of a stopped run';
  await database.dialect.withWriteTransaction((transaction) =>
    writeStopRequests(transaction, [{ scope: 'run', targetId: runId, requestedAt, reason }]),
  );
}

function getTargets({ runId, experiment }: RunIdentity): StopTargets {
  return { runId, experimentId: experiment.experimentId };
}

/** Results of a run at its end. */
export interface RunResult {
  generation: Generation;
  family: RepresentationFamily;
  runtimeMillis: number;
  /** Artifacts of the runner: a text for each name. */
  artifacts: Record<string, string>;
}

/** Run with the values that its events contain. */
export interface ReportedRun extends RunIdentity {
  problemName: string;
}

/** Writes the start of a run with an evaluated initial population. */
async function publishStart(publish: Publish, run: ReportedRun, instant: Instant): Promise<void> {
  await publish('run_started', instant, makeIdentityMembers(run), (recorder) =>
    recorder.changeRun(run.runId, {
      experiment_id: run.experiment.experimentId,
      seed: String(run.seed),
      status: 'RUNNING',
      end_time: null,
      error_message: null,
    }),
  );
}

/** Writes a complete generation. Replaces the stored row if there is one. */
async function publishIteration(
  publish: Publish,
  runId: string,
  instant: Instant,
  generation: Generation,
): Promise<void> {
  const { best, mean, std } = summariseFitness(generation);
  const row = {
    run_id: runId,
    iteration: generation.iteration,
    evaluations: generation.evaluations,
    best_fitness: best,
    mean_fitness: mean,
    std_fitness: std,
    metrics_json: formatJavaJson(toDoubles(measureGeneration(generation))),
    diagnostics_json: formatJavaJson(makeGenerationDiagnostics(generation)),
    created_at: formatInstant(instant),
  };
  await publish('iteration_completed', instant, makeGenerationPayload(generation), (recorder) =>
    recorder.writeIterations([row]),
  );
}

/** Writes an adaptive action of the search in this iteration. */
async function publishAdaptiveAction(
  publish: Publish,
  instant: Instant,
  iteration: number,
  action: AdaptiveAction,
): Promise<void> {
  await publish('adaptive_action', instant, { iteration, action: toActionJson(action) });
}

/** Writes a checkpoint with the path of its file, which the sample does not create. */
async function publishCheckpoint(
  publish: Publish,
  runId: string,
  instant: Instant,
  checkpoint: { iteration: number; checkpointPath: string },
): Promise<void> {
  const { iteration, checkpointPath } = checkpoint;
  const row = {
    run_id: runId,
    iteration,
    checkpoint_path: checkpointPath,
    created_at: formatInstant(instant),
  };
  await publish('checkpoint_saved', instant, checkpoint, (recorder) =>
    recorder.writeCheckpoints([row]),
  );
}

/** Writes the end and the results of a run that has reached a limit or its target. */
async function publishCompletion(
  publish: Publish,
  run: ReportedRun,
  instant: Instant,
  result: RunResult,
): Promise<void> {
  await publish('run_completed', instant, makeResultMembers(result), async (recorder) => {
    const endColumns = { status: 'COMPLETED', error_message: null };
    await writeResult(recorder, run.runId, instant, {
      ...endColumns,
      ...makeResultColumns(result),
    });
    await recorder.writeObjectives(makeObjectives(run.runId, result.generation));
  });
}

/** Writes the early end of a run, with the reason and the results so far. */
async function publishStop(
  publish: Publish,
  run: ReportedRun,
  instant: Instant,
  result: RunResult,
  reason: string,
): Promise<void> {
  const payload = {
    ...makeConfigMembers(run),
    ...makeResultMembers(result),
    reason,
    resumedFrom: null,
  };
  await publish('run_stopped', instant, payload, async (recorder) => {
    const endColumns = { status: 'STOPPED', error_message: reason };
    await writeResult(recorder, run.runId, instant, {
      ...endColumns,
      ...makeResultColumns(result),
    });
    await recorder.writeObjectives(makeObjectives(run.runId, result.generation));
  });
}

/** Writes the failure of a run. A failed run has no results. */
export async function publishFailure(
  publish: Publish,
  run: ReportedRun,
  instant: Instant,
  errorMessage: string,
): Promise<void> {
  const payload = { ...makeConfigMembers(run), errorMessage, resumedFrom: null };
  const endColumns = { status: 'FAILED', error_message: errorMessage };
  await publish('run_failed', instant, payload, (recorder) =>
    writeResult(recorder, run.runId, instant, endColumns),
  );
}

function makeIdentityMembers({ experiment, problemName, seed }: ReportedRun): JavaObject {
  const { algorithm_type, model_type } = experiment.columns;
  return { algorithm: algorithm_type, model: model_type, problem: problemName, masterSeed: seed };
}

function makeConfigMembers(run: ReportedRun): JavaObject {
  return { ...makeIdentityMembers(run), problem: run.experiment.columns.problem_type };
}

function makeResultMembers({
  generation,
  family,
  runtimeMillis,
  artifacts,
}: RunResult): JavaObject {
  const { genotype, fitness } = generation.bestSoFar;
  return {
    iterations: generation.iteration,
    evaluations: generation.evaluations,
    runtimeMillis,
    bestFitness: toDouble(fitness),
    bestSummary: summariseGenotype(genotype, family),
    bestGenotype: formatGenotype(genotype, family),
    artifacts,
  };
}

function makeResultColumns({ generation, family, runtimeMillis, artifacts }: RunResult) {
  const { genotype, fitness } = generation.bestSoFar;
  const bestGenotype = formatGenotype(genotype, family);
  return {
    iterations: generation.iteration,
    evaluations: generation.evaluations,
    runtime_millis: runtimeMillis,
    best_fitness: fitness,
    best_summary: summariseGenotype(genotype, family),
    artifacts_json: formatJavaJson({ ...artifacts, bestGenotype }),
  };
}

async function writeResult(
  recorder: Recorder,
  runId: string,
  instant: Instant,
  columns: { status: string; error_message: string | null } & Partial<
    ReturnType<typeof makeResultColumns>
  >,
): Promise<void> {
  await recorder.changeRun(runId, { end_time: formatInstant(instant), ...columns });
}

function makeObjectives(runId: string, generation: Generation) {
  return Object.entries(measureGeneration(generation)).map(([name, value]) => ({
    run_id: runId,
    objective_name: name,
    objective_value: value,
  }));
}
