import type { AdaptiveAction } from './adaptive.ts';
import { type Instant, instantText } from '#server/recording/clock.ts';
import {
  actionJson,
  fitnessSummary,
  type Generation,
  generationDiagnostics,
  generationMetrics,
  generationPayload,
} from './generation.ts';
import { double, doubleRecord, type JavaObject, javaJson } from '#server/recording/java-json.ts';
import type { Recorder } from '#server/recording/recorder.ts';
import { genotypeSummary, genotypeText, type RepresentationFamily } from './problems.ts';
import type { Publish, RunIdentity } from './publisher.ts';

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
export async function publishStarted(
  publish: Publish,
  run: ReportedRun,
  instant: Instant,
): Promise<void> {
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
export async function publishIteration(
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
export async function publishAdaptiveAction(
  publish: Publish,
  instant: Instant,
  iteration: number,
  action: AdaptiveAction,
): Promise<void> {
  await publish('adaptive_action', instant, { iteration, action: actionJson(action) });
}

/** The state of the search was saved under this path. */
export async function publishCheckpoint(
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
export async function publishCompleted(
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
export async function publishStopped(
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
