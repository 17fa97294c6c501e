import type { Genotype, RepresentationFamily } from './problems.ts';
import {
  at,
  binaryEntropy,
  euclideanDistance,
  mean,
  pairDistances,
  sum,
  range,
  countBy,
  entropyBits,
} from './statistics.ts';
import { bitFrequencies, coordinateMoments } from './models.ts';
import { type JavaObject, double, doubles, doubleRecord } from '#server/recording/java-json.ts';

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

/** Maximum number of entries of the lists in telemetry. */
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

/** Telemetry of one generation, and the state with which the next one is compared. */
export interface Observation<State> {
  telemetry: LatentTelemetry;
  state: State;
}

/** Returns the indices of the `count` largest values, largest first. Ties keep their order. */
function topIndices(values: readonly number[], count: number): number[] {
  return values
    .map((_, index) => index)
    .sort((a, b) => at(values, b) - at(values, a))
    .slice(0, count);
}

/** Returns a function that computes the telemetry of one run; each call compares with the generation of the previous call. */
export function createObserver(
  family: RepresentationFamily,
  limits: TelemetryLimits,
): (view: PopulationView) => LatentTelemetry {
  const observers = {
    binary: () => rememberState(observeBinary, limits),
    permutation: () => rememberState(observePermutation, limits),
    real: () => rememberState(observeReal, limits),
  };
  return observers[family]();
}

type Observe<State> = (
  view: PopulationView,
  previous: State | undefined,
  limits: TelemetryLimits,
) => Observation<State>;

function rememberState<State>(observe: Observe<State>, limits: TelemetryLimits) {
  let previous: State | undefined;
  return (view: PopulationView) => {
    const { telemetry, state } = observe(view, previous, limits);
    previous = state;
    return telemetry;
  };
}

const maximumBinaryPairs = 1200;
const fixationMargin = 0.02;
const smallestProbability = 1e-12;

/** Share of ones per bit, and their mean entropy in bits. */
export interface BinaryState {
  probabilities: number[];
  meanEntropy: number;
}

/** Returns the telemetry of bit strings. The drift is 0 if there is no previous generation. */
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
      metrics: binaryMetrics(probabilities, entropies, dependencies),
      insights: binaryInsights(probabilities, entropies, dependencies, topK),
      drift: binaryDrift(state, previous ?? state),
      diversity: {
        hamming_population: mean(pairDistances(population, hammingDistance, maximumBinaryPairs)),
        hamming_elite: mean(pairDistances(elite, hammingDistance, maximumBinaryPairs)),
      },
    },
  };
}

/** Returns the share of positions in which two bit strings differ. */
export function hammingDistance(a: Genotype, b: Genotype): number {
  let different = 0;
  a.forEach((bit, index) => (different += bit === b[index] ? 0 : 1));
  return different / a.length;
}

/**
 * Returns the change of the marginals since the previous generation: L1, L2, Kullback-Leibler divergence of the current
 * from the previous one in nats, summed over the bits, and the loss of mean entropy in bits. Probabilities are clamped to
 * [1e-12, 1 − 1e-12], so that the divergence is finite.
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
  const [a, b] = [clampProbability(p), clampProbability(q)];
  return a * Math.log(a / b) + (1 - a) * Math.log((1 - a) / (1 - b));
}

function clampProbability(probability: number): number {
  return Math.min(1 - smallestProbability, Math.max(smallestProbability, probability));
}

function certainty(probability: number): number {
  return 2 * Math.abs(probability - 0.5);
}

function binaryMetrics(
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

function binaryInsights(
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

/** Strength of the dependency between two bits. */
export interface Dependency {
  i: number;
  j: number;
  /** Mutual information in bits. */
  weight: number;
  /** Phi coefficient. */
  correlation: number;
}

/** Maximum number of bits for which all pairs are computed; further bits are omitted. */
const pairwiseMaximumDimensions = 64;

/**
 * Returns mutual information in bits and the phi coefficient of two bits over the genotypes. Each of the four cells
 * counts once more than it occurs (add-one smoothing), so that both are finite.
 */
