import { describe, expect, test } from 'vitest';
import {
  measureBinaryDrift,
  measureHammingDistance,
  observeBinary,
  measureDependency,
  findDependencyClusters,
} from '#server/sample/telemetry.ts';

const elite = Object.freeze([
  [1, 0, 1],
  [1, 0, 0],
  [1, 1, 1],
  [1, 1, 0],
]);
const limits = { topK: 2, dependencyTopK: 2 };

describe('observeBinary', () => {
  const { telemetry } = observeBinary({ population: elite, elite }, undefined, limits);

  test('returns the entropy of the marginals: 0 for a fixed bit, 1 for a share of ones of 0.5', () => {
    expect(telemetry.metrics).toMatchObject({
      binary_length: 3,
      binary_mean_probability: 2 / 3,
      binary_mean_entropy: 2 / 3,
      binary_min_entropy: 0,
      binary_max_entropy: 1,
      binary_fixation_ratio: 1 / 3,
      binary_mean_certainty: 1 / 3,
    });
  });

  test('lists the most decided and the most uncertain bits, lower index first on ties', () => {
    expect(telemetry.insights.topDecidedBits).toMatchObject([
      { index: 0, certainty: { text: '1.0' }, probability: { text: '1.0' } },
      { index: 1, certainty: { text: '0.0' }, probability: { text: '0.5' } },
    ]);
    expect(telemetry.insights.topUncertainBits).toMatchObject([{ index: 1 }, { index: 2 }]);
  });

  test('returns the mean Hamming distance of pairs as diversity', () => {
    expect(telemetry.diversity.hamming_population).toBeCloseTo((1 + 1 + 2 + 2 + 1 + 1) / 3 / 6, 12);
  });

  test('returns a drift of 0 without a previous generation', () => {
    expect(Object.values(telemetry.drift)).toEqual([0, 0, 0, 0]);
  });
});

describe('measureDependency', () => {
  test('adds one to each cell: 15 equal pairs of ones have 0.0914 bits and phi = 15/34', () => {
    const genotypes = Array.from({ length: 15 }, () => [1, 1]);
    const { weight, correlation } = measureDependency(genotypes, 0, 1);
    expect(weight).toBeCloseTo(0.09141506067982041, 12);
    expect(correlation).toBeCloseTo(15 / 34, 12);
  });

  test('returns 0 for independent bits', () => {
    const genotypes = [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ];
    expect(measureDependency(genotypes, 0, 1)).toMatchObject({ weight: 0, correlation: 0 });
  });

  test('returns a negative correlation for bits that are never equal', () => {
    const genotypes = [
      [0, 1],
      [1, 0],
      [0, 1],
      [1, 0],
    ];
    expect(measureDependency(genotypes, 0, 1).correlation).toBeCloseTo((1 - 9) / 16, 12);
  });
});

describe('findDependencyClusters', () => {
  test('joins connected bits into sorted clusters and omits edges of weight 0', () => {
    const edge = (i: number, j: number, weight = 1) => ({ i, j, weight, correlation: 0 });
    expect(findDependencyClusters([edge(7, 9), edge(1, 11), edge(0, 3), edge(1, 29)])).toEqual([
      [0, 3],
      [1, 11, 29],
      [7, 9],
    ]);
    expect(findDependencyClusters([edge(0, 1, 0)])).toEqual([]);
    expect(findDependencyClusters([edge(0, 1), edge(2, 3), edge(1, 2)])).toEqual([[0, 1, 2, 3]]);
  });
});

describe('measureBinaryDrift', () => {
  test('sums over the bits; the divergence of the current from the previous generation is in nats', () => {
    const current = { probabilities: [0.75, 0.5], meanEntropy: 0.9 };
    const previous = { probabilities: [0.5, 0.5], meanEntropy: 1 };
    const drift = measureBinaryDrift(current, previous);
    expect(drift.binary_prob_l1).toBeCloseTo(0.25, 12);
    expect(drift.binary_prob_l2).toBeCloseTo(0.25, 12);
    expect(drift.binary_prob_kl).toBeCloseTo(0.75 * Math.log(1.5) + 0.25 * Math.log(0.5), 12);
    expect(drift.binary_entropy_delta).toBeCloseTo(0.1, 12);
  });

  test('is finite if a bit was fixed and no longer is', () => {
    const fixedBit = { probabilities: [1], meanEntropy: 0 };
    const openBit = { probabilities: [0.5], meanEntropy: 1 };
    expect(measureBinaryDrift(openBit, fixedBit).binary_prob_kl).toBeCloseTo(
      0.5 * Math.log(0.5) + 0.5 * Math.log(0.5 / 1e-12),
      3,
    );
  });
});

test('measureHammingDistance returns the share of positions that differ', () => {
  expect(measureHammingDistance([0, 1, 1, 0], [0, 0, 1, 1])).toBe(0.5);
  expect(measureHammingDistance([1], [1])).toBe(0);
});
