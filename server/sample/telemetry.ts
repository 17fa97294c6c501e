import type { Genotype, RepresentationFamily } from './problems.ts';
import {
  getAt,
  computeBinaryEntropy,
  measureEuclideanDistance,
  computeMean,
  measurePairDistances,
  sum,
  listIndices,
  countBy,
  computeEntropyBits,
} from './statistics.ts';
import { computeBitFrequencies, computeCoordinateMoments } from './models.ts';
import { type JavaObject, toDouble, toDoubleList, toDoubles } from '#server/recording/recorder.ts';

/** Input of the telemetry of a generation. Population and elite are sorted, best first. */
export interface PopulationView {
  population: readonly Genotype[];
  elite: readonly Genotype[];
  /** Mean and standard deviation per coordinate, if the model has them. */
  moments?: Moments | undefined;
}

/** Mean and standard deviation per coordinate. */
export interface Moments {
  means: readonly number[];
  sigmas: readonly number[];
}

/** Maximum lengths of lists in telemetry: of each `top…` list, and of the dependencies between bits. */
export interface TelemetryLimits {
  topK: number;
  dependencyTopK: number;
}

/** Internal state of a search, as stored in `diagnostics_json`. */
export interface LatentTelemetry {
  representationFamily: RepresentationFamily;
  metrics: Record<string, number>;
  insights: JavaObject;
  drift: Record<string, number>;
  diversity: Record<string, number>;
}

/** Telemetry of one generation, and the state with which the observer compares the next generation. */
export interface Observation<State> {
  telemetry: LatentTelemetry;
  state: State;
}

/** Returns the indices of the `count` largest values, largest first. Ties remain in their order. */
function findTopIndices(values: readonly number[], count: number): number[] {
  return values
    .map((_, index) => index)
    .sort((a, b) => getAt(values, b) - getAt(values, a))
    .slice(0, count);
}

/** Returns a function that computes the telemetry of one run. Each call compares a generation with the previous one. */
export function createObserver(
  family: RepresentationFamily,
  limits: TelemetryLimits,
): (view: PopulationView) => LatentTelemetry {
  const creators = {
    binary: () => createStatefulObserver(observeBinary, limits),
    permutation: () => createStatefulObserver(observePermutation, limits),
    real: () => createStatefulObserver(observeReal, limits),
  };
  return creators[family]();
}

type Observe<State> = (
  view: PopulationView,
  previousState: State | undefined,
  limits: TelemetryLimits,
) => Observation<State>;

function createStatefulObserver<State>(observe: Observe<State>, limits: TelemetryLimits) {
  let previousState: State | undefined;
  return (view: PopulationView) => {
    const { telemetry, state } = observe(view, previousState, limits);
    previousState = state;
    return telemetry;
  };
}

const maximumBinaryPairs = 1200;
const fixationMargin = 0.02;
const minimumProbability = 1e-12;

/** Share of ones per bit, and their mean entropy in bits. */
export interface BinaryState {
  probabilities: number[];
  meanEntropy: number;
}

/**
 * Returns the telemetry of bit strings. The first generation has drift 0. The diversity of fewer than 2 individuals is
 * NaN. Throws a RangeError for an empty elite.
 */
export function observeBinary(
  { population, elite }: PopulationView,
  previousState: BinaryState | undefined,
  { topK, dependencyTopK }: TelemetryLimits,
): Observation<BinaryState> {
  const probabilities = computeBitFrequencies(elite);
  const entropies = probabilities.map(computeBinaryEntropy);
  const dependencies = findStrongestDependencies(elite, dependencyTopK);
  const state = { probabilities, meanEntropy: computeMean(entropies) };
  return {
    state,
    telemetry: {
      representationFamily: 'binary',
      metrics: measureBinary(probabilities, entropies, dependencies),
      insights: makeBinaryInsights(probabilities, entropies, dependencies, topK),
      drift: measureBinaryDrift(state, previousState ?? state),
      diversity: {
        hamming_population: computeMean(
          measurePairDistances(population, measureHammingDistance, maximumBinaryPairs),
        ),
        hamming_elite: computeMean(
          measurePairDistances(elite, measureHammingDistance, maximumBinaryPairs),
        ),
      },
    },
  };
}

