import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectClose, loadOracle, relativeError } from './oracle.ts';
import {
  finiteValues,
  maximum,
  mean,
  minimum,
  presentValues,
  sortAscending,
  standardDeviation,
  median,
  finiteMedian,
  quantile,
  quantileOfSorted,
} from '#server/stats/descriptive.ts';
import { meanInterval } from '#server/stats/mean-interval.ts';

interface MeanOracle {
  cases: {
    name: string;
    x: (number | null)[];
    mean: number | null;
    median: number | null;
    sd: number | null;
    se: number | null;
    ci95: [number, number] | null;
    ci90?: [number, number] | null;
  }[];
}

describe.each((loadOracle('mean_ci') as MeanOracle).cases)('of the case $name', (expected) => {
  const values = Object.freeze(presentValues(expected.x));

  test('mean, median and standard deviation agree with the reference', () => {
    expectClose(mean(values), expected.mean);
    expectClose(median(values), expected.median);
    expectClose(standardDeviation(values), expected.sd);
  });

  test('the 95 % and 90 % intervals agree with the reference', () => {
    const { interval } = meanInterval(values);
    expectClose(interval?.lower, expected.ci95?.[0]);
    expectClose(interval?.upper, expected.ci95?.[1]);
    if (!expected.ci90) return;
    expectClose(meanInterval(values, 0.9).interval?.lower, expected.ci90[0]);
    expectClose(meanInterval(values, 0.9).interval?.upper, expected.ci90[1]);
  });
});

test('an empty sample has neither mean, deviation, extremes nor interval', () => {
  expect([mean([]), standardDeviation([]), minimum([]), maximum([])]).toEqual(Array(4).fill(null));
  expect(meanInterval([])).toEqual({ mean: null, interval: null });
});

test('one value has a mean and no deviation or interval', () => {
  expect(standardDeviation([4])).toBeNull();
  expect(meanInterval([4])).toEqual({ mean: 4, interval: null });
});

test('equal values have exactly their mean and an interval of width 0', () => {
  const values = Array(7).fill(0.1) as number[];
  expect(standardDeviation(values)).toBe(0);
  expect(meanInterval(values)).toEqual({ mean: 0.1, interval: { lower: 0.1, upper: 0.1 } });
});

test('null, undefined and NaN are missing values; infinities only where finite ones are asked', () => {
  expect(presentValues([1, null, undefined, NaN, Infinity])).toEqual([1, Infinity]);
  expect(finiteValues([1, null, undefined, NaN, Infinity, -Infinity])).toEqual([1]);
});

test('values next to the largest double do not overflow the mean', () => {
  expectClose(mean([1.7e308, 1.7e308, 1.4e308]), 1.6e308);
  expect(standardDeviation([1.7e308, -1.7e308, -1.7e308])).toBeNull();
  // By exact fractions and mpmath's square root.
  expectClose(standardDeviation([1e308, -1e308, 0, 0, 1e300]), 7.071067811865476e307);
  expect(meanInterval([1.7e308, 1.7e308, 9e307]).interval).toBeNull();
  expect(meanInterval([1.7e308, -1.7e308]).interval).toBeNull();
});

test('an infinite value makes the mean infinite and leaves no deviation', () => {
  expect(mean([1, Infinity])).toBe(Infinity);
  expect(standardDeviation([1, Infinity])).toBeNull();
});

test('the deviation of tiny and of far away values keeps its digits', () => {
  expectClose(standardDeviation([1e-200, 3e-200]), Math.SQRT2 * 1e-200);
  expectClose(standardDeviation([1e9 + 1, 1e9 + 2, 1e9 + 3]), 1);
});

test('large samples take no more arguments than the engine has', () => {
  const values = Array.from({ length: 300_000 }, (_, index) => index);
  expect([minimum(values), maximum(values), mean(values)]).toEqual([0, 299_999, 149_999.5]);
});

test('sorting is numeric and leaves its input alone', () => {
  const values = Object.freeze([10, -Infinity, 9, 1e-3, Infinity]);
  expect(sortAscending(values)).toEqual([-Infinity, 1e-3, 9, 10, Infinity]);
});

const integers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 40 });

test('the mean moves with its values and the deviation does not', () => {
  fc.assert(
    fc.property(integers, fc.integer({ min: -500, max: 500 }), (values, shift) => {
      const moved = values.map((value) => value + shift);
      expect(mean(moved)).toBeCloseTo((mean(values) ?? NaN) + shift, 8);
      expect(standardDeviation(moved)).toBeCloseTo(standardDeviation(values) ?? NaN, 8);
    }),
  );
});

test('mean and deviation scale with their values', () => {
  fc.assert(
    fc.property(integers, fc.constantFrom(0.5, 2, 1024), (values, factor) => {
      const scaled = values.map((value) => value * factor);
      expectClose(mean(scaled), (mean(values) ?? NaN) * factor);
      expectClose(standardDeviation(scaled), (standardDeviation(values) ?? NaN) * factor);
    }),
  );
});

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
