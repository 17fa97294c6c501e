import type { AdaptiveAction } from './adaptive.ts';
import { double, doubleRecord, type JavaObject } from '#server/recording/java-json.ts';
import type { Genotype } from './problems.ts';
import { at, countBy, entropyBits, mean, populationDeviation } from './statistics.ts';
import type { LatentTelemetry } from './telemetry/view.ts';

export interface Individual {
  genotype: Genotype;
  fitness: number;
}

/** All that is known after an iteration; 0 is the initial population. */
export interface Generation {
  iteration: number;
  /** Since the start of the run, this generation included. */
  evaluations: number;
  /** Sorted, best first. */
  population: readonly Individual[];
  eliteSize: number;
  /** Best of the whole run so far. */
  bestSoFar: Individual;
  modelDiagnostics: Record<string, number>;
  /** Of the parents: it lags one generation behind the fitness values. */
  telemetry: LatentTelemetry;
  adaptiveActions: readonly AdaptiveAction[];
}

/** Best, mean and population standard deviation of the fitness of this generation. */
export function fitnessSummary({ population }: Generation): {
  best: number;
  mean: number;
  std: number;
} {
  const values = population.map(({ fitness }) => fitness);
  return { best: at(values, 0), mean: mean(values), std: populationDeviation(values) };
}

/** The flat map of numbers that `metrics_json` holds, in the runner's order of keys. */
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
    ...prefixed('drift_', telemetry.drift),
    ...prefixed('diversity_', telemetry.diversity),
    adaptive_event_count: generation.adaptiveActions.length,
  };
}

/** Share of different genotypes, and the entropy in bits of their frequencies. */
function genotypeVariety(population: readonly Individual[]): Record<string, number> {
  const counts = [...countBy(population.map(({ genotype }) => genotype.join())).values()];
  return {
    diversity: counts.length / population.length,
    entropy: entropyBits(counts.map((count) => count / population.length)),
  };
}

function prefixed(prefix: string, values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [prefix + key, value]));
}

/** What `diagnostics_json` holds. */
export function generationDiagnostics(generation: Generation): JavaObject {
  return {
    populationSize: generation.population.length,
    eliteSize: generation.eliteSize,
    modelDiagnostics: doubleRecord(generation.modelDiagnostics),
    latentTelemetry: telemetryJson(generation.telemetry),
    adaptiveActions: generation.adaptiveActions.map(actionJson),
  };
}

/** What an `iteration_completed` event tells besides its run and time. */
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

/** An adaptive action in the runner's order of keys. */
export function actionJson({ trigger, actionType, reason, details }: AdaptiveAction): JavaObject {
  return { trigger, actionType, reason, details };
}