export function measureDependency(
  genotypes: readonly Genotype[],
  i: number,
  j: number,
): Dependency {
  const cells = [1, 1, 1, 1];
  for (const genotype of genotypes) {
    const cell = 2 * at(genotype, i) + at(genotype, j);
    cells[cell] = at(cells, cell) + 1;
  }
  const [n00 = 0, n01 = 0, n10 = 0, n11 = 0] = cells;
  const total = sum(cells);
  const rows = [n00 + n01, n10 + n11] as const;
  const columns = [n00 + n10, n01 + n11] as const;
  const terms = cells.map((count, cell) => {
    const expected = at(rows, cell >> 1) * at(columns, cell & 1);
    return (count / total) * Math.log2((count * total) / expected);
  });
  const spread = Math.sqrt(rows[0] * rows[1] * columns[0] * columns[1]);
  return { i, j, weight: sum(terms), correlation: (n11 * n00 - n10 * n01) / spread };
}

/** Returns the `count` strongest dependencies by weight. On ties, the pair with the lower indices is first. */
function strongestDependencies(genotypes: readonly Genotype[], count: number): Dependency[] {
  const size = Math.min(at(genotypes, 0).length, pairwiseMaximumDimensions);
  const pairs = range(size).flatMap((i) =>
    range(size - i - 1).map((offset) => measureDependency(genotypes, i, i + 1 + offset)),
  );
  return pairs.sort((a, b) => b.weight - a.weight).slice(0, count);
}

/** Returns the groups of bits that are connected by dependencies of positive weight: sorted, and ordered by lowest bit. */
export function dependencyClusters(dependencies: readonly Dependency[]): number[][] {
  const clusters: Set<number>[] = [];
  for (const { i, j, weight } of dependencies) {
    if (weight <= 0) continue;
    const overlapping = clusters.filter((cluster) => cluster.has(i) || cluster.has(j));
    const merged = new Set([i, j, ...overlapping.flatMap((cluster) => [...cluster])]);
    for (const cluster of overlapping) clusters.splice(clusters.indexOf(cluster), 1);
    clusters.push(merged);
  }
  return clusters
    .map((cluster) => [...cluster].sort((a, b) => a - b))
    .sort((a, b) => at(a, 0) - at(b, 0));
}

const maximumRealPairs = 800;
const collapseThreshold = 1e-3;
const identicalDistance = 1e-7;
const maximumEigenDimensions = 30;
const smallestSigma = 1e-12;

/** Returns the telemetry of real vectors. The drift is 0 if there is no previous generation. */
export function observeReal(
  { population, elite, moments: fitted }: PopulationView,
  previous: Moments | undefined,
  { topK }: TelemetryLimits,
): Observation<Moments> {
  const state = fitted ?? coordinateMoments(elite);
  const covariance = sampleCovariance(elite);
  const eigenvalues = spectrum(covariance);
  return {
    state,
    telemetry: {
      representationFamily: 'real',
      metrics: realMetrics(state.sigmas, eigenvalues),
      insights: realInsights(state, eigenvalues, topK),
      drift: gaussianDrift(state, previous ?? state),
      diversity: realDiversity(population, elite, covariance),
    },
  };
}

/**
 * Returns the change of the normals since the previous generation: L2 of means and of deviations, and the
 * Kullback-Leibler divergence of the current from the previous one in nats, summed over coordinates. Deviations are at
 * least 1e-12, so that the divergence is finite.
 */
export function gaussianDrift(current: Moments, previous: Moments): Record<string, number> {
  const divergences = current.means.map((value, i) =>
    normalDivergence(
      value - at(previous.means, i),
      clampSigma(at(current.sigmas, i)),
      clampSigma(at(previous.sigmas, i)),
    ),
  );
  return {
    mean_l2: euclideanDistance(current.means, previous.means),
    sigma_l2: euclideanDistance(current.sigmas, previous.sigmas),
    gaussian_kl_diag: sum(divergences),
  };
}

function normalDivergence(shift: number, sigma: number, before: number): number {
  return Math.log(before / sigma) + (sigma ** 2 + shift ** 2) / (2 * before ** 2) - 0.5;
}

function clampSigma(sigma: number): number {
  return Math.max(sigma, smallestSigma);
}

function sampleCovariance(points: readonly Genotype[]): number[][] {
  const { means } = coordinateMoments(points);
  const degreesOfFreedom = Math.max(1, points.length - 1);
  const centred = points.map((point) => point.map((value, i) => value - at(means, i)));
  return means.map((_, i) =>
    means.map(
      (__, j) => sum(centred.map((point) => at(point, i) * at(point, j))) / degreesOfFreedom,
    ),
  );
}

