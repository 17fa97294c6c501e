import type { Genotype, Problem } from './problems.ts';
import { at, countBy, entropyBits, mean, populationDeviation, range } from './statistics.ts';
import { createModel } from './models.ts';
import { createProblem, type ExperimentPlan, type StoppingPlan } from './experiments.ts';
import { createRandom } from './random.ts';
import { double, doubleRecord, type JavaObject } from '#server/recording/java-json.ts';
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
  /** Sorted, best first. */
  population: readonly Individual[];
  eliteSize: number;
  /** Best individual of the run so far. */
  bestSoFar: Individual;
  modelDiagnostics: Record<string, number>;
  /** Telemetry of the parents: one generation before the fitness values. */
  telemetry: LatentTelemetry;
  adaptiveActions: readonly AdaptiveAction[];
}

/** Returns best, mean and population standard deviation of the fitness of this generation. */
export function fitnessSummary({ population }: Generation): {
  best: number;
  mean: number;
  std: number;
} {
  const values = population.map(({ fitness }) => fitness);
  return { best: at(values, 0), mean: mean(values), std: populationDeviation(values) };
}

/** Returns the numbers for `metrics_json` by key, in the runner's order of keys. */
export function generationMetrics(generation: Generation): Record<string, number> {
  const { telemetry, evaluations, iteration, bestSoFar } = generation;
  return {
    ...fitnessSummary(generation),
    ...genotypeVariety(generation.population),
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
function genotypeVariety(population: readonly Individual[]): Record<string, number> {
  const counts = [...countBy(population.map(({ genotype }) => genotype.join())).values()];
  return {
    diversity: counts.length / population.length,
    entropy: entropyBits(counts.map((count) => count / population.length)),
  };
}

function addPrefix(prefix: string, values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [prefix + key, value]));
}

/** Returns the value of `diagnostics_json`. */
export function generationDiagnostics(generation: Generation): JavaObject {
  return {
    populationSize: generation.population.length,
    eliteSize: generation.eliteSize,
    modelDiagnostics: doubleRecord(generation.modelDiagnostics),
    latentTelemetry: telemetryJson(generation.telemetry),
    adaptiveActions: generation.adaptiveActions.map(actionJson),
  };
}

/** Returns the payload of an `iteration_completed` event, without run and time. */
export function generationPayload(generation: Generation): JavaObject {
  const { best, mean: average, std } = fitnessSummary(generation);
  return {
    iteration: generation.iteration,
    evaluations: generation.evaluations,
    populationSize: generation.population.length,
    eliteSize: generation.eliteSize,
    bestFitness: double(best),
    meanFitness: double(average),
    stdFitness: double(std),
    metrics: doubleRecord(generationMetrics(generation)),
    diagnostics: { numeric: doubleRecord(generation.modelDiagnostics) },
    latentTelemetry: telemetryJson(generation.telemetry),
    adaptiveActions: generation.adaptiveActions.map(actionJson),
  };
}

function telemetryJson(telemetry: LatentTelemetry): JavaObject {
  return {
    representationFamily: telemetry.representationFamily,
    metrics: doubleRecord(telemetry.metrics),
    insights: telemetry.insights,
    drift: doubleRecord(telemetry.drift),
    diversity: doubleRecord(telemetry.diversity),
  };
}

/** Returns an adaptive action in the runner's order of keys. */
export function actionJson({ trigger, actionType, reason, details }: AdaptiveAction): JavaObject {
  return { trigger, actionType, reason, details };
}

/** Minimum improvement, as a share of the best fitness: smaller ones count as stagnation. */
const smallestRelativeGain = 1e-12;

/** One run of an algorithm, generation by generation. The same plan and seed give the same generations. */
export interface Search {
  readonly problem: Problem;
  /** Evaluates the initial population. */
  start(): Generation;
  /** Computes the generation after `current`, which must be the newest. Throws the errors of the model. */
  advance(current: Generation): Generation;
}

