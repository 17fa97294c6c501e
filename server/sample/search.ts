import { type AdaptiveAction, applyActions, dueActions } from './adaptive.ts';
import { telemetryLimits } from './config.ts';
import type { Generation, Individual } from './generation.ts';
import { createModel } from './models.ts';
import { createProblem, type ExperimentPlan, type StoppingPlan } from './plan.ts';
import type { Genotype, Problem } from './problems.ts';
import { createRandom } from './random.ts';
import { at, range } from './statistics.ts';
import { createObserver } from './telemetry/observe.ts';

/** Gains below this share of the best fitness count as stagnation. */
const smallestRelativeGain = 1e-12;

/** One run of an algorithm, in steps. The same plan and seed give the same generations. */
export interface Search {
  readonly problem: Problem;
  /** Evaluates the initial population. */
  start(): Generation;
  /** Computes the generation after this one, which must be the latest. Throws what the model throws. */
  advance(current: Generation): Generation;
}

/** A search according to the plan, not yet started. */
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
      const population = ranked(range(plan.populationSize).map(randomGenotype), problem);
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
        ? dueActions(plan.adaptive, telemetry, iteration, stagnantGenerations)
        : [];
      if (actions.some(({ actionType }) => actionType === 'partial_restart'))
        stagnantGenerations = 0;
      const offspring = ranked(drawOffspring(actions), problem);
      const population = replaced(parents, offspring, plan, problem);
      const best = at(population, 0);
      const gained = isBetter(best, bestSoFar, problem);
      stagnantGenerations = gained ? 0 : stagnantGenerations + 1;
      return {
        iteration: iteration + 1,
        evaluations: evaluations + offspring.length,
        population,
        eliteSize,
        bestSoFar: gained ? best : bestSoFar,
        modelDiagnostics: model.diagnostics(),
        telemetry,
        adaptiveActions: actions,
      };
    },
  };
}

/** Whether the run ends with this generation: iterations or evaluations used up, or the target reached. */
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

function ranked(genotypes: readonly Genotype[], problem: Problem): Individual[] {
  return sorted(
    genotypes.map((genotype) => ({ genotype, fitness: problem.evaluate(genotype) })),
    problem,
  );
}

function sorted(individuals: Individual[], { minimised }: Problem): Individual[] {
  return individuals.sort((a, b) => (minimised ? a.fitness - b.fitness : b.fitness - a.fitness));
}

function replaced(
  parents: readonly Individual[],
  offspring: readonly Individual[],
  { elitism, populationSize }: ExperimentPlan,
  problem: Problem,
): Individual[] {
  const survivors = parents.slice(0, elitism);
  return sorted([...survivors, ...offspring.slice(0, populationSize - survivors.length)], problem);
}

function isBetter(candidate: Individual, champion: Individual, { minimised }: Problem): boolean {
  const gain = minimised
    ? champion.fitness - candidate.fitness
    : candidate.fitness - champion.fitness;
  return gain > smallestRelativeGain * Math.max(1, Math.abs(champion.fitness));
}
