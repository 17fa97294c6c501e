import { describe, expect, test } from 'vitest';
import { computeEigenvalues, measureGaussianDrift, observeReal } from '#server/sample/telemetry.ts';

describe('computeEigenvalues', () => {
  test.each([
    [
      [
        [2, 1],
        [1, 2],
      ],
      [3, 1],
    ],
    [
      [
        [4, 0],
        [0, 9],
      ],
      [9, 4],
    ],
    [
      [
        [2, -1, 0],
        [-1, 2, -1],
        [0, -1, 2],
      ],
      [2 + Math.SQRT2, 2, 2 - Math.SQRT2],
    ],
    [
      [
        [0, 0],
        [0, 0],
      ],
      [0, 0],
    ],
  ])('of %j returns %j', (matrix, expected) => {
    const values = computeEigenvalues(matrix);
    expect(values).toHaveLength(expected.length);
    values.forEach((value, index) => expect(value).toBeCloseTo(expected[index]!, 12));
  });

  test('does not change the matrix', () => {
    const matrix = Object.freeze([Object.freeze([2, 1]), Object.freeze([1, 2])]);
    expect(computeEigenvalues(matrix)).toHaveLength(2);
  });
});

describe('measureGaussianDrift', () => {
  test('returns the divergence of the current from the previous normals in nats', () => {
    const current = { means: [1], sigmas: [1] };
    const previous = { means: [0], sigmas: [2] };
    const drift = measureGaussianDrift(current, previous);
    expect(drift.mean_l2).toBe(1);
    expect(drift.sigma_l2).toBe(1);
    expect(drift.gaussian_kl_diag).toBeCloseTo(Math.log(2) + 2 / 8 - 0.5, 12);
  });

  test('returns 0 for equal moments', () => {
    const moments = { means: [3, -1], sigmas: [0.5, 0] };
    expect(Object.values(measureGaussianDrift(moments, moments))).toEqual([0, 0, 0]);
  });
});

describe('observeReal', () => {
  const elite = Object.freeze([
    [0, 0],
    [2, 0],
    [0, 2],
    [2, 2],
  ]);
  const limits = { topK: 1, dependencyTopK: 0 };

  test('returns sample deviations, the trace of the covariance and the entropy', () => {
    const { telemetry } = observeReal({ population: elite, elite }, undefined, limits);
    const variance = 4 / 3;
    expect(telemetry.metrics.real_sigma_mean).toBeCloseTo(Math.sqrt(variance), 12);
    expect(telemetry.metrics.real_differential_entropy).toBeCloseTo(
      Math.log(2 * Math.PI * Math.E) + Math.log(variance),
      12,
    );
    expect(telemetry.diversity.covariance_trace).toBeCloseTo(2 * variance, 12);
    expect(telemetry.diversity.euclidean_elite).toBeCloseTo((4 * 2 + 2 * Math.SQRT2 * 2) / 6, 12);
    expect(telemetry.insights.collapsedDimensions).toEqual([]);
  });

  test('uses mean and deviation of the model if it has them', () => {
    const moments = { means: [5, 5], sigmas: [0.5, 1e-4] };
    const { telemetry } = observeReal({ population: elite, elite, moments }, undefined, limits);
    expect(telemetry.insights.meanVector).toMatchObject([{ text: '5.0' }, { text: '5.0' }]);
    expect(telemetry.insights.collapsedDimensions).toEqual([1]);
    expect(telemetry.insights.topVaryingDimensions).toMatchObject([{ dimension: 0 }]);
    expect(telemetry.metrics.real_collapsed_dim_ratio).toBe(0.5);
  });

  test('counts almost identical pairs', () => {
    const closePopulation = [
      [0, 0],
      [1e-9, 0],
      [1, 1],
    ];
    const { telemetry } = observeReal(
      { population: closePopulation, elite: closePopulation },
      undefined,
      limits,
    );
    expect(telemetry.diversity.near_identical_ratio).toBeCloseTo(1 / 3, 12);
  });
});
