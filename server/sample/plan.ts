import type { AdaptiveSettings } from './adaptive.ts';
import type { ModelType } from './models.ts';
import { circleOfCities, oneMax, type Problem, sphere, travellingSalesman } from './problems.ts';

/** Which problem an experiment is about, and how large. */
export type ProblemPlan =
  | { type: 'onemax'; length: number }
  | { type: 'sphere'; length: number; lower: number; upper: number }
  | { type: 'small-tsp'; size: number };

/** When a run ends; the first that holds. Null never does. */
export interface StoppingPlan {
  maxIterations: number;
  maxEvaluations: number | null;
  targetFitness: number | null;
}

/** An experiment of the sample: one configuration, run once per seed. */
export interface ExperimentPlan {
  /** Short name for the command line; also begins the run ids. */
  key: string;
  title: string;
  algorithm: 'umda' | 'pbil' | 'gaussian-eda' | 'ehm-eda';
  model: { type: ModelType; parameter: string; value: number };
  problem: ProblemPlan;
  populationSize: number;
  /** Share of the population that the model learns from. */
  selectionRatio: number;
  /** So many of the best live on unchanged. */
  elitism: number;
  adaptive?: AdaptiveSettings;
  stopping: StoppingPlan;
  /** 0 = never. */
  checkpointEveryIterations: number;
  /** Runs count up from here. A Java long. */
  firstSeed: bigint;
  /** False: one run, whatever number of seeds is asked for. */
  repeated: boolean;
  /** After this iteration a stop is requested, as a user would from outside. */
  stopRequestedAfter?: number;
}

/** The problem that a plan describes. */
export function createProblem(plan: ProblemPlan): Problem {
  if (plan.type === 'onemax') return oneMax(plan.length);
  if (plan.type === 'sphere') return sphere(plan.length, plan.lower, plan.upper);
  return travellingSalesman(circleOfCities(plan.size));
}
