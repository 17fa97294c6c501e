import type { Genotype, Problem } from './problems.ts';
import {
  getAt,
  countBy,
  computeEntropyBits,
  computeMean,
  computeDeviation,
  listIndices,
} from './statistics.ts';
import { createModel } from './models.ts';
import { createProblem, type ExperimentPlan, type StoppingPlan } from './experiments.ts';
import { createRandom } from './random.ts';
import { toDouble, toDoubles, type JavaObject } from '#server/recording/recorder.ts';
import { telemetryLimits } from './config.ts';
import { type AdaptiveAction, applyActions, findDueActions } from './adaptive.ts';
import { type LatentTelemetry, createObserver } from './telemetry.ts';

/** Genotype with its fitness. */
export interface Individual {
  genotype: Genotype;
  fitness: number;
}

/** State of a search after an iteration. Iteration 0 is the initial population. */
export interface Generation {
  iteration: number;
  /** Evaluations since the start of the run, including this generation. */
  evaluations: number;
  /** Individuals of the generation, best first. */
  population: readonly Individual[];
  eliteSize: number;
  /**
   * Best individual of the run so far. A better individual replaces it only if the gain exceeds {@link
   * minimumRelativeGain}.
   */
  bestSoFar: Individual;
  modelDiagnostics: Record<string, number>;
  /**
   * Telemetry of the parents, one generation before the fitness values. In iteration 0, telemetry of the population.
   */
  telemetry: LatentTelemetry;
  adaptiveActions: readonly AdaptiveAction[];
}

/** Returns best, mean and population standard deviation of the fitness of this generation. */
export function summariseFitness({ population }: Generation): {
  best: number;
  mean: number;
  std: number;
} {
  const values = population.map(({ fitness }) => fitness);
  return { best: getAt(values, 0), mean: computeMean(values), std: computeDeviation(values) };
}

/** Returns the metrics of a generation by key, in the runner's order of keys. */
export function measureGeneration(generation: Generation): Record<string, number> {
  const { telemetry, evaluations, iteration, bestSoFar } = generation;
  return {
    ...summariseFitness(generation),
    ...measureVariety(generation.population),
    objective_count: 1,
    best_obj_0: bestSoFar.fitness,
    evaluations,
    iteration,
    ...telemetry.metrics,
    ...addPrefix('drift_', telemetry.drift),
    ...addPrefix('diversity_', telemetry.diversity),
    adaptive_event_count: generation.adaptiveActions.length,
  };
}

/** Returns the share of distinct genotypes, and the entropy in bits of their frequencies. */
function measureVariety(population: readonly Individual[]): Record<string, number> {
  const counts = [...countBy(population.map(({ genotype }) => genotype.join())).values()];
  return {
    diversity: counts.length / population.length,
    entropy: computeEntropyBits(counts.map((count) => count / population.length)),
  };
}

function addPrefix(prefix: string, values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [prefix + key, value]));
}

/** Returns the value of `diagnostics_json`. */
export function makeGenerationDiagnostics(generation: Generation): JavaObject {
  return {
    populationSize: generation.population.length,
    eliteSize: generation.eliteSize,
    modelDiagnostics: toDoubles(generation.modelDiagnostics),
    latentTelemetry: toTelemetryJson(generation.telemetry),
    adaptiveActions: generation.adaptiveActions.map(toActionJson),
  };
}

/** Returns the payload of an `iteration_completed` event, without run and time. */
export function makeGenerationPayload(generation: Generation): JavaObject {
  const { best, mean, std } = summariseFitness(generation);
  return {
    iteration: generation.iteration,
    evaluations: generation.evaluations,
    populationSize: generation.population.length,
    eliteSize: generation.eliteSize,
    bestFitness: toDouble(best),
    meanFitness: toDouble(mean),
    stdFitness: toDouble(std),
    metrics: toDoubles(measureGeneration(generation)),
    diagnostics: { numeric: toDoubles(generation.modelDiagnostics) },
    latentTelemetry: toTelemetryJson(generation.telemetry),
    adaptiveActions: generation.adaptiveActions.map(toActionJson),
  };
}

function toTelemetryJson(telemetry: LatentTelemetry): JavaObject {
  return {
    representationFamily: telemetry.representationFamily,
    metrics: toDoubles(telemetry.metrics),
    insights: telemetry.insights,
    drift: toDoubles(telemetry.drift),
    diversity: toDoubles(telemetry.diversity),
  };
}

/** Returns an adaptive action in the runner's order of keys. */
export function toActionJson({ trigger, actionType, reason, details }: AdaptiveAction): JavaObject {
  return { trigger, actionType, reason, details };
}

/**
 * Share of the absolute best fitness, or of 1 if 1 is larger, that the gain of an improvement must exceed. Otherwise,
 * the generation counts as stagnant.
 */
const minimumRelativeGain = 1e-12;