function spectrum(covariance: readonly (readonly number[])[]): number[] {
  if (covariance.length <= maximumEigenDimensions) return symmetricEigenvalues(covariance);
  return covariance.map((row, i) => at(row, i)).sort((a, b) => b - a);
}

function realMetrics(
  sigmas: readonly number[],
  eigenvalues: readonly number[],
): Record<string, number> {
  const logs = sigmas.map((sigma) => Math.log(clampSigma(sigma)));
  const logDeterminant = sum(
    eigenvalues.map((value) => Math.log(Math.max(value, smallestSigma ** 2))),
  );
  return {
    real_dim: sigmas.length,
    real_sigma_mean: mean(sigmas),
    real_sigma_min: Math.min(...sigmas),
    real_sigma_max: Math.max(...sigmas),
    real_entropy_proxy_mean: mean(logs),
    real_differential_entropy:
      (sigmas.length * Math.log(2 * Math.PI * Math.E) + logDeterminant) / 2,
    real_collapsed_dim_ratio: findCollapsed(sigmas).length / sigmas.length,
  };
}

function findCollapsed(sigmas: readonly number[]): number[] {
  return sigmas.flatMap((sigma, index) => (sigma < collapseThreshold ? [index] : []));
}

function realInsights({ means, sigmas }: Moments, eigenvalues: readonly number[], topK: number) {
  return {
    meanVector: doubles(means),
    sigmaVector: doubles(sigmas),
    logSigma: doubles(sigmas.map((sigma) => Math.log(clampSigma(sigma)))),
    eigenvalues: doubles(eigenvalues),
    collapsedDimensions: findCollapsed(sigmas),
    topVaryingDimensions: topIndices(sigmas, topK).map((dimension) => ({
      dimension,
      sigma: double(at(sigmas, dimension)),
    })),
  };
}

function realDiversity(
  population: readonly Genotype[],
  elite: readonly Genotype[],
  covariance: readonly (readonly number[])[],
): Record<string, number> {
  const distances = pairDistances(population, euclideanDistance, maximumRealPairs);
  const eliteDistances = pairDistances(elite, euclideanDistance, maximumRealPairs);
  const identical = distances.filter((distance) => distance < identicalDistance);
  return {
    euclidean_population: mean(distances),
    euclidean_elite: eliteDistances.length === 0 ? 0 : mean(eliteDistances),
    near_identical_ratio: identical.length / distances.length,
    covariance_trace: sum(covariance.map((row, i) => at(row, i))),
  };
}

const maximumSweeps = 50;

/**
 * Returns the eigenvalues of a symmetric matrix, largest first, by cyclic Jacobi rotations; none for an empty matrix.
 * Golub and Van Loan, Matrix Computations, 8.5.
 */
export function symmetricEigenvalues(matrix: readonly (readonly number[])[]): number[] {
  const work = matrix.map((row) => [...row]);
  const scale = sum(work.flat().map((value) => value * value));
  for (let sweep = 0; sweep < maximumSweeps && offDiagonal(work) > 1e-24 * scale; sweep++) {
    for (const p of range(work.length)) {
      for (const q of range(work.length).slice(p + 1)) rotate(work, p, q);
    }
  }
  return work.map((row, index) => at(row, index)).sort((a, b) => b - a);
}

function offDiagonal(matrix: readonly (readonly number[])[]): number {
  return sum(matrix.flatMap((row, i) => row.map((value, j) => (i === j ? 0 : value * value))));
}

function rotate(matrix: number[][], p: number, q: number): void {
  const [rowP, rowQ] = [at(matrix, p), at(matrix, q)];
  const coupling = at(rowP, q);
  if (coupling === 0) return;
  const theta = (at(rowQ, q) - at(rowP, p)) / (2 * coupling);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const cosine = 1 / Math.hypot(tangent, 1);
  const sine = tangent * cosine;
  for (const row of matrix) rotatePair(row, p, q, cosine, sine);
  for (const column of range(matrix.length)) {
    const [x, y] = [at(rowP, column), at(rowQ, column)];
    rowP[column] = cosine * x - sine * y;
    rowQ[column] = sine * x + cosine * y;
  }
}

function rotatePair(row: number[], p: number, q: number, cosine: number, sine: number): void {
  const [x, y] = [at(row, p), at(row, q)];
  row[p] = cosine * x - sine * y;
  row[q] = sine * x + cosine * y;
}