/** Returns the share of positions in which two bit strings of the same length differ; NaN for empty strings. */
export function measureHammingDistance(a: Genotype, b: Genotype): number {
  let differenceCount = 0;
  a.forEach((bit, index) => (differenceCount += bit === b[index] ? 0 : 1));
  return differenceCount / a.length;
}

/**
 * Returns the change of the marginals since the previous generation: L1 and L2 distance, the Kullback-Leibler
 * divergence of the current from the previous marginals, and the loss of mean entropy in bits. The divergence is in
 * nats, summed over the bits. It uses probabilities within [1e-12, 1 − 1e-12], to be finite.
 */
export function measureBinaryDrift(
  currentState: BinaryState,
  previousState: BinaryState,
): Record<string, number> {
  const pairs = currentState.probabilities.map(
    (p, bit) => [p, getAt(previousState.probabilities, bit)] as const,
  );
  return {
    binary_prob_l1: sum(pairs.map(([p, q]) => Math.abs(p - q))),
    binary_prob_l2: measureEuclideanDistance(
      currentState.probabilities,
      previousState.probabilities,
    ),
    binary_prob_kl: sum(pairs.map(([p, q]) => computeBernoulliDivergence(p, q))),
    binary_entropy_delta: previousState.meanEntropy - currentState.meanEntropy,
  };
}

function computeBernoulliDivergence(p: number, q: number): number {
  const [a, b] = [clampProbability(p), clampProbability(q)];
  return a * Math.log(a / b) + (1 - a) * Math.log((1 - a) / (1 - b));
}

function clampProbability(probability: number): number {
  return Math.min(1 - minimumProbability, Math.max(minimumProbability, probability));
}

function computeCertainty(probability: number): number {
  return 2 * Math.abs(probability - 0.5);
}

function measureBinary(
  probabilities: readonly number[],
  entropies: readonly number[],
  dependencies: readonly Dependency[],
): Record<string, number> {
  const fixedProbabilities = probabilities.filter(
    (p) => p < fixationMargin || p > 1 - fixationMargin,
  );
  return {
    binary_length: probabilities.length,
    binary_mean_probability: computeMean(probabilities),
    binary_mean_entropy: computeMean(entropies),
    binary_min_entropy: Math.min(...entropies),
    binary_max_entropy: Math.max(...entropies),
    binary_fixation_ratio: fixedProbabilities.length / probabilities.length,
    binary_mean_certainty: computeMean(probabilities.map(computeCertainty)),
    binary_dependency_max: Math.max(0, ...dependencies.map(({ weight }) => weight)),
  };
}

function makeBinaryInsights(
  probabilities: readonly number[],
  entropies: readonly number[],
  dependencies: readonly Dependency[],
  topK: number,
) {
  const certainties = probabilities.map(computeCertainty);
  return {
    probabilities: toDoubleList(probabilities),
    entropyPerBit: toDoubleList(entropies),
    topDecidedBits: findTopIndices(certainties, topK).map((index) => ({
      index,
      certainty: toDouble(getAt(certainties, index)),
      probability: toDouble(getAt(probabilities, index)),
    })),
    topUncertainBits: findTopIndices(entropies, topK).map((index) => ({
      index,
      entropy: toDouble(getAt(entropies, index)),
    })),
    dependencyEdges: dependencies.map(({ i, j, weight, correlation }) => ({
      i,
      j,
      weight: toDouble(weight),
      correlation: toDouble(correlation),
    })),
    dependencyClusters: findDependencyClusters(dependencies),
  };
}

