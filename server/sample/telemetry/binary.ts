import { bitFrequencies } from '#server/sample/bernoulli-models.ts';
import { double, doubles } from '#server/recording/java-json.ts';
import type { Genotype } from '#server/sample/problems.ts';
import {
  at,
  binaryEntropy,
  euclideanDistance,
  mean,
  pairDistances,
  sum,
} from '#server/sample/statistics.ts';
import { type Dependency, dependencyClusters, strongestDependencies } from './dependencies.ts';
import { type Observation, type PopulationView, type TelemetryLimits, topIndices } from './view.ts';

const pairSampleLimit = 1200;
const fixationMargin = 0.02;
const smallestProbability = 1e-12;

export interface BinaryState {
  probabilities: number[];
  meanEntropy: number;
}

/** Telemetry of bit strings; drift is 0 where there is no generation before. */
export function observeBinary(
  { population, elite }: PopulationView,
  previous: BinaryState | undefined,
  { topK, dependencyTopK }: TelemetryLimits,
): Observation<BinaryState> {
  const probabilities = bitFrequencies(elite);
  const entropies = probabilities.map(binaryEntropy);
  const dependencies = strongestDependencies(elite, dependencyTopK);
  const state = { probabilities, meanEntropy: mean(entropies) };
  return {
    state,
    telemetry: {
      representationFamily: 'binary',
      metrics: metricsOf(probabilities, entropies, dependencies),
      insights: insightsOf(probabilities, entropies, dependencies, topK),
      drift: binaryDrift(state, previous ?? state),
      diversity: {
        hamming_population: mean(pairDistances(population, hammingDistance, pairSampleLimit)),
        hamming_elite: mean(pairDistances(elite, hammingDistance, pairSampleLimit)),
      },
    },
  };
}

/** Share of positions in which two bit strings differ. */
export function hammingDistance(a: Genotype, b: Genotype): number {
  let different = 0;
  a.forEach((bit, index) => (different += bit === b[index] ? 0 : 1));
  return different / a.length;
}

/**
 * How far the marginals moved since the generation before: L1, L2, Kullback-Leibler divergence of the
 * current from the previous one in nats, summed over the bits, and the loss of mean entropy in bits.
 * Probabilities are kept 1e-12 away from 0 and 1, so the divergence is finite.
 */
export function binaryDrift(current: BinaryState, previous: BinaryState): Record<string, number> {
  const pairs = current.probabilities.map(
    (p, bit) => [p, at(previous.probabilities, bit)] as const,
  );
  return {
    binary_prob_l1: sum(pairs.map(([p, q]) => Math.abs(p - q))),
    binary_prob_l2: euclideanDistance(current.probabilities, previous.probabilities),
    binary_prob_kl: sum(pairs.map(([p, q]) => bernoulliDivergence(p, q))),
    binary_entropy_delta: previous.meanEntropy - current.meanEntropy,
  };
}

function bernoulliDivergence(p: number, q: number): number {
  const [a, b] = [inside(p), inside(q)];
  return a * Math.log(a / b) + (1 - a) * Math.log((1 - a) / (1 - b));
}

function inside(probability: number): number {
  return Math.min(1 - smallestProbability, Math.max(smallestProbability, probability));
}

function certainty(probability: number): number {
  return 2 * Math.abs(probability - 0.5);
}

function metricsOf(
  probabilities: readonly number[],
  entropies: readonly number[],
  dependencies: readonly Dependency[],
): Record<string, number> {
  const fixed = probabilities.filter((p) => p < fixationMargin || p > 1 - fixationMargin);
  return {
    binary_length: probabilities.length,
    binary_mean_probability: mean(probabilities),
    binary_mean_entropy: mean(entropies),
    binary_min_entropy: Math.min(...entropies),
    binary_max_entropy: Math.max(...entropies),
    binary_fixation_ratio: fixed.length / probabilities.length,
    binary_mean_certainty: mean(probabilities.map(certainty)),
    binary_dependency_max: Math.max(0, ...dependencies.map(({ weight }) => weight)),
  };
}

function insightsOf(
  probabilities: readonly number[],
  entropies: readonly number[],
  dependencies: readonly Dependency[],
  topK: number,
) {
  const certainties = probabilities.map(certainty);
  return {
    probabilities: doubles(probabilities),
    entropyPerBit: doubles(entropies),
    topDecidedBits: topIndices(certainties, topK).map((index) => ({
      index,
      certainty: double(at(certainties, index)),
      probability: double(at(probabilities, index)),
    })),
    topUncertainBits: topIndices(entropies, topK).map((index) => ({
      index,
      entropy: double(at(entropies, index)),
    })),
    dependencyEdges: dependencies.map(({ i, j, weight, correlation }) => ({
      i,
      j,
      weight: double(weight),
      correlation: double(correlation),
    })),
    dependencyClusters: dependencyClusters(dependencies),
  };
}