const maximumPermutationPairs = 900;

/** Consensus and adjacency of a generation of permutations. */
export interface PermutationState {
  consensus: number[];
  /** Share of tours in which b follows a, by `a->b`, in order of first occurrence. */
  adjacency: Record<string, number>;
}

/** Returns the telemetry of permutations. Without a previous generation, the drift is 0 and trends are relative to 0. */
export function observePermutation(
  { population, elite }: PopulationView,
  previous: PermutationState | undefined,
  { topK }: TelemetryLimits,
): Observation<PermutationState> {
  const positions = positionDistribution(elite);
  const entropies = positions.map(entropyBits);
  const state = {
    consensus: consensusPermutation(elite),
    adjacency: adjacencyFrequencies(elite),
  };
  return {
    state,
    telemetry: {
      representationFamily: 'permutation',
      metrics: {
        perm_size: positions.length,
        perm_position_entropy_mean: mean(entropies),
        perm_position_entropy_min: Math.min(...entropies),
        perm_position_entropy_max: Math.max(...entropies),
        perm_top_edge_frequency: Math.max(...Object.values(state.adjacency)),
      },
      insights: {
        positionDistribution: positions.map(doubles),
        positionEntropyPerItem: doubles(entropies),
        consensusPermutation: state.consensus,
        topAdjacencyEdges: topEdges(state.adjacency, previous?.adjacency ?? {}, topK),
        adjacencyFrequencies: doubleRecord(state.adjacency),
      },
      drift: {
        consensus_kendall: kendallDistance(state.consensus, (previous ?? state).consensus),
      },
      diversity: {
        kendall_population: mean(
          pairDistances(population, kendallDistance, maximumPermutationPairs),
        ),
        kendall_elite: mean(pairDistances(elite, kendallDistance, maximumPermutationPairs)),
      },
    },
  };
}

/** Returns the share of pairs of items that two permutations order differently: 0 if equal, 1 if reversed. */
export function kendallDistance(a: Genotype, b: Genotype): number {
  const rank = new Int32Array(b.length);
  b.forEach((item, position) => (rank[item] = position));
  const ranks = new Int32Array(a.length);
  a.forEach((item, position) => (ranks[position] = rank[item] ?? NaN));
  let opposite = 0;
  for (let i = 0; i < ranks.length; i++) {
    const before = ranks[i] ?? NaN;
    // Adds the sign bit of the difference: the processor would mispredict half of the branches.
    for (let j = i + 1; j < ranks.length; j++) opposite += ((ranks[j] ?? NaN) - before) >>> 31;
  }
  return opposite / ((a.length * (a.length - 1)) / 2);
}

/** Returns the share of permutations that have an item (row) at a position (column). */
export function positionDistribution(permutations: readonly Genotype[]): number[][] {
  const size = at(permutations, 0).length;
  const counts = range(size).map(() => range(size).map(() => 0));
  for (const permutation of permutations) {
    permutation.forEach((item, position) => {
      const row = at(counts, item);
      row[position] = at(row, position) + 1;
    });
  }
  return counts.map((row) => row.map((count) => count / permutations.length));
}

/** Returns the items by mean position. On ties, the lower item is first. */
export function consensusPermutation(permutations: readonly Genotype[]): number[] {
  const items = range(at(permutations, 0).length);
  const meanPosition = items.map((item) => mean(permutations.map((order) => order.indexOf(item))));
  return items.sort((a, b) => at(meanPosition, a) - at(meanPosition, b));
}

function adjacencyFrequencies(tours: readonly Genotype[]): Record<string, number> {
  const edges = tours.flatMap((tour) =>
    tour.map((item, index) => `${item}->${at(tour, (index + 1) % tour.length)}`),
  );
  return Object.fromEntries(
    [...countBy(edges)].map(([edge, count]) => [edge, count / tours.length]),
  );
}

function topEdges(current: Record<string, number>, previous: Record<string, number>, topK: number) {
  const edges = Object.entries(current);
  return topIndices(Object.values(current), topK).map((index) => {
    const [edge, frequency] = at(edges, index);
    const [from = 0, to = 0] = edge.split('->').map(Number);
    return {
      from,
      to,
      frequency: double(frequency),
      trend: double(frequency - (previous[edge] ?? 0)),
    };
  });
}
