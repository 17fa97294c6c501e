import { describe, expect, test } from 'vitest';
import {
  findConsensusPermutation,
  measureKendallDistance,
  observePermutation,
  computePositionDistribution,
} from '#server/sample/telemetry.ts';

test.each([
  [[0, 1, 2, 3], [0, 1, 2, 3], 0],
  [[0, 1, 2, 3], [3, 2, 1, 0], 1],
  [[0, 1, 2, 3], [1, 0, 2, 3], 1 / 6],
  [[2, 0, 1], [0, 1, 2], 2 / 3],
])('measureKendallDistance of %j and %j is %d', (a, b, distance) => {
  expect(measureKendallDistance(a, b)).toBeCloseTo(distance, 12);
  expect(measureKendallDistance(b, a)).toBeCloseTo(distance, 12);
});

test('positionDistribution returns the shares of positions (columns) by item (row)', () => {
  expect(
    computePositionDistribution([
      [0, 1, 2],
      [0, 2, 1],
    ]),
  ).toEqual([
    [1, 0, 0],
    [0, 0.5, 0.5],
    [0, 0.5, 0.5],
  ]);
});

test('consensusPermutation orders items by mean position, lower items first on ties', () => {
  expect(
    findConsensusPermutation([
      [2, 0, 1],
      [2, 1, 0],
    ]),
  ).toEqual([2, 0, 1]);
});

describe('observePermutation', () => {
  const elite = Object.freeze([
    [0, 1, 2],
    [0, 2, 1],
    [1, 2, 0],
    [0, 1, 2],
  ]);
  const limits = { topK: 2, dependencyTopK: 0 };
  const firstObservation = observePermutation({ population: elite, elite }, undefined, limits);

  test('counts cyclic successors, in order of first occurrence', () => {
    expect(Object.keys(firstObservation.state.adjacency)).toEqual([
      '0->1',
      '1->2',
      '2->0',
      '0->2',
      '2->1',
      '1->0',
    ]);
    expect(Object.values(firstObservation.state.adjacency)).toEqual([
      0.75, 0.75, 0.75, 0.25, 0.25, 0.25,
    ]);
    expect(firstObservation.telemetry.metrics.perm_top_edge_frequency).toBe(0.75);
  });

  test('returns trends relative to the previous generation, or to 0 without one', () => {
    const laterPopulation = [
      [0, 2, 1],
      [0, 2, 1],
    ];
    const secondObservation = observePermutation(
      { population: laterPopulation, elite: laterPopulation },
      firstObservation.state,
      limits,
    );
    expect(firstObservation.telemetry.insights.topAdjacencyEdges).toMatchObject([
      { from: 0, to: 1, frequency: { text: '0.75' }, trend: { text: '0.75' } },
      { from: 1, to: 2 },
    ]);
    expect(secondObservation.telemetry.insights.topAdjacencyEdges).toMatchObject([
      { from: 0, to: 2, frequency: { text: '1.0' }, trend: { text: '0.75' } },
      { from: 2, to: 1, trend: { text: '0.75' } },
    ]);
    expect(secondObservation.telemetry.drift.consensus_kendall).toBeCloseTo(1 / 3, 12);
  });

  test('returns the entropy of each item over its positions', () => {
    const { perm_size, perm_position_entropy_min } = firstObservation.telemetry.metrics;
    expect(perm_size).toBe(3);
    const entropyOfThreeToOne = -(0.75 * Math.log2(0.75) + 0.25 * Math.log2(0.25));
    expect(perm_position_entropy_min).toBeCloseTo(entropyOfThreeToOne, 12);
  });
});
