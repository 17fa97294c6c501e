import type { Genotype } from './problems.ts';
import type { Random } from './random.ts';
import { at, binaryEntropy, mean, range, sum, entropyBits } from './statistics.ts';

/** A probabilistic model of good solutions. */
export interface Model {
  /** Learns from the selected individuals, best first. Throws when there are too few of them. */
  fit(elite: readonly Genotype[]): void;
  /** Draws a new solution; only after `fit`. */
  sample(random: Random): Genotype;
  /** What the runner reports of the model; empty before the first `fit`. */
  diagnostics(): Record<string, number>;
  /** Mean and deviation per coordinate of a model that has them; undefined before the first `fit`. */
  moments?(): { means: readonly number[]; sigmas: readonly number[] } | undefined;
}

/** Names of the models, as configurations hold them. */
export type ModelType = 'umda-bernoulli' | 'pbil-frequency' | 'gaussian-diag' | 'ehm';

const creators: Record<ModelType, (parameter: number) => Model> = {
  'umda-bernoulli': createUmda,
  'pbil-frequency': createPbil,
  'gaussian-diag': createGaussian,
  ehm: createEdgeHistogram,
};

/** A model that has learnt nothing yet. `parameter` is the one setting that it has. */
export function createModel(type: ModelType, parameter: number): Model {
  return creators[type](parameter);
}

/** Share of ones per bit. */
export function bitFrequencies(genotypes: readonly Genotype[]): number[] {
  const length = at(genotypes, 0).length;
  return range(length).map((bit) => mean(genotypes.map((genotype) => at(genotype, bit))));
}

function sampleBits(probabilities: readonly number[], random: Random): Genotype {
  return probabilities.map((p) => (random.uniform() < p ? 1 : 0));
}

/** Univariate marginals, kept `smoothing` away from 0 and 1 (Mühlenbein and Paaß 1996). */
function createUmda(smoothing: number): Model {
  let probabilities: number[] = [];
  return {
    fit(elite) {
      probabilities = bitFrequencies(elite).map((p) => p * (1 - 2 * smoothing) + smoothing);
    },
    sample: (random) => sampleBits(probabilities, random),
    diagnostics: (): Record<string, number> =>
      probabilities.length === 0
        ? {}
        : {
            model_entropy: sum(probabilities.map(binaryEntropy)),
            model_mean_probability: mean(probabilities),
          },
  };
}

/** Marginals that move towards the elite's by `learningRate` in every generation (Baluja 1994). */
function createPbil(learningRate: number): Model {
  let probabilities: number[] = [];
  return {
    fit(elite) {
      probabilities = bitFrequencies(elite).map((frequency, bit) => {
        const before = probabilities[bit] ?? 0.5;
        return before * (1 - learningRate) + frequency * learningRate;
      });
    },
    sample: (random) => sampleBits(probabilities, random),
    diagnostics: (): Record<string, number> =>
      probabilities.length === 0
        ? {}
        : { pbil_learning_rate: learningRate, pbil_mean_probability: mean(probabilities) },
  };
}

/**
 * An edge histogram of tours (EHBSA without template, Tsutsui 2002): counts how often city b follows a,
 * cyclically, adds `epsilon` to every count, and draws tours city by city in proportion to the counts.
 */
function createEdgeHistogram(epsilon: number): Model {
  let weights: number[][] = [];
  return {
    fit(elite) {
      weights = successorCounts(elite).map((row, from) =>
        row.map((count, to) => (from === to ? 0 : count + epsilon)),
      );
    },
    sample: (random) => sampleTour(weights, random),
    diagnostics: (): Record<string, number> =>
      weights.length === 0
        ? {}
        : { ehm_entropy: sum(weights.map(rowEntropy)), ehm_size: weights.length },
  };
}

function successorCounts(tours: readonly Genotype[]): number[][] {
  const size = at(tours, 0).length;
  const counts = range(size).map(() => range(size).map(() => 0));
  for (const tour of tours) {
    tour.forEach((city, index) => {
      const row = at(counts, city);
      const next = at(tour, (index + 1) % size);
      row[next] = at(row, next) + 1;
    });
  }
  return counts;
}

function rowEntropy(row: readonly number[]): number {
  const total = sum(row);
  return entropyBits(row.map((weight) => weight / total));
}

function sampleTour(weights: readonly number[][], random: Random): Genotype {
  const tour = [random.below(weights.length)];
  const left = new Set(range(weights.length).filter((city) => city !== tour[0]));
  while (left.size > 0) {
    const next = drawNext(at(weights, at(tour, tour.length - 1)), [...left], random);
    tour.push(next);
    left.delete(next);
  }
  return tour;
}

function drawNext(row: readonly number[], candidates: readonly number[], random: Random): number {
  let point = random.uniform() * sum(candidates.map((city) => at(row, city)));
  for (const city of candidates) {
    point -= at(row, city);
    if (point < 0) return city;
  }
  return at(candidates, candidates.length - 1);
}

/** Mean and sample standard deviation (n − 1) per coordinate; a single point deviates by 0. */
export function coordinateMoments(points: readonly Genotype[]): {
  means: number[];
  sigmas: number[];
} {
  const columns = range(at(points, 0).length).map((i) => points.map((point) => at(point, i)));
  const means = columns.map(mean);
  const sigmas = columns.map((column, i) => {
    const squares = column.map((value) => (value - at(means, i)) ** 2);
    return Math.sqrt(sum(squares) / Math.max(1, column.length - 1));
  });
  return { means, sigmas };
}

/** Independent normals per coordinate, no narrower than `minSigma` (Larrañaga et al. 2000). */
function createGaussian(minSigma: number): Model {
  let means: number[] = [];
  let sigmas: number[] = [];
  return {
    fit(elite) {
      if (elite.length < 2) {
        throw new Error(`gaussian-diag needs at least 2 selected individuals, got ${elite.length}`);
      }
      const moments = coordinateMoments(elite);
      means = moments.means;
      sigmas = moments.sigmas.map((sigma) => Math.max(sigma, minSigma));
    },
    sample: (random) => means.map((value, i) => value + at(sigmas, i) * random.normal()),
    diagnostics: () => gaussianDiagnostics(sigmas),
    moments: () => (sigmas.length === 0 ? undefined : { means, sigmas }),
  };
}

function gaussianDiagnostics(sigmas: readonly number[]): Record<string, number> {
  if (sigmas.length === 0) return {};
  const smallest = Math.min(...sigmas);
  const largest = Math.max(...sigmas);
  return {
    gaussian_dim: sigmas.length,
    gaussian_sigma_min: smallest,
    gaussian_sigma_max: largest,
    cov_condition_number: largest / smallest,
  };
}