/** Strength of the dependency between two bits. */
export interface Dependency {
  i: number;
  j: number;
  /** Mutual information in bits. */
  weight: number;
  /** Phi coefficient. */
  correlation: number;
}

/** Maximum number of bits among which {@link findStrongestDependencies} compares all pairs. It omits further bits. */
const maximumDependencyBits = 64;

/**
 * Returns the mutual information in bits and the phi coefficient of two bits over the genotypes. Adds 1 to the count of
 * each of the four cells (add-one smoothing), which makes both values finite.
 */
export function measureDependency(
  genotypes: readonly Genotype[],
  i: number,
  j: number,
): Dependency {
  const cells = [1, 1, 1, 1];
  for (const genotype of genotypes) {
    const cell = 2 * getAt(genotype, i) + getAt(genotype, j);
    cells[cell] = getAt(cells, cell) + 1;
  }
  const [n00 = 0, n01 = 0, n10 = 0, n11 = 0] = cells;
  const total = sum(cells);
  const rows = [n00 + n01, n10 + n11] as const;
  const columns = [n00 + n10, n01 + n11] as const;
  const terms = cells.map((count, cell) => {
    const marginalProduct = getAt(rows, cell >> 1) * getAt(columns, cell & 1);
    return (count / total) * Math.log2((count * total) / marginalProduct);
  });
  const spread = Math.sqrt(rows[0] * rows[1] * columns[0] * columns[1]);
  return { i, j, weight: sum(terms), correlation: (n11 * n00 - n10 * n01) / spread };
}

/** Returns the `count` strongest dependencies by weight. On ties, the pair with the lower indices is first. */
function findStrongestDependencies(genotypes: readonly Genotype[], count: number): Dependency[] {
  const size = Math.min(getAt(genotypes, 0).length, maximumDependencyBits);
  const pairs = listIndices(size).flatMap((i) =>
    listIndices(size - i - 1).map((offset) => measureDependency(genotypes, i, i + 1 + offset)),
  );
  return pairs.sort((a, b) => b.weight - a.weight).slice(0, count);
}

/**
 * Returns the clusters of bits that dependencies of positive weight connect. Each cluster is sorted; the clusters are
 * in the order of their lowest bits.
 */
export function findDependencyClusters(dependencies: readonly Dependency[]): number[][] {
  const clusters: Set<number>[] = [];
  for (const { i, j, weight } of dependencies) {
    if (weight <= 0) continue;
    const overlappingClusters = clusters.filter((cluster) => cluster.has(i) || cluster.has(j));
    const mergedCluster = new Set([
      i,
      j,
      ...overlappingClusters.flatMap((cluster) => [...cluster]),
    ]);
    for (const cluster of overlappingClusters) clusters.splice(clusters.indexOf(cluster), 1);
    clusters.push(mergedCluster);
  }
  return clusters
    .map((cluster) => [...cluster].sort((a, b) => a - b))
    .sort((a, b) => getAt(a, 0) - getAt(b, 0));
}

const maximumRealPairs = 800;
const collapseThreshold = 1e-3;
const nearIdenticalThreshold = 1e-7;
const maximumEigenDimensions = 30;
const minimumSigma = 1e-12;

/**
 * Returns the telemetry of real vectors, with the same edge cases as {@link observeBinary}, except that the diversity
 * of an elite of one individual is 0. Above 30 dimensions, the telemetry contains variances instead of eigenvalues.
 */
export function observeReal(
  { population, elite, moments: fittedMoments }: PopulationView,
  previousMoments: Moments | undefined,
  { topK }: TelemetryLimits,
): Observation<Moments> {
  const state = fittedMoments ?? computeCoordinateMoments(elite);
  const covariance = computeCovariance(elite);
  const eigenvalues = computeSpectrum(covariance);
  return {
    state,
    telemetry: {
      representationFamily: 'real',
      metrics: measureReal(state.sigmas, eigenvalues),
      insights: makeRealInsights(state, eigenvalues, topK),
      drift: measureGaussianDrift(state, previousMoments ?? state),
      diversity: measureRealDiversity(population, elite, covariance),
    },
  };
}

