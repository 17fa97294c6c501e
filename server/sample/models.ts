import type { Genotype } from './problems.ts';
import type { Random } from './random.ts';
import {
  getAt,
  computeBinaryEntropy,
  computeMean,
  listIndices,
  sum,
  computeEntropyBits,
} from './statistics.ts';

/** Probabilistic model of good solutions. */
export interface Model {
  /** Fits the model to the selected individuals, best first. Throws an Error if there are too few of them. */
  fit(elite: readonly Genotype[]): void;
  /** Draws a new solution. Requires a previous call of `fit`. */
  drawSample(random: Random): Genotype;
  /** Returns the values that the runner reports about the model; empty before the first `fit`. */
  getDiagnostics(): Record<string, number>;
  /**
   * Returns mean and standard deviation per coordinate; undefined before the first `fit`. Only models of normal
   * distributions have this function.
   */
  getMoments?(): { means: readonly number[]; sigmas: readonly number[] } | undefined;
}

/** Names of the models in configurations. */
export type ModelType = 'umda-bernoulli' | 'pbil-frequency' | 'gaussian-diag' | 'ehm';

const creators: Record<ModelType, (parameter: number) => Model> = {
  'umda-bernoulli': createUmda,
  'pbil-frequency': createPbil,
  'gaussian-diag': createGaussian,
  ehm: createEdgeHistogram,
};

/** Returns a model that is not yet fitted. `parameter` is its only setting. */
export function createModel(type: ModelType, parameter: number): Model {
  return creators[type](parameter);
}

/** Returns the share of ones per bit. Throws a RangeError if there are no genotypes. */
export function computeBitFrequencies(genotypes: readonly Genotype[]): number[] {
  const length = getAt(genotypes, 0).length;
  return listIndices(length).map((bit) =>
    computeMean(genotypes.map((genotype) => getAt(genotype, bit))),
  );
}

function drawBits(probabilities: readonly number[], random: Random): Genotype {
  return probabilities.map((p) => (random.drawUniform() < p ? 1 : 0));
}

/** Returns a model of univariate marginals between `smoothing` and 1 − `smoothing`. Mühlenbein and Paaß 1996. */
function createUmda(smoothing: number): Model {
  let probabilities: number[] = [];
  return {
    fit(elite) {
      probabilities = computeBitFrequencies(elite).map((p) => p * (1 - 2 * smoothing) + smoothing);
    },
    drawSample: (random) => drawBits(probabilities, random),
    getDiagnostics: (): Record<string, number> =>
      probabilities.length === 0
        ? {}
        : {
            model_entropy: sum(probabilities.map(computeBinaryEntropy)),
            model_mean_probability: computeMean(probabilities),
          },
  };
}

/**
 * Returns a model of marginals, which are 0.5 before the first `fit`. Each `fit` moves them towards the marginals of
 * the elite by the share `learningRate` of the difference. Baluja 1994.
 */
function createPbil(learningRate: number): Model {
  let probabilities: number[] = [];
  return {
    fit(elite) {
      probabilities = computeBitFrequencies(elite).map((frequency, bit) => {
        const previousProbability = probabilities[bit] ?? 0.5;
        return previousProbability * (1 - learningRate) + frequency * learningRate;
      });
    },
    drawSample: (random) => drawBits(probabilities, random),
    getDiagnostics: (): Record<string, number> =>
      probabilities.length === 0
        ? {}
        : { pbil_learning_rate: learningRate, pbil_mean_probability: computeMean(probabilities) },
  };
}

/**
 * Returns an edge histogram of tours. It counts how often city b follows another city a, cyclically, and adds `epsilon`
 * to each count. It draws the first city uniformly, then each next city from the remaining ones in proportion to these
 * sums. EHBSA without template, Tsutsui 2002.
 */
