import { makeAdaptiveParams } from './adaptive.ts';
import { toDouble, toDoubleList, type JavaObject, sortKeys } from '#server/recording/recorder.ts';
import type { ExperimentPlan, ProblemPlan } from './experiments.ts';
import { placeCitiesOnCircle } from './problems.ts';

/** Section of the runner's configuration that names the database. */
export interface ConfiguredDatabase {
  url: string;
  user: string;
  password: string;
}

/**
 * Returns the full configuration of an experiment with sorted keys. It contains no value that differs between the runs
 * of the experiment.
 */
export function createConfig(plan: ExperimentPlan, database: ConfiguredDatabase): JavaObject {
  const params = makeProblemParams(plan.problem);
  const config = {
    ...constantSections,
    algorithm: { type: plan.algorithm, params: makeAlgorithmParams(plan) },
    model: {
      type: plan.model.type,
      params: { [plan.model.parameter]: toDouble(plan.model.value) },
    },
    persistence: makePersistence(database),
    problem: { type: plan.problem.type, params: params.problem },
    representation: { type: representationTypes[plan.problem.type], params: params.representation },
    run: {
      checkpointEveryIterations: plan.checkpointEveryIterations,
      deterministicStreams: true,
      name: plan.title,
      runCount: 1,
    },
    stopping: makeStoppingSection(plan),
  };
  return sortKeys(config) as JavaObject;
}

const constantSections = {
  constraints: { params: {}, type: 'identity' },
  grammar: { options: {} },
  localSearch: { params: {}, type: 'none' },
  logging: { modes: ['db'], verbosity: 'quiet' },
  niching: { params: {}, type: 'none' },
  observability: { emitModelDiagnostics: true, metricsEveryIterations: 1 },
  replacement: { params: {}, type: 'elitist' },
  reporting: { enabled: false, formats: ['html'], outputDirectory: './reports' },
  restart: { params: {}, type: 'none' },
  schema: '3.0',
  selection: { params: {}, type: 'truncation' },
  web: { enabled: false, pollSeconds: 3, port: 7070 },
};

const representationTypes = {
  onemax: 'bitstring',
  sphere: 'real-vector',
  'small-tsp': 'permutation-vector',
} as const;

function makePersistence(database: ConfiguredDatabase): JavaObject {
  return {
    bundleArtifacts: false,
    database: { enabled: true, ...database },
    enabled: true,
    outputDirectory: './results',
    sinks: ['db'],
  };
}

function makeAlgorithmParams(plan: ExperimentPlan): JavaObject {
  return {
    elitism: plan.elitism,
    latentDependencyTopK: telemetryLimits.dependencyTopK,
    latentTopK: telemetryLimits.topK,
    populationSize: plan.populationSize,
    selectionRatio: toDouble(plan.selectionRatio),
    ...(plan.adaptive && makeAdaptiveParams(plan.adaptive)),
  };
}

/** Limits of the telemetry that the runs of the sample store. */
export const telemetryLimits = { topK: 5, dependencyTopK: 8 };

function makeProblemParams(plan: ProblemPlan): { problem: JavaObject; representation: JavaObject } {
  if (plan.type === 'onemax') return { problem: {}, representation: { length: plan.length } };
  if (plan.type === 'small-tsp') {
    const coordinates = placeCitiesOnCircle(plan.size).map(toDoubleList);
    return { problem: { coordinates }, representation: { size: plan.size } };
  }
  const { length, lowerBound, upperBound } = plan;
  return {
    problem: {},
    representation: { length, lower: toDouble(lowerBound), upper: toDouble(upperBound) },
  };
}

function makeStoppingSection({ stopping }: ExperimentPlan): JavaObject {
  const { maxEvaluations, maxIterations, targetFitness } = stopping;
  const isBounded = maxEvaluations !== null || targetFitness !== null;
  return {
    maxEvaluations,
    maxIterations,
    targetFitness: targetFitness === null ? null : toDouble(targetFitness),
    type: isBounded ? 'budget-or-target' : 'max-iterations',
  };
}