/**
 * Returns the change of the normal distributions since the previous generation: L2 distance of the means and of the
 * standard deviations, and the Kullback-Leibler divergence of the current from the previous distributions. The
 * divergence is in nats, summed over the coordinates. It uses standard deviations of at least 1e-12, to be finite.
 */
export function measureGaussianDrift(
  currentMoments: Moments,
  previousMoments: Moments,
): Record<string, number> {
  const divergences = currentMoments.means.map((value, i) =>
    computeNormalDivergence(
      value - getAt(previousMoments.means, i),
      clampSigma(getAt(currentMoments.sigmas, i)),
      clampSigma(getAt(previousMoments.sigmas, i)),
    ),
  );
  return {
    mean_l2: measureEuclideanDistance(currentMoments.means, previousMoments.means),
    sigma_l2: measureEuclideanDistance(currentMoments.sigmas, previousMoments.sigmas),
    gaussian_kl_diag: sum(divergences),
  };
}

function computeNormalDivergence(shift: number, sigma: number, previousSigma: number): number {
  return (
    Math.log(previousSigma / sigma) + (sigma ** 2 + shift ** 2) / (2 * previousSigma ** 2) - 0.5
  );
}

function clampSigma(sigma: number): number {
  return Math.max(sigma, minimumSigma);
}

function computeCovariance(points: readonly Genotype[]): number[][] {
  const { means } = computeCoordinateMoments(points);
  const degreesOfFreedom = Math.max(1, points.length - 1);
  const deviations = points.map((point) => point.map((value, i) => value - getAt(means, i)));
  return means.map((_, i) =>
    means.map(
      (__, j) =>
        sum(deviations.map((vector) => getAt(vector, i) * getAt(vector, j))) / degreesOfFreedom,
    ),
  );
}

function computeSpectrum(covariance: readonly (readonly number[])[]): number[] {
  if (covariance.length <= maximumEigenDimensions) return computeEigenvalues(covariance);
  return covariance.map((row, i) => getAt(row, i)).sort((a, b) => b - a);
}

function measureReal(
  sigmas: readonly number[],
  eigenvalues: readonly number[],
): Record<string, number> {
  const logs = sigmas.map((sigma) => Math.log(clampSigma(sigma)));
  const logDeterminant = sum(
    eigenvalues.map((value) => Math.log(Math.max(value, minimumSigma ** 2))),
  );
  return {
    real_dim: sigmas.length,
    real_sigma_mean: computeMean(sigmas),
    real_sigma_min: Math.min(...sigmas),
    real_sigma_max: Math.max(...sigmas),
    real_entropy_proxy_mean: computeMean(logs),
    real_differential_entropy:
      (sigmas.length * Math.log(2 * Math.PI * Math.E) + logDeterminant) / 2,
    real_collapsed_dim_ratio: findCollapsedDimensions(sigmas).length / sigmas.length,
  };
}

function findCollapsedDimensions(sigmas: readonly number[]): number[] {
  return sigmas.flatMap((sigma, index) => (sigma < collapseThreshold ? [index] : []));
}

function makeRealInsights(
  { means, sigmas }: Moments,
  eigenvalues: readonly number[],
  topK: number,
) {
  return {
    meanVector: toDoubleList(means),
    sigmaVector: toDoubleList(sigmas),
    logSigma: toDoubleList(sigmas.map((sigma) => Math.log(clampSigma(sigma)))),
    eigenvalues: toDoubleList(eigenvalues),
    collapsedDimensions: findCollapsedDimensions(sigmas),
    topVaryingDimensions: findTopIndices(sigmas, topK).map((dimension) => ({
      dimension,
      sigma: toDouble(getAt(sigmas, dimension)),
    })),
  };
}

