import type { ModelType } from './models.ts';
import {
  placeCitiesOnCircle,
  createOneMax,
  type Problem,
  createSphere,
  createTravellingSalesman,
} from './problems.ts';
import { type AdaptiveSettings, adaptiveDefaults } from './adaptive.ts';

/** Problem of an experiment, with its size and the bounds of its initial points. */
export type ProblemPlan =
  | { type: 'onemax'; length: number }
  | { type: 'sphere'; length: number; lowerBound: number; upperBound: number }
  | { type: 'small-tsp'; size: number };

/**
 * Limits and target of a run; null for no limit or no target. The run ends after the first iteration that reaches one
 * of them.
 */
export interface StoppingPlan {
  maxIterations: number;
  maxEvaluations: number | null;
  targetFitness: number | null;
}

/** Experiment of the sample: one configuration, with one run per seed. */
export interface ExperimentPlan {
  /** Short name on the command line, and prefix of the run ids. */
  key: string;
  title: string;
  algorithm: 'umda' | 'pbil' | 'gaussian-eda' | 'ehm-eda';
  model: { type: ModelType; parameter: string; value: number };
  problem: ProblemPlan;
  populationSize: number;
  /** Share of the population that the search selects to fit the model; rounded to whole individuals, at least one. */
  selectionRatio: number;
  /** Number of best individuals that survive unchanged. */
  elitism: number;
  adaptive?: AdaptiveSettings;
  stopping: StoppingPlan;
  /** Iterations between two checkpoints; 0 for no checkpoints. */
  checkpointEveryIterations: number;
  /** Seed of the first run, a Java long. Each further run has the next seed. */
  firstSeed: bigint;
  /** Whether a sample has the requested number of runs of the experiment. If not, the sample has one run of it. */
  isRepeated: boolean;
  /** Iteration after which the sample requests a stop, as a user would. */
  stopIteration?: number;
}

/** Returns the problem of a plan. */
export function createProblem(plan: ProblemPlan): Problem {
  if (plan.type === 'onemax') return createOneMax(plan.length);
  if (plan.type === 'sphere') return createSphere(plan.length, plan.lowerBound, plan.upperBound);
  return createTravellingSalesman(placeCitiesOnCircle(plan.size));
}

const oneMax40 = {
  problem: { type: 'onemax', length: 40 },
  stopping: { maxIterations: 1000, maxEvaluations: 1200, targetFitness: 40 },
  checkpointEveryIterations: 0,
  firstSeed: 1001n,
  isRepeated: true,
  elitism: 1,
} as const;

const gaussianPlan = {
  algorithm: 'gaussian-eda',
  model: { type: 'gaussian-diag', parameter: 'minSigma', value: 1e-8 },
  elitism: 1,
  checkpointEveryIterations: 0,
} as const;

/** Experiments of the sample, in the order in which their runs start. */
export const sampleExperiments: readonly ExperimentPlan[] = [
  {
    ...oneMax40,
    key: 'onemax40-umda',
    title: 'OneMax 40, UMDA',
    algorithm: 'umda',
    model: { type: 'umda-bernoulli', parameter: 'smoothing', value: 0.0002 },
    populationSize: 24,
    selectionRatio: 0.4,
  },
  {
    ...oneMax40,
    key: 'onemax40-pbil',
    title: 'OneMax 40, PBIL',
    algorithm: 'pbil',
    model: { type: 'pbil-frequency', parameter: 'learningRate', value: 0.3 },
    populationSize: 60,
    selectionRatio: 0.4,
  },
  {
    ...gaussianPlan,
    key: 'sphere5-gauss',
    title: 'Sphere 5, Gaussian EDA',
    problem: { type: 'sphere', length: 5, lowerBound: -5.12, upperBound: 5.12 },
    populationSize: 60,
    selectionRatio: 0.35,
    stopping: { maxIterations: 1000, maxEvaluations: 650, targetFitness: 0.001 },
    firstSeed: 2001n,
    isRepeated: true,
  },
  {
    key: 'ring16-ehm',
    title: 'Ring of 16 cities, edge histogram',
    algorithm: 'ehm-eda',
    model: { type: 'ehm', parameter: 'epsilon', value: 0.05 },
    problem: { type: 'small-tsp', size: 16 },
    populationSize: 120,
    selectionRatio: 0.4,
    elitism: 2,
    stopping: { maxIterations: 40, maxEvaluations: null, targetFitness: 6.2429 },
    checkpointEveryIterations: 0,
    firstSeed: 3001n,
    isRepeated: true,
  },
  {
    ...gaussianPlan,
    key: 'sphere10-gauss',
    title: 'Sphere 10, Gaussian EDA, seeds beyond 2^53',
    problem: { type: 'sphere', length: 10, lowerBound: -5, upperBound: 5 },
    populationSize: 80,
    selectionRatio: 0.3,
    stopping: { maxIterations: 30, maxEvaluations: null, targetFitness: null },
    firstSeed: 7_134_074_521_766_642_662n,
    isRepeated: true,
  },
  {
    key: 'onemax30-adaptive',
    title: 'OneMax 30, adaptive PBIL',
    algorithm: 'pbil',
    model: { type: 'pbil-frequency', parameter: 'learningRate', value: 0.35 },
    problem: { type: 'onemax', length: 30 },
    populationSize: 60,
    selectionRatio: 0.25,
    elitism: 1,
    adaptive: adaptiveDefaults,
    stopping: { maxIterations: 30, maxEvaluations: null, targetFitness: null },
    checkpointEveryIterations: 0,
    firstSeed: 4001n,
    isRepeated: false,
  },
  {
    key: 'onemax60-stopped',
    title: 'OneMax 60, UMDA, stopped on request',
    algorithm: 'umda',
    model: { type: 'umda-bernoulli', parameter: 'smoothing', value: 0.01 },
    problem: { type: 'onemax', length: 60 },
    populationSize: 40,
    selectionRatio: 0.4,
    elitism: 1,
    stopping: { maxIterations: 200, maxEvaluations: null, targetFitness: null },
    checkpointEveryIterations: 10,
    firstSeed: 5001n,
    isRepeated: false,
    stopIteration: 34,
  },
  {
    ...gaussianPlan,
    key: 'sphere5-failing',
    title: 'Sphere 5, one selected individual (fails)',
    problem: { type: 'sphere', length: 5, lowerBound: -5.12, upperBound: 5.12 },
    populationSize: 20,
    selectionRatio: 0.05,
    stopping: { maxIterations: 50, maxEvaluations: null, targetFitness: null },
    firstSeed: 6001n,
    isRepeated: false,
  },
];
