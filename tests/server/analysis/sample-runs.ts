import type {
  AnalysedExperiment,
  AnalysedRun,
  MeasurementPlan,
  Measurements,
  Objective,
} from '#server/analysis/analysis-input.ts';
import { measureRun, planMeasurements, summariseTrace } from '#server/analysis/measurement.ts';
import { configurationIdOf, problemInstanceOf } from '#server/rules/problem-instance.ts';
import type { MeasuredRuns } from '#server/analysis/run-profiles.ts';

/** A run with its iterations as [evaluations, fitness of the population]. */
export interface RunWithIterations {
  run: AnalysedRun;
  iterations: [evaluations: number, fitness: number | null][];
}

/** A completed run of experiment `e1` that used all evaluations of its iterations. */
export function makeRun(
  runId: string,
  iterations: RunWithIterations['iterations'],
  fields: Partial<AnalysedRun> = {},
): RunWithIterations {
  const run: AnalysedRun = {
    runId,
    experimentId: 'e1',
    seed: Number(runId.replace(/\D/g, '')) || null,
    status: 'COMPLETED',
    evaluations: iterations.at(-1)?.[0] ?? null,
    bestFitness: null,
    runtimeMillis: 10,
    trace: summariseTrace(pointsOf(iterations)),
    ...fields,
  };
  return { run: Object.freeze(run), iterations };
}

function pointsOf(iterations: RunWithIterations['iterations']) {
  return iterations.map(([evaluations, fitness], iteration) => ({
    evaluations,
    iteration,
    fitness,
  }));
}

/** The answers of the traces to a plan. */
export function measure(runs: readonly RunWithIterations[], plan: MeasurementPlan): Measurements {
  return new Map(
    runs.map(({ run, iterations }) => [run.runId, measureRun(pointsOf(iterations), plan)]),
  );
}

/** Runs with what was measured for a plan of their own. */
export function measured(runs: readonly RunWithIterations[], objective: Objective): MeasuredRuns {
  const records = runs.map(({ run }) => run);
  const plan = planMeasurements(records, objective);
  return { runs: Object.freeze(records), plan, measurements: measure(runs, plan) };
}

/** An objective whose direction is that of the problem type. */
export function makeObjective(
  direction: Objective['direction'],
  targetFitness: number | null,
): Objective {
  const targetSource = targetFitness === null ? 'none' : 'config';
  return Object.freeze({ direction, directionSource: 'problem', targetFitness, targetSource });
}

/** An experiment on a problem with `length` variables. */
export function makeExperiment(
  experimentId: string,
  algorithmType: string,
  length = 40,
  fields: Partial<AnalysedExperiment> = {},
): AnalysedExperiment {
  const config = JSON.stringify({
    problem: { type: 'onemax', params: {} },
    representation: { type: 'bitstring', params: { length } },
    algorithm: { type: algorithmType },
    run: { name: experimentId },
  });
  return Object.freeze({
    experimentId,
    runName: null,
    algorithmType,
    modelType: `${algorithmType}-model`,
    instance: problemInstanceOf(config),
    configurationId: configurationIdOf(config),
    ...fields,
  });
}
