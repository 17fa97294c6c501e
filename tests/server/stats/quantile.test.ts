import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finiteMedian, median, quantile, quantileOfSorted } from '#server/stats/quantile.ts';
import { loadOracle, relativeError } from './oracle.ts';

interface QuantileOracle {
  cases: {
    name: string;
    x: number[];
    p: number[];
    type7: (number | null)[];
    median: number | null;
  }[];
}

describe.each((loadOracle('quantiles') as QuantileOracle).cases)(
  'of the case $name',
  (expected) => {
    const largest = Math.max(...expected.x.filter(Number.isFinite).map(Math.abs));

    test('every quantile agrees with the reference', () => {
      expected.p.forEach((probability, index) => {
        const actual = quantile(expected.x, probability);
        const reference = expected.type7[index] ?? null;
        if (actual === null || !Number.isFinite(reference)) expect(actual).toBe(reference);
        else expect(Math.abs(actual - (reference ?? NaN))).toBeLessThanOrEqual(1e-15 * largest);
      });
    });

    test('the median agrees with the reference', () => {
      expect(relativeError(median(expected.x), expected.median)).toBeLessThanOrEqual(1e-12);
    });
  },
);

test('no values have no quantile', () => {
  expect(quantile([], 0.5)).toBeNull();
  expect(quantileOfSorted([], 0)).toBeNull();
});

test('the ends are the smallest and the largest value', () => {
  expect(quantile([3, 1, 2], 0)).toBe(1);
  expect(quantile([3, 1, 2], 1)).toBe(3);
});

test('an infinite neighbour counts only where the quantile lies beyond a value', () => {
  expect(quantile([1, 2, Infinity], 0.5)).toBe(2);
  expect(quantile([1, 2, Infinity], 0.75)).toBe(Infinity);
  expect(quantile([Infinity, Infinity], 0.3)).toBe(Infinity);
});

test('the median of two equal infinities is that infinity, of opposite ones there is none', () => {
  expect(median([Infinity, 1, Infinity])).toBe(Infinity);
  expect(median([-Infinity, -Infinity])).toBe(-Infinity);
  expect(median([-Infinity, Infinity])).toBeNull();
});

test('the finite median takes infinities for values, and is none where it falls on one', () => {
  expect(finiteMedian([Infinity, 3, 1])).toBe(3);
  expect(finiteMedian([Infinity, 3, 1, Infinity])).toBeNull();
  expect(finiteMedian([-Infinity, Infinity])).toBeNull();
  expect(finiteMedian([])).toBeNull();
});

test('huge values do not overflow between each other', () => {
  expect(quantile([-1.7e308, 1.7e308], 0.5)).toBe(0);
});

test('quantiles do not depend on the order of the values and grow with the probability', () => {
  const values = fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (sample, probability) => {
      const frozen = Object.freeze(sample);
      const value = quantile(frozen, probability) ?? NaN;
      expect(quantile(frozen.toReversed(), probability)).toBe(value);
      expect(quantile(frozen, Math.min(1, probability + 0.1)) ?? NaN).toBeGreaterThanOrEqual(value);
    }),
  );
});
