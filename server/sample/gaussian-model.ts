import type { Model } from './model.ts';
import type { Genotype } from './problems.ts';
import { at, mean, range, sum } from './statistics.ts';

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
export function createGaussian(minSigma: number): Model {
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