/** Returns a search by the plan, which is not yet started. */
export function createSearch(plan: ExperimentPlan, seed: bigint): Search {
  const random = createRandom(seed);
  const problem = createProblem(plan.problem);
  const model = createModel(plan.model.type, plan.model.value);
  const observe = createObserver(problem.family, telemetryLimits);
  const eliteSize = Math.max(1, Math.round(plan.populationSize * plan.selectionRatio));
  const randomGenotype = () => problem.randomGenotype(random);
  let stagnantGenerations = 0;

  const observeGeneration = (population: readonly Individual[]) =>
    observe({
      population: genotypesOf(population),
      elite: genotypesOf(population.slice(0, eliteSize)),
      moments: model.moments?.(),
    });

  const drawOffspring = (actions: readonly AdaptiveAction[]): readonly Genotype[] => {
    const offspring = range(plan.populationSize).map(() => model.sample(random));
    if (!plan.adaptive) return offspring;
    return applyActions(offspring, actions, plan.adaptive, { random, genotype: randomGenotype });
  };

  return {
    problem,
    start() {
      const population = evaluateAndSort(range(plan.populationSize).map(randomGenotype), problem);
      return {
        iteration: 0,
        evaluations: population.length,
        population,
        eliteSize,
        bestSoFar: at(population, 0),
        modelDiagnostics: model.diagnostics(),
        telemetry: observeGeneration(population),
        adaptiveActions: [],
      };
    },
    advance({ iteration, evaluations, population: parents, bestSoFar }) {
      model.fit(genotypesOf(parents.slice(0, eliteSize)));
      const telemetry = observeGeneration(parents);
      const actions = plan.adaptive
        ? findDueActions(plan.adaptive, telemetry, iteration, stagnantGenerations)
        : [];
      if (actions.some(({ actionType }) => actionType === 'partial_restart'))
        stagnantGenerations = 0;
      const offspring = evaluateAndSort(drawOffspring(actions), problem);
      const population = replaceParents(parents, offspring, plan, problem);
      const best = at(population, 0);
      const hasImproved = isBetter(best, bestSoFar, problem);
      stagnantGenerations = hasImproved ? 0 : stagnantGenerations + 1;
      return {
        iteration: iteration + 1,
        evaluations: evaluations + offspring.length,
        population,
        eliteSize,
        bestSoFar: hasImproved ? best : bestSoFar,
        modelDiagnostics: model.diagnostics(),
        telemetry,
        adaptiveActions: actions,
      };
    },
  };
}

/** Returns whether the run ends with this generation: it has used its iterations or evaluations, or reached its target. */
export function isFinished(
  generation: Generation,
  stopping: StoppingPlan,
  minimised: boolean,
): boolean {
  const { maxIterations, maxEvaluations, targetFitness } = stopping;
  const best = generation.bestSoFar.fitness;
  return (
    generation.iteration >= maxIterations ||
    (maxEvaluations !== null && generation.evaluations >= maxEvaluations) ||
    (targetFitness !== null && (minimised ? best <= targetFitness : best >= targetFitness))
  );
}

function genotypesOf(individuals: readonly Individual[]): Genotype[] {
  return individuals.map(({ genotype }) => genotype);
}

function evaluateAndSort(genotypes: readonly Genotype[], problem: Problem): Individual[] {
  return sortByFitness(
    genotypes.map((genotype) => ({ genotype, fitness: problem.evaluate(genotype) })),
    problem,
  );
}

function sortByFitness(individuals: Individual[], { minimised }: Problem): Individual[] {
  return individuals.sort((a, b) => (minimised ? a.fitness - b.fitness : b.fitness - a.fitness));
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

function isBetter(candidate: Individual, champion: Individual, { minimised }: Problem): boolean {
  const gain = minimised
    ? champion.fitness - candidate.fitness
    : candidate.fitness - champion.fitness;
  return gain > smallestRelativeGain * Math.max(1, Math.abs(champion.fitness));
}