/** One run of an algorithm, generation by generation. The same plan and seed give the same generations. */
export interface Search {
  readonly problem: Problem;
  /** Evaluates the initial population. */
  start(): Generation;
  /** Computes the generation after `current`, which must be the newest. Throws the errors of the model. */
  advance(current: Generation): Generation;
}

/** Returns a search that follows the plan and is not yet started. */
export function createSearch(plan: ExperimentPlan, seed: bigint): Search {
  const random = createRandom(seed);
  const problem = createProblem(plan.problem);
  const model = createModel(plan.model.type, plan.model.value);
  const observe = createObserver(problem.family, telemetryLimits);
  const eliteSize = Math.max(1, Math.round(plan.populationSize * plan.selectionRatio));
  const drawGenotype = () => problem.drawGenotype(random);
  let stagnantGenerationCount = 0;

  const observeGeneration = (population: readonly Individual[]) =>
    observe({
      population: getGenotypes(population),
      elite: getGenotypes(population.slice(0, eliteSize)),
      moments: model.getMoments?.(),
    });

  const drawOffspring = (actions: readonly AdaptiveAction[]): readonly Genotype[] => {
    const offspring = listIndices(plan.populationSize).map(() => model.drawSample(random));
    if (!plan.adaptive) return offspring;
    return applyActions(offspring, actions, plan.adaptive, { random, drawGenotype });
  };

  return {
    problem,
    start() {
      const population = evaluateAndSort(
        listIndices(plan.populationSize).map(drawGenotype),
        problem,
      );
      return {
        iteration: 0,
        evaluations: population.length,
        population,
        eliteSize,
        bestSoFar: getAt(population, 0),
        modelDiagnostics: model.getDiagnostics(),
        telemetry: observeGeneration(population),
        adaptiveActions: [],
      };
    },
    advance({ iteration, evaluations, population: parents, bestSoFar }) {
      model.fit(getGenotypes(parents.slice(0, eliteSize)));
      const telemetry = observeGeneration(parents);
      const actions = plan.adaptive
        ? findDueActions(plan.adaptive, telemetry, iteration, stagnantGenerationCount)
        : [];
      if (actions.some(({ actionType }) => actionType === 'partial_restart'))
        stagnantGenerationCount = 0;
      const offspring = evaluateAndSort(drawOffspring(actions), problem);
      const population = replaceParents(parents, offspring, plan, problem);
      const bestIndividual = getAt(population, 0);
      const hasImproved = isBetter(bestIndividual, bestSoFar, problem);
      stagnantGenerationCount = hasImproved ? 0 : stagnantGenerationCount + 1;
      return {
        iteration: iteration + 1,
        evaluations: evaluations + offspring.length,
        population,
        eliteSize,
        bestSoFar: hasImproved ? bestIndividual : bestSoFar,
        modelDiagnostics: model.getDiagnostics(),
        telemetry,
        adaptiveActions: actions,
      };
    },
  };
}

/** Returns whether the run has used its iterations or evaluations, or reached its target, with this generation. */
export function isFinished(
  generation: Generation,
  stopping: StoppingPlan,
  isMinimised: boolean,
): boolean {
  const { maxIterations, maxEvaluations, targetFitness } = stopping;
  const bestFitness = generation.bestSoFar.fitness;
  return (
    generation.iteration >= maxIterations ||
    (maxEvaluations !== null && generation.evaluations >= maxEvaluations) ||
    (targetFitness !== null &&
      (isMinimised ? bestFitness <= targetFitness : bestFitness >= targetFitness))
  );
}

function getGenotypes(individuals: readonly Individual[]): Genotype[] {
  return individuals.map(({ genotype }) => genotype);
}

function evaluateAndSort(genotypes: readonly Genotype[], problem: Problem): Individual[] {
  return sortByFitness(
    genotypes.map((genotype) => ({ genotype, fitness: problem.evaluate(genotype) })),
    problem,
  );
}

function sortByFitness(individuals: Individual[], { isMinimised }: Problem): Individual[] {
  return individuals.sort((a, b) => (isMinimised ? a.fitness - b.fitness : b.fitness - a.fitness));
}

function replaceParents(
  parents: readonly Individual[],
  offspring: readonly Individual[],
  { elitism, populationSize }: ExperimentPlan,
  problem: Problem,
): Individual[] {
  const survivors = parents.slice(0, elitism);
  return sortByFitness(
    [...survivors, ...offspring.slice(0, populationSize - survivors.length)],
    problem,
  );
}

function isBetter(candidate: Individual, bestSoFar: Individual, { isMinimised }: Problem): boolean {
  const gain = isMinimised
    ? bestSoFar.fitness - candidate.fitness
    : candidate.fitness - bestSoFar.fitness;
  return gain > minimumRelativeGain * Math.max(1, Math.abs(bestSoFar.fitness));
}