function measureRealDiversity(
  population: readonly Genotype[],
  elite: readonly Genotype[],
  covariance: readonly (readonly number[])[],
): Record<string, number> {
  const distances = measurePairDistances(population, measureEuclideanDistance, maximumRealPairs);
  const eliteDistances = measurePairDistances(elite, measureEuclideanDistance, maximumRealPairs);
  const identicalDistances = distances.filter((distance) => distance < nearIdenticalThreshold);
  return {
    euclidean_population: computeMean(distances),
    euclidean_elite: eliteDistances.length === 0 ? 0 : computeMean(eliteDistances),
    near_identical_ratio: identicalDistances.length / distances.length,
    covariance_trace: sum(covariance.map((row, i) => getAt(row, i))),
  };
}

const maximumSweeps = 50;

/**
 * Returns the eigenvalues of a symmetric matrix, largest first, by cyclic Jacobi rotations; none for an empty matrix.
 * Golub and Van Loan, Matrix Computations, 8.5.
 */
export function computeEigenvalues(matrix: readonly (readonly number[])[]): number[] {
  const rotatedMatrix = matrix.map((row) => [...row]);
  const scale = sum(rotatedMatrix.flat().map((value) => value * value));
  for (
    let sweep = 0;
    sweep < maximumSweeps && measureOffDiagonal(rotatedMatrix) > 1e-24 * scale;
    sweep++
  ) {
    for (const p of listIndices(rotatedMatrix.length)) {
      for (const q of listIndices(rotatedMatrix.length).slice(p + 1)) rotate(rotatedMatrix, p, q);
    }
  }
  return rotatedMatrix.map((row, index) => getAt(row, index)).sort((a, b) => b - a);
}

function measureOffDiagonal(matrix: readonly (readonly number[])[]): number {
  return sum(matrix.flatMap((row, i) => row.map((value, j) => (i === j ? 0 : value * value))));
}

function rotate(matrix: number[][], p: number, q: number): void {
  const [rowP, rowQ] = [getAt(matrix, p), getAt(matrix, q)];
  const coupling = getAt(rowP, q);
  if (coupling === 0) return;
  const theta = (getAt(rowQ, q) - getAt(rowP, p)) / (2 * coupling);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const cosine = 1 / Math.hypot(tangent, 1);
  const sine = tangent * cosine;
  for (const row of matrix) rotatePair(row, p, q, cosine, sine);
  for (const column of listIndices(matrix.length)) {
    const [x, y] = [getAt(rowP, column), getAt(rowQ, column)];
    rowP[column] = cosine * x - sine * y;
    rowQ[column] = sine * x + cosine * y;
  }
}

function rotatePair(row: number[], p: number, q: number, cosine: number, sine: number): void {
  const [x, y] = [getAt(row, p), getAt(row, q)];
  row[p] = cosine * x - sine * y;
  row[q] = sine * x + cosine * y;
}

const maximumPermutationPairs = 900;

/** Consensus and adjacency of a generation of permutations. */
export interface PermutationState {
  consensus: number[];
  /** Share of tours in which b follows a, cyclically, by the key `a->b`, in order of first occurrence. */
  adjacency: Record<string, number>;
}

/**
 * Returns the telemetry of permutations. Without a previous generation, the drift is 0 and trends are relative to 0.
 * The diversity of fewer than 2 individuals is NaN. Throws a RangeError for an empty elite.
 */
