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

/** A generation as telemetry reads it. Population and elite are sorted, best first. */
export interface PopulationView {
  population: readonly Genotype[];
  elite: readonly Genotype[];
  /** Mean and deviation per coordinate, where the model has fitted some. */
  moments?: Moments | undefined;
}

export interface Moments {
  means: readonly number[];
  sigmas: readonly number[];
}

/** How many entries telemetry lists. */
export interface TelemetryLimits {
  topK: number;
  dependencyTopK: number;
}

/** The inner state of a search, as `diagnostics_json` stores it. */
export interface LatentTelemetry {
  representationFamily: RepresentationFamily;
  metrics: Record<string, number>;
  insights: JavaObject;
  drift: Record<string, number>;
  diversity: Record<string, number>;
}

/** Telemetry of one generation, and what the next one is compared with. */
export interface Observation<State> {
  telemetry: LatentTelemetry;
  state: State;
}

/** The indices of the `count` largest values, largest first; of equal values the first comes first. */
function topIndices(values: readonly number[], count: number): number[] {
  return values
    .map((_, index) => index)
    .sort((a, b) => at(values, b) - at(values, a))
    .slice(0, count);
}

/** An observer of one run: each call compares with the generation of the call before. */
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

const mostBinaryPairs = 1200;
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
      metrics: binaryMetrics(probabilities, entropies, dependencies),
      insights: binaryInsights(probabilities, entropies, dependencies, topK),
      drift: binaryDrift(state, previous ?? state),
      diversity: {
        hamming_population: mean(pairDistances(population, hammingDistance, mostBinaryPairs)),
        hamming_elite: mean(pairDistances(elite, hammingDistance, mostBinaryPairs)),
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

/** How strongly two bits depend on each other. */
export interface Dependency {
  i: number;
  j: number;
  /** Mutual information in bits. */
  weight: number;
  /** Phi coefficient. */
  correlation: number;
}

/** Only this many first bits take part in the search for pairs. */
const pairwiseMaximumDimensions = 64;

/**
 * Mutual information in bits and phi of two bits over the genotypes, every one of the four cells counted
 * once more than it occurs (add-one smoothing), so that both stay finite.
 */
export function dependency(genotypes: readonly Genotype[], i: number, j: number): Dependency {
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

/** The `count` strongest dependencies by weight; of equal ones the pair of lower indices first. */
function strongestDependencies(genotypes: readonly Genotype[], count: number): Dependency[] {
  const size = Math.min(at(genotypes, 0).length, pairwiseMaximumDimensions);
  const pairs = range(size).flatMap((i) =>
    range(size - i - 1).map((offset) => dependency(genotypes, i, i + 1 + offset)),
  );
  return pairs.sort((a, b) => b.weight - a.weight).slice(0, count);
}

/** Groups of bits that the dependencies of positive weight connect, each sorted, by their lowest bit. */
export function dependencyClusters(dependencies: readonly Dependency[]): number[][] {
  const clusters: Set<number>[] = [];
  for (const { i, j, weight } of dependencies) {
    if (weight <= 0) continue;
    const touched = clusters.filter((cluster) => cluster.has(i) || cluster.has(j));
    const merged = new Set([i, j, ...touched.flatMap((cluster) => [...cluster])]);
    for (const cluster of touched) clusters.splice(clusters.indexOf(cluster), 1);
    clusters.push(merged);
  }
  return clusters
    .map((cluster) => [...cluster].sort((a, b) => a - b))
    .sort((a, b) => at(a, 0) - at(b, 0));
}

const mostRealPairs = 800;
const collapseThreshold = 1e-3;
const identicalDistance = 1e-7;
const mostEigenDimensions = 30;
const smallestSigma = 1e-12;

/** Telemetry of real vectors; drift is 0 where there is no generation before. */
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
 * How far the normals moved since the generation before: L2 of means and of deviations, and the
 * Kullback-Leibler divergence of the current from the previous one in nats, summed over coordinates.
 * Deviations count as at least 1e-12, so the divergence is finite.
 */
export function gaussianDrift(current: Moments, previous: Moments): Record<string, number> {
  const divergences = current.means.map((value, i) =>
    normalDivergence(
      value - at(previous.means, i),
      positive(at(current.sigmas, i)),
      positive(at(previous.sigmas, i)),
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

function positive(sigma: number): number {
  return Math.max(sigma, smallestSigma);
}

function sampleCovariance(points: readonly Genotype[]): number[][] {
  const { means } = coordinateMoments(points);
  const freedom = Math.max(1, points.length - 1);
  const centred = points.map((point) => point.map((value, i) => value - at(means, i)));
  return means.map((_, i) =>
    means.map((__, j) => sum(centred.map((point) => at(point, i) * at(point, j))) / freedom),
  );
}

function spectrum(covariance: readonly (readonly number[])[]): number[] {
  if (covariance.length <= mostEigenDimensions) return symmetricEigenvalues(covariance);
  return covariance.map((row, i) => at(row, i)).sort((a, b) => b - a);
}

function realMetrics(
  sigmas: readonly number[],
  eigenvalues: readonly number[],
): Record<string, number> {
  const logs = sigmas.map((sigma) => Math.log(positive(sigma)));
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
    real_collapsed_dim_ratio: collapsed(sigmas).length / sigmas.length,
  };
}

function collapsed(sigmas: readonly number[]): number[] {
  return sigmas.flatMap((sigma, index) => (sigma < collapseThreshold ? [index] : []));
}

function realInsights({ means, sigmas }: Moments, eigenvalues: readonly number[], topK: number) {
  return {
    meanVector: doubles(means),
    sigmaVector: doubles(sigmas),
    logSigma: doubles(sigmas.map((sigma) => Math.log(positive(sigma)))),
    eigenvalues: doubles(eigenvalues),
    collapsedDimensions: collapsed(sigmas),
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
  const distances = pairDistances(population, euclideanDistance, mostRealPairs);
  const eliteDistances = pairDistances(elite, euclideanDistance, mostRealPairs);
  const identical = distances.filter((distance) => distance < identicalDistance);
  return {
    euclidean_population: mean(distances),
    euclidean_elite: eliteDistances.length === 0 ? 0 : mean(eliteDistances),
    near_identical_ratio: identical.length / distances.length,
    covariance_trace: sum(covariance.map((row, i) => at(row, i))),
  };
}

const mostSweeps = 50;

/**
 * Eigenvalues of a symmetric matrix, largest first, by cyclic Jacobi rotations (Golub and Van Loan,
 * Matrix Computations, 8.5). Only symmetric input is meaningful; an empty matrix has none.
 */
export function symmetricEigenvalues(matrix: readonly (readonly number[])[]): number[] {
  const work = matrix.map((row) => [...row]);
  const scale = sum(work.flat().map((value) => value * value));
  for (let sweep = 0; sweep < mostSweeps && offDiagonal(work) > 1e-24 * scale; sweep++) {
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
  for (const row of matrix) combine(row, p, q, cosine, sine);
  for (const column of range(matrix.length)) {
    const [x, y] = [at(rowP, column), at(rowQ, column)];
    rowP[column] = cosine * x - sine * y;
    rowQ[column] = sine * x + cosine * y;
  }
}

function combine(row: number[], p: number, q: number, cosine: number, sine: number): void {
  const [x, y] = [at(row, p), at(row, q)];
  row[p] = cosine * x - sine * y;
  row[q] = sine * x + cosine * y;
}

const mostPermutationPairs = 900;

export interface PermutationState {
  consensus: number[];
  /** Share of tours in which b follows a, by `a->b`, in order of first appearance. */
  adjacency: Record<string, number>;
}

/** Telemetry of permutations; the drift is 0, and trends start at 0, where there is no generation before. */
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
        kendall_population: mean(pairDistances(population, kendallDistance, mostPermutationPairs)),
        kendall_elite: mean(pairDistances(elite, kendallDistance, mostPermutationPairs)),
      },
    },
  };
}

/** Share of the pairs of items that two permutations put in opposite order: 0 for the same, 1 for the reverse. */
export function kendallDistance(a: Genotype, b: Genotype): number {
  const rank = new Int32Array(b.length);
  b.forEach((item, position) => (rank[item] = position));
  const ranks = new Int32Array(a.length);
  a.forEach((item, position) => (ranks[position] = rank[item] ?? NaN));
  let opposite = 0;
  for (let i = 0; i < ranks.length; i++) {
    const before = ranks[i] ?? NaN;
    // The sign of the difference: a branch would be guessed wrong half of the time.
    for (let j = i + 1; j < ranks.length; j++) opposite += ((ranks[j] ?? NaN) - before) >>> 31;
  }
  return opposite / ((a.length * (a.length - 1)) / 2);
}

/** Share of the permutations that have this item (row) at this position (column). */
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

/** The items by mean position; of equal ones the lower item first. */
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
