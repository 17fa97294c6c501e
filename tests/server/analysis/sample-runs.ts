import type { AnalysedExperiment, AnalysedRun, Objective } from '#server/analysis/model.ts';
import type { RunRecord } from '#server/repositories/analysis.ts';
import { getStatedObjective } from '#server/domain/objective.ts';
import { getConfigurationId, getProblemInstance } from '#server/domain/problem-instance.ts';
import { getTrace } from '#server/domain/trace.ts';

/** A run with its iterations as [evaluations, fitness of the population]. */
export interface RunWithIterations {
  run: RunRecord;
  iterations: [evaluations: number, fitness: number | null][];
}

/** Returns a completed run of experiment `e1` that used all evaluations of its iterations. */
export function makeRun(
  runId: string,
  iterations: RunWithIterations['iterations'],
  fields: Partial<RunRecord> = {},
): RunWithIterations {
  const run: RunRecord = {
    runId,
    experimentId: 'e1',
    seed: Number(runId.replace(/\D/g, '')) || null,
    status: 'COMPLETED',
    startTime: '2026-01-01T00:00:00Z',
    trialBudget: null,
    evaluations: iterations.at(-1)?.[0] ?? null,
    bestFitness: null,
    runtimeMillis: 10,
    isResumed: false,
    hasMlflowSteps: false,
    newestIteration: iterations.length - 1,
    version: '',
    lineage: null,
    ...fields,
  };
  return { run: Object.freeze(run), iterations };
}

/** Returns the runs with their traces in a direction. */
export function addTraces(
  runs: readonly RunWithIterations[],
  { direction }: Pick<Objective, 'direction'>,
): readonly AnalysedRun[] {
  return Object.freeze(
    runs.map(({ run, iterations }) => {
      const pairs = iterations.flatMap(([evaluations, fitness]) => [evaluations, fitness ?? NaN]);
      return Object.freeze({ ...run, trace: getTrace(Float64Array.from(pairs), direction) });
    }),
  );
}

/** Returns an objective whose direction is that of the problem type. */
export function makeObjective(
  direction: Objective['direction'],
  targetFitness: number | null,
): Objective {
  const targetSource = targetFitness === null ? 'none' : 'config';
  return Object.freeze({ direction, directionSource: 'problem', targetFitness, targetSource });
}

/** Returns an experiment on a problem with `length` variables. */
export function makeExperiment(
  experimentId: string,
  algorithmType: string,
  length = 40,
  fields: Partial<AnalysedExperiment> = {},
): AnalysedExperiment {
  const configJson = JSON.stringify({
    problem: { type: 'onemax', params: {} },
    representation: { type: 'bitstring', params: { length } },
    algorithm: { type: algorithmType },
    run: { name: experimentId },
  });
  return Object.freeze({
    experimentId,
    runName: null,
    problemType: 'onemax',
    algorithmType,
    modelType: `${algorithmType}-model`,
    configJson,
    instance: getProblemInstance(configJson),
    configurationId: getConfigurationId(configJson),
    budget: { evaluations: null, iterations: null },
    ...getStatedObjective(configJson),
    ...fields,
  });
}

/** Returns runs that reach 40 after these numbers of evaluations; a run with null ends at 39 after 1,000. */
export function makeReachingRuns(
  experimentId: string,
  times: (number | null)[],
  fields: Partial<RunWithIterations['run']> = {},
): RunWithIterations[] {
  return times.map((time, index) => {
    const bestFitness = time === null ? 39 : 40;
    const iterations: [number, number][] = [
      [5, 20],
      [time ?? 1_000, bestFitness],
    ];
    return makeRun(`${experimentId}-${index}`, iterations, {
      experimentId,
      bestFitness,
      ...fields,
    });
  });
}