function createEdgeHistogram(epsilon: number): Model {
  let weights: number[][] = [];
  return {
    fit(elite) {
      weights = countSuccessors(elite).map((row, city) =>
        row.map((count, nextCity) => (city === nextCity ? 0 : count + epsilon)),
      );
    },
    drawSample: (random) => drawTour(weights, random),
    getDiagnostics: (): Record<string, number> =>
      weights.length === 0
        ? {}
        : { ehm_entropy: sum(weights.map(computeRowEntropy)), ehm_size: weights.length },
  };
}

function countSuccessors(tours: readonly Genotype[]): number[][] {
  const size = getAt(tours, 0).length;
  const counts = listIndices(size).map(() => listIndices(size).map(() => 0));
  for (const tour of tours) {
    tour.forEach((city, index) => {
      const row = getAt(counts, city);
      const nextCity = getAt(tour, (index + 1) % size);
      row[nextCity] = getAt(row, nextCity) + 1;
    });
  }
  return counts;
}

function computeRowEntropy(row: readonly number[]): number {
  const total = sum(row);
  return computeEntropyBits(row.map((weight) => weight / total));
}

function drawTour(weights: readonly number[][], random: Random): Genotype {
  const tour = [random.drawBelow(weights.length)];
  const remainingCities = new Set(listIndices(weights.length).filter((city) => city !== tour[0]));
  while (remainingCities.size > 0) {
    const nextCity = drawNext(
      getAt(weights, getAt(tour, tour.length - 1)),
      [...remainingCities],
      random,
    );
    tour.push(nextCity);
    remainingCities.delete(nextCity);
  }
  return tour;
}

function drawNext(row: readonly number[], candidates: readonly number[], random: Random): number {
  let point = random.drawUniform() * sum(candidates.map((city) => getAt(row, city)));
  for (const city of candidates) {
    point -= getAt(row, city);
    if (point < 0) return city;
  }
  return getAt(candidates, candidates.length - 1);
}

/**
 * Returns mean and sample standard deviation (n − 1) per coordinate. The deviations of a single point are 0. Throws a
 * RangeError if there are no points.
 */
export function computeCoordinateMoments(points: readonly Genotype[]): {
  means: number[];
  sigmas: number[];
} {
  const columns = listIndices(getAt(points, 0).length).map((i) =>
    points.map((point) => getAt(point, i)),
  );
  const means = columns.map(computeMean);
  const sigmas = columns.map((column, i) => {
    const squares = column.map((value) => (value - getAt(means, i)) ** 2);
    return Math.sqrt(sum(squares) / Math.max(1, column.length - 1));
  });
  return { means, sigmas };
}

/**
 * Returns a model of one normal distribution per coordinate, with a standard deviation of at least `minSigma`.
 * Larrañaga et al. 2000.
 */
function createGaussian(minSigma: number): Model {
  let means: number[] = [];
  let sigmas: number[] = [];
  return {
    fit(elite) {
      if (elite.length < 2) {
        throw new Error(`gaussian-diag needs at least 2 selected individuals, got ${elite.length}`);
      }
      const moments = computeCoordinateMoments(elite);
      means = moments.means;
      sigmas = moments.sigmas.map((sigma) => Math.max(sigma, minSigma));
    },
    drawSample: (random) => means.map((value, i) => value + getAt(sigmas, i) * random.drawNormal()),
    getDiagnostics: () => makeGaussianDiagnostics(sigmas),
    getMoments: () => (sigmas.length === 0 ? undefined : { means, sigmas }),
  };
}

function makeGaussianDiagnostics(sigmas: readonly number[]): Record<string, number> {
  if (sigmas.length === 0) return {};
  const smallestSigma = Math.min(...sigmas);
  const largestSigma = Math.max(...sigmas);
  return {
    gaussian_dim: sigmas.length,
    gaussian_sigma_min: smallestSigma,
    gaussian_sigma_max: largestSigma,
    cov_condition_number: largestSigma / smallestSigma,
  };
}
