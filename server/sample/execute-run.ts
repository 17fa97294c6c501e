import type { AdaptiveAction } from './adaptive.ts';
import type { Database } from '#server/db/database.ts';
import type { ExperimentPlan } from './experiments.ts';
import type { ExperimentRecord } from '#server/recording/experiment-record.ts';
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
  actionJson,
  fitnessSummary,
  generationDiagnostics,
  generationMetrics,
  generationPayload,
} from './search.ts';
import { genotypeSummary, genotypeText, type RepresentationFamily } from './problems.ts';
import {
  record,
  type Recorder,
  type Instant,
  instantText,
  createClock,
} from '#server/recording/recorder.ts';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type JavaObject, double, doubleRecord, javaJson } from '#server/recording/java-json.ts';

/** Which run the events are about. */
export interface RunIdentity {
  runId: string;
  seed: bigint;
  experiment: ExperimentRecord;
}

/** Writes the events of one run, each with all its effects in one transaction. */
export type Publish = (
  type: string,
  instant: Instant,
  members: JavaObject,
  effect?: (recorder: Recorder) => Promise<void>,
) => Promise<void>;

/**
 * A publisher for one run. The first event also writes the experiment and its parameters; every event
 * makes sure of the run, stores itself and then applies its effect. What fails leaves nothing behind.
 */
function createPublisher(database: Database, run: RunIdentity): Publish {
  const { runId, seed, experiment } = run;
  let isFirst = true;
  return async (type, instant, members, effect) => {
    await record(database, async (recorder) => {
      if (isFirst) await recorder.experiment(experiment, instant);
      await recorder.runs([
        {
          run_id: runId,
          experiment_id: experiment.experimentId,
          seed: String(seed),
          status: 'RUNNING',
          start_time: instantText(instant),
        },
      ]);
      await recorder.events([{ runId, type, instant, members }]);
      await effect?.(recorder);
    });
    isFirst = false;
  };
}

/** What the runner writes as the reason, whatever reason the user gave. */
const stopReason = 'Stop requested from dashboard controls';

/** What the runner writes into a run that a signal ended. */
const interruptedReason = 'Run interrupted by a signal';

/** How a run is executed, in addition to its plan. */
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
 * Executes one run and writes all of it. An error of the search makes the run FAILED, with nothing but
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
  // SQLite responds synchronously: without this pause no signal is handled before all runs have ended.
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

/** Does what the runner's signal hook does: no event, no results, only the status of a run that is still RUNNING. */
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

const mostAttempts = 6;
const backOffMillis = 40;

/**
 * Whether a stop is requested for this run or for its whole experiment. A busy database is tried up to six times,
 * with growing pauses, and then counts as having no request.
 */
async function isStopRequested(database: Database, run: RunIdentity): Promise<boolean> {
  for (let attempts = 1; attempts <= mostAttempts; attempts++) {
    try {
      return await hasPendingStop(database, targetsOf(run));
    } catch (error) {
      if (database.dialect.failureKind(error) !== 'busy') throw error;
      await wait(backOffMillis * attempts);
    }
  }
  return false;
}

/** Marks the pending requests that stopped this run as acknowledged by it. */
async function acknowledgeStop(
  database: Database,
  run: RunIdentity,
  acknowledgedAt: string,
): Promise<void> {
  await database.dialect.withWriteTransaction((transaction) =>
    acknowledgeStops({ ...database, kysely: transaction }, targetsOf(run), acknowledgedAt),
  );
}

/** Requests a stop of a run, as a user would from outside. An earlier request for it becomes pending again. */
export async function requestStop(
  database: Database,
  runId: string,
  requestedAt: string,
): Promise<void> {
  const reason = 'The sample shows what a stopped run looks like';
  await database.dialect.withWriteTransaction((transaction) =>
    writeStopRequests(transaction, [{ scope: 'run', targetId: runId, requestedAt, reason }]),
  );
}

function targetsOf({ runId, experiment }: RunIdentity): StopTargets {
  return { runId, experimentId: experiment.experimentId };
}

/** Where a run ended, however it did. */
export interface RunResult {
  generation: Generation;
  family: RepresentationFamily;
  runtimeMillis: number;
  /** Text values by name, as the runner lists what it has produced. */
  artifacts: Record<string, string>;
}

/** A run as its events describe it. */
export interface ReportedRun extends RunIdentity {
  problemName: string;
}

/** The initial population has been evaluated. */
async function publishStarted(publish: Publish, run: ReportedRun, instant: Instant): Promise<void> {
  await publish('run_started', instant, identityMembers(run), (recorder) =>
    recorder.changeRun(run.runId, {
      experiment_id: run.experiment.experimentId,
      seed: String(run.seed),
      status: 'RUNNING',
      end_time: null,
      error_message: null,
    }),
  );
}

