import { coordinateMoments } from '#server/sample/gaussian-model.ts';
import { double, doubles } from '#server/recording/java-json.ts';
import type { Genotype } from '#server/sample/problems.ts';
import { at, euclideanDistance, mean, pairDistances, sum } from '#server/sample/statistics.ts';
import { symmetricEigenvalues } from './eigenvalues.ts';
import {
  type Moments,
  type Observation,
  type PopulationView,
  type TelemetryLimits,
  topIndices,
} from './view.ts';

const pairSampleLimit = 800;
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
      metrics: metricsOf(state.sigmas, eigenvalues),
      insights: insightsOf(state, eigenvalues, topK),
      drift: gaussianDrift(state, previous ?? state),
      diversity: diversityOf(population, elite, covariance),
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

function metricsOf(
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

function insightsOf({ means, sigmas }: Moments, eigenvalues: readonly number[], topK: number) {
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

function diversityOf(
  population: readonly Genotype[],
  elite: readonly Genotype[],
  covariance: readonly (readonly number[])[],
): Record<string, number> {
  const distances = pairDistances(population, euclideanDistance, pairSampleLimit);
  const eliteDistances = pairDistances(elite, euclideanDistance, pairSampleLimit);
  const identical = distances.filter((distance) => distance < identicalDistance);
  return {
    euclidean_population: mean(distances),
    euclidean_elite: eliteDistances.length === 0 ? 0 : mean(eliteDistances),
    near_identical_ratio: identical.length / distances.length,
    covariance_trace: sum(covariance.map((row, i) => at(row, i))),
  };
}