export function observePermutation(
  { population, elite }: PopulationView,
  previousState: PermutationState | undefined,
  { topK }: TelemetryLimits,
): Observation<PermutationState> {
  const positions = computePositionDistribution(elite);
  const entropies = positions.map(computeEntropyBits);
  const state = {
    consensus: findConsensusPermutation(elite),
    adjacency: computeAdjacencyFrequencies(elite),
  };
  return {
    state,
    telemetry: {
      representationFamily: 'permutation',
      metrics: {
        perm_size: positions.length,
        perm_position_entropy_mean: computeMean(entropies),
        perm_position_entropy_min: Math.min(...entropies),
        perm_position_entropy_max: Math.max(...entropies),
        perm_top_edge_frequency: Math.max(...Object.values(state.adjacency)),
      },
      insights: {
        positionDistribution: positions.map(toDoubleList),
        positionEntropyPerItem: toDoubleList(entropies),
        consensusPermutation: state.consensus,
        topAdjacencyEdges: findTopEdges(state.adjacency, previousState?.adjacency ?? {}, topK),
        adjacencyFrequencies: toDoubles(state.adjacency),
      },
      drift: {
        consensus_kendall: measureKendallDistance(
          state.consensus,
          (previousState ?? state).consensus,
        ),
      },
      diversity: {
        kendall_population: computeMean(
          measurePairDistances(population, measureKendallDistance, maximumPermutationPairs),
        ),
        kendall_elite: computeMean(
          measurePairDistances(elite, measureKendallDistance, maximumPermutationPairs),
        ),
      },
    },
  };
}

/** Returns the share of pairs of items that two permutations order differently; NaN for fewer than 2 items. */
export function measureKendallDistance(a: Genotype, b: Genotype): number {
  const rankByItem = new Int32Array(b.length);
  b.forEach((item, position) => (rankByItem[item] = position));
  const ranks = new Int32Array(a.length);
  a.forEach((item, position) => (ranks[position] = rankByItem[item] ?? NaN));
  let discordantPairCount = 0;
  for (let i = 0; i < ranks.length; i++) {
    const ownRank = ranks[i] ?? NaN;
    // Adds the sign bit of the difference instead of branching, because the processor would mispredict half of the
    // branches.
    for (let j = i + 1; j < ranks.length; j++)
      discordantPairCount += ((ranks[j] ?? NaN) - ownRank) >>> 31;
  }
  return discordantPairCount / ((a.length * (a.length - 1)) / 2);
}

/** Returns the share of permutations with an item (row) at a position (column). Throws a RangeError for empty input. */
export function computePositionDistribution(permutations: readonly Genotype[]): number[][] {
  const size = getAt(permutations, 0).length;
  const counts = listIndices(size).map(() => listIndices(size).map(() => 0));
  for (const permutation of permutations) {
    permutation.forEach((item, position) => {
      const row = getAt(counts, item);
      row[position] = getAt(row, position) + 1;
    });
  }
  return counts.map((row) => row.map((count) => count / permutations.length));
}

/** Returns the items by mean position. On ties, the lower item is first. Throws a RangeError without permutations. */
export function findConsensusPermutation(permutations: readonly Genotype[]): number[] {
  const items = listIndices(getAt(permutations, 0).length);
  const meanPositions = items.map((item) =>
    computeMean(permutations.map((permutation) => permutation.indexOf(item))),
  );
  return items.sort((a, b) => getAt(meanPositions, a) - getAt(meanPositions, b));
}

function computeAdjacencyFrequencies(tours: readonly Genotype[]): Record<string, number> {
  const edges = tours.flatMap((tour) =>
    tour.map((item, index) => `${item}->${getAt(tour, (index + 1) % tour.length)}`),
  );
  return Object.fromEntries(
    [...countBy(edges)].map(([edge, count]) => [edge, count / tours.length]),
  );
}

function findTopEdges(
  adjacency: Record<string, number>,
  previousAdjacency: Record<string, number>,
  topK: number,
) {
  const edges = Object.entries(adjacency);
  return findTopIndices(Object.values(adjacency), topK).map((index) => {
    const [edge, frequency] = getAt(edges, index);
    const [from = 0, to = 0] = edge.split('->').map(Number);
    return {
      from,
      to,
      frequency: toDouble(frequency),
      trend: toDouble(frequency - (previousAdjacency[edge] ?? 0)),
    };
  });
}
