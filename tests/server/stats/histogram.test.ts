import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HistogramBin } from '#shared/schemas/analysis.ts';
import {
  binCount,
  equalWidthHistogram,
  evaluationsHistogram,
  fitnessHistogram,
  histogramBetween,
} from '#server/stats/histogram.ts';
import { expectAllClose, loadOracle } from './oracle.ts';

interface Bins {
  counts: number[];
  edges: number[];
}

type HistogramCase = { name: string; x: number[] } & (
  { bins5: Bins; bins10: Bins } | { given_edges: number[]; counts: number[] }
);

const { cases } = loadOracle('histogram') as { cases: HistogramCase[] };

describe.each(cases)('of the case $name', (expected) => {
  test('counts and edges agree with the reference', () => {
    if ('given_edges' in expected) {
      const bins = histogramBetween(expected.x, expected.given_edges);
      expect(bins.map((bin) => bin.count)).toEqual(expected.counts);
      return;
    }
    expectBins(equalWidthHistogram(expected.x, 5), expected.bins5);
    expectBins(equalWidthHistogram(expected.x, 10), expected.bins10);
  });
});

function expectBins(bins: HistogramBin[], { counts, edges }: Bins) {
  expect(bins.map((bin) => bin.count)).toEqual(counts);
  const starts = bins.map((bin) => bin.startInclusive);
  expectAllClose([...starts, bins.at(-1)?.endExclusive], edges);
}

test('values beyond the edges are in no bin', () => {
  const bins = histogramBetween([-1, 0, 1, 2, 3], [0, 1, 2]);
  expect(bins.map((bin) => bin.count)).toEqual([1, 2]);
  expect(histogramBetween([1], [])).toEqual([]);
});

test('the number of bins is the root of the number of values, from 1 to 24', () => {
  expect([0, 1, 2, 4, 5, 100, 576, 577, 1e6].map(binCount)).toEqual([
    1, 1, 2, 2, 3, 10, 24, 24, 24,
  ]);
});

test('no values have no bins', () => {
  expect(equalWidthHistogram([], 5)).toEqual([]);
  expect(fitnessHistogram([])).toEqual([]);
  expect(evaluationsHistogram([])).toEqual([]);
});

test('equal fitness values stand in one bin around them, however large they are', () => {
  expect(fitnessHistogram([2, 2, 2])).toEqual([
    { startInclusive: 1.5, endExclusive: 2.5, count: 3 },
  ]);
  // As NumPy has it, however wide that is for a small value.
  const [narrow] = fitnessHistogram([0.5, 0.5]);
  expect(narrow).toMatchObject({ startInclusive: 0, endExclusive: 1, count: 2 });
  const [bin] = fitnessHistogram([1e300, 1e300]);
  expect(bin?.count).toBe(2);
  expect(bin?.startInclusive).toBeLessThan(bin?.endExclusive ?? 0);
});

test('whole fitness values stand in whole bins around them', () => {
  const bins = (values: number[]) =>
    fitnessHistogram(values).map(({ startInclusive, endExclusive, count }) => [
      startInclusive,
      endExclusive,
      count,
    ]);
  expect(bins([31, 31, 32, 32, 32, 33, 33, 33, 33])).toEqual([
    [30.5, 31.5, 2],
    [31.5, 32.5, 3],
    [32.5, 33.5, 4],
  ]);
  expect(bins([10, 15])).toEqual([
    [9.5, 12.5, 1],
    [12.5, 15.5, 1],
  ]);
  expect(bins([0.5, 1.5]).flat()).toEqual([0.5, 1, 1, 1, 1.5, 1]);
});

test('a range wider than the largest double is still divided', () => {
  const counts = equalWidthHistogram([-1.7e308, 0, 1.7e308], 2).map((bin) => bin.count);
  expect(counts).toEqual([1, 2]);
});

test.each([
  [[-Number.MAX_VALUE, 0, 1, 2, Number.MAX_VALUE]],
  [[-Number.MAX_VALUE, Number.MAX_VALUE, Infinity, -Infinity]],
  [[Number.MAX_VALUE, Number.MAX_VALUE]],
  [[-Number.MAX_VALUE]],
])('edges are finite and every finite value is counted: %j', (values) => {
  for (const bins of [fitnessHistogram(values), equalWidthHistogram(values, 24)]) {
    const edges = bins.flatMap(({ startInclusive, endExclusive }) => [
      startInclusive,
      endExclusive,
    ]);
    expect(edges.every(Number.isFinite)).toBe(true);
    expect(edges).toEqual(edges.toSorted((a, b) => a - b));
    const counted = bins.reduce((total, bin) => total + bin.count, 0);
    expect(counted).toBe(values.filter(Number.isFinite).length);
  }
});

test('evaluations stand in bins of one whole width that cover them all', () => {
  expect(evaluationsHistogram([5, 5, 5, 9])).toEqual([
    { startInclusive: 5, endExclusive: 8, count: 3 },
    { startInclusive: 8, endExclusive: 11, count: 1 },
  ]);
  expect(evaluationsHistogram([40])).toEqual([{ startInclusive: 40, endExclusive: 41, count: 1 }]);
});

test('every value is in exactly one bin', () => {
  const values = fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 700 });
  fc.assert(
    fc.property(values, (sample) => {
      const bins = evaluationsHistogram(Object.freeze(sample));
      expect(bins).toHaveLength(binCount(sample.length));
      for (const { startInclusive, endExclusive, count } of bins) {
        const inside = sample.filter((value) => value >= startInclusive && value < endExclusive);
        expect(inside).toHaveLength(count);
        expect(Number.isInteger(endExclusive - startInclusive)).toBe(true);
      }
      const counted = fitnessHistogram(sample).reduce((total, bin) => total + bin.count, 0);
      expect(counted).toBe(sample.length);
    }),
  );
});