/** A generation is complete; one that is published again replaces what was stored of it. */
async function publishIteration(
  publish: Publish,
  runId: string,
  instant: Instant,
  generation: Generation,
): Promise<void> {
  const { best, mean, std } = fitnessSummary(generation);
  const row = {
    run_id: runId,
    iteration: generation.iteration,
    evaluations: generation.evaluations,
    best_fitness: best,
    mean_fitness: mean,
    std_fitness: std,
    metrics_json: javaJson(doubleRecord(generationMetrics(generation))),
    diagnostics_json: javaJson(generationDiagnostics(generation)),
    created_at: instantText(instant),
  };
  await publish('iteration_completed', instant, generationPayload(generation), (recorder) =>
    recorder.iterations([row]),
  );
}

/** The search is about to change its course in this iteration. */
async function publishAdaptiveAction(
  publish: Publish,
  instant: Instant,
  iteration: number,
  action: AdaptiveAction,
): Promise<void> {
  await publish('adaptive_action', instant, { iteration, action: actionJson(action) });
}

/** The state of the search was saved under this path. */
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
    created_at: instantText(instant),
  };
  await publish('checkpoint_saved', instant, checkpoint, (recorder) => recorder.checkpoints([row]));
}

/** The stopping condition holds. */
async function publishCompleted(
  publish: Publish,
  run: ReportedRun,
  instant: Instant,
  result: RunResult,
): Promise<void> {
  await publish('run_completed', instant, resultMembers(result), async (recorder) => {
    const ending = { status: 'COMPLETED', error_message: null };
    await writeResult(recorder, run.runId, instant, { ...ending, ...resultColumns(result) });
    await recorder.objectives(objectivesOf(run.runId, result.generation));
  });
}

/** The run ends before its time, for this reason, with the results it has. */
async function publishStopped(
  publish: Publish,
  run: ReportedRun,
  instant: Instant,
  result: RunResult,
  reason: string,
): Promise<void> {
  const payload = { ...configMembers(run), ...resultMembers(result), reason, resumedFrom: null };
  await publish('run_stopped', instant, payload, async (recorder) => {
    const ending = { status: 'STOPPED', error_message: reason };
    await writeResult(recorder, run.runId, instant, { ...ending, ...resultColumns(result) });
    await recorder.objectives(objectivesOf(run.runId, result.generation));
  });
}

/** The search threw; a failed run has no results. */
export async function publishFailed(
  publish: Publish,
  run: ReportedRun,
  instant: Instant,
  errorMessage: string,
): Promise<void> {
  const payload = { ...configMembers(run), errorMessage, resumedFrom: null };
  const ending = { status: 'FAILED', error_message: errorMessage };
  await publish('run_failed', instant, payload, (recorder) =>
    writeResult(recorder, run.runId, instant, ending),
  );
}

function identityMembers({ experiment, problemName, seed }: ReportedRun): JavaObject {
  const { algorithm_type, model_type } = experiment.columns;
  return { algorithm: algorithm_type, model: model_type, problem: problemName, masterSeed: seed };
}

function configMembers(run: ReportedRun): JavaObject {
  return { ...identityMembers(run), problem: run.experiment.columns.problem_type };
}

function resultMembers({ generation, family, runtimeMillis, artifacts }: RunResult): JavaObject {
  const { genotype, fitness } = generation.bestSoFar;
  return {
    iterations: generation.iteration,
    evaluations: generation.evaluations,
    runtimeMillis,
    bestFitness: double(fitness),
    bestSummary: genotypeSummary(genotype, family),
    bestGenotype: genotypeText(genotype, family),
    artifacts,
  };
}

function resultColumns({ generation, family, runtimeMillis, artifacts }: RunResult) {
  const { genotype, fitness } = generation.bestSoFar;
  const bestGenotype = genotypeText(genotype, family);
  return {
    iterations: generation.iteration,
    evaluations: generation.evaluations,
    runtime_millis: runtimeMillis,
    best_fitness: fitness,
    best_summary: genotypeSummary(genotype, family),
    artifacts_json: javaJson({ ...artifacts, bestGenotype }),
  };
}

async function writeResult(
  recorder: Recorder,
  runId: string,
  instant: Instant,
  columns: { status: string; error_message: string | null } & Partial<
    ReturnType<typeof resultColumns>
  >,
): Promise<void> {
  await recorder.changeRun(runId, { end_time: instantText(instant), ...columns });
}

function objectivesOf(runId: string, generation: Generation) {
  return Object.entries(generationMetrics(generation)).map(([name, value]) => ({
    run_id: runId,
    objective_name: name,
    objective_value: value,
  }));
}
