import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  getBinCount,
  computeBox,
  makeEqualWidthHistogram,
  makeEvaluationsHistogram,
  computeFiniteMedian,
  getFiniteValues,
  makeFitnessHistogram,
  makeHistogramBetween,
  getMaximum,
  computeMean,
  computeMedian,
  getMinimum,
  getPresentValues,
  computeQuantile,
  computeQuantileOfSorted,
  sortAscending,
  computeStandardDeviation,
  sum,
} from '#server/stats/descriptive.ts';
import { computeMeanInterval } from '#server/stats/convergence.ts';
import type { HistogramBin } from '#shared/schemas/analysis.ts';
import { expectAllClose, expectClose, loadOracle, getRelativeError } from './oracle.ts';

describe('sum', () => {
  test('small terms survive large ones that cancel', () => {
    expect(sum([1, 1e100, 1, -1e100])).toBe(2);
    expect(sum([0.1, 0.2, 0.3, -0.6])).toBeCloseTo(0, 16);
  });

  test('the sum of no values is 0', () => {
    expect(sum([])).toBe(0);
  });

  test('infinite terms give an infinite sum, opposite ones NaN', () => {
    expect(sum([1, Infinity, 2])).toBe(Infinity);
    expect(sum([-Infinity, 5])).toBe(-Infinity);
    expect(sum([Infinity, -Infinity])).toBeNaN();
  });

  test('whole numbers add up exactly in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (values) => {
        const exactSum = Number(values.reduce((total, value) => total + BigInt(value), 0n));
        expect(sum(values)).toBe(exactSum);
        expect(sum(values.toReversed())).toBe(exactSum);
      }),
    );
  });
});

describe('Mean, deviation and quantiles', () => {
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
    const values = Object.freeze(getPresentValues(expected.x));

    test('mean, median and standard deviation agree with the reference', () => {
      expectClose(computeMean(values), expected.mean);
      expectClose(computeMedian(values), expected.median);
      expectClose(computeStandardDeviation(values), expected.sd);
    });

    test('the 95 % and 90 % intervals agree with the reference', () => {
      const { interval } = computeMeanInterval(values);
      expectClose(interval?.lower, expected.ci95?.[0]);
      expectClose(interval?.upper, expected.ci95?.[1]);
      if (!expected.ci90) return;
      expectClose(computeMeanInterval(values, 0.9).interval?.lower, expected.ci90[0]);
      expectClose(computeMeanInterval(values, 0.9).interval?.upper, expected.ci90[1]);
    });
  });

  test('an empty sample has neither mean, deviation, extremes nor interval', () => {
    expect([computeMean([]), computeStandardDeviation([]), getMinimum([]), getMaximum([])]).toEqual(
      Array(4).fill(null),
    );
    expect(computeMeanInterval([])).toEqual({ mean: null, interval: null });
  });

  test('one value has a mean and no deviation or interval', () => {
    expect(computeStandardDeviation([4])).toBeNull();
    expect(computeMeanInterval([4])).toEqual({ mean: 4, interval: null });
  });

  test('equal values have exactly their value as mean and an interval of width 0', () => {
    const values = Array(7).fill(0.1) as number[];
    expect(computeStandardDeviation(values)).toBe(0);
    expect(computeMeanInterval(values)).toEqual({
      mean: 0.1,
      interval: { lower: 0.1, upper: 0.1 },
    });
  });

  test('null, undefined and NaN are missing values; infinities only for finiteValues', () => {
    expect(getPresentValues([1, null, undefined, NaN, Infinity])).toEqual([1, Infinity]);
    expect(getFiniteValues([1, null, undefined, NaN, Infinity, -Infinity])).toEqual([1]);
  });

  test('values next to the largest double do not overflow the mean', () => {
    expectClose(computeMean([1.7e308, 1.7e308, 1.4e308]), 1.6e308);
    expect(computeStandardDeviation([1.7e308, -1.7e308, -1.7e308])).toBeNull();
    // By exact fractions and mpmath's square root.
    expectClose(computeStandardDeviation([1e308, -1e308, 0, 0, 1e300]), 7.071067811865476e307);
    expect(computeMeanInterval([1.7e308, 1.7e308, 9e307]).interval).toBeNull();
    expect(computeMeanInterval([1.7e308, -1.7e308]).interval).toBeNull();
  });

  test('an infinite value makes the mean infinite and leaves no deviation', () => {
    expect(computeMean([1, Infinity])).toBe(Infinity);
    expect(computeStandardDeviation([1, Infinity])).toBeNull();
  });

  test('the deviation of tiny and of far away values keeps its digits', () => {
    expectClose(computeStandardDeviation([1e-200, 3e-200]), Math.SQRT2 * 1e-200);
    expectClose(computeStandardDeviation([1e9 + 1, 1e9 + 2, 1e9 + 3]), 1);
  });

  test('large samples do not exceed the number of arguments of a function', () => {
    const values = Array.from({ length: 300_000 }, (_, index) => index);
    expect([getMinimum(values), getMaximum(values), computeMean(values)]).toEqual([
      0, 299_999, 149_999.5,
    ]);
  });

  test('sorting is numeric and does not change its input', () => {
    const values = Object.freeze([10, -Infinity, 9, 1e-3, Infinity]);
    expect(sortAscending(values)).toEqual([-Infinity, 1e-3, 9, 10, Infinity]);
  });

  const integers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 40 });

  test('the mean moves with its values and the deviation does not', () => {
    fc.assert(
      fc.property(integers, fc.integer({ min: -500, max: 500 }), (values, shift) => {
        const movedValues = values.map((value) => value + shift);
        expect(computeMean(movedValues)).toBeCloseTo((computeMean(values) ?? NaN) + shift, 8);
        expect(computeStandardDeviation(movedValues)).toBeCloseTo(
          computeStandardDeviation(values) ?? NaN,
          8,
        );
      }),
    );
  });

  test('mean and deviation scale with their values', () => {
    fc.assert(
      fc.property(integers, fc.constantFrom(0.5, 2, 1024), (values, factor) => {
        const scaledValues = values.map((value) => value * factor);
        expectClose(computeMean(scaledValues), (computeMean(values) ?? NaN) * factor);
        expectClose(
          computeStandardDeviation(scaledValues),
          (computeStandardDeviation(values) ?? NaN) * factor,
        );
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
      const maximum = Math.max(...expected.x.filter(Number.isFinite).map(Math.abs));

      test('every quantile agrees with the reference', () => {
        expected.p.forEach((probability, index) => {
          const actual = computeQuantile(expected.x, probability);
          const reference = expected.type7[index] ?? null;
          if (actual === null || !Number.isFinite(reference)) expect(actual).toBe(reference);
          else expect(Math.abs(actual - (reference ?? NaN))).toBeLessThanOrEqual(1e-15 * maximum);
        });
      });

      test('the median agrees with the reference', () => {
        expect(getRelativeError(computeMedian(expected.x), expected.median)).toBeLessThanOrEqual(
          1e-12,
        );
      });
    },
  );

  test('no values have no quantile', () => {
    expect(computeQuantile([], 0.5)).toBeNull();
    expect(computeQuantileOfSorted([], 0)).toBeNull();
  });

  test('the ends are the smallest and the largest value', () => {
    expect(computeQuantile([3, 1, 2], 0)).toBe(1);
    expect(computeQuantile([3, 1, 2], 1)).toBe(3);
  });

  test('an infinite neighbour counts only where the quantile lies beyond a value', () => {
    expect(computeQuantile([1, 2, Infinity], 0.5)).toBe(2);
    expect(computeQuantile([1, 2, Infinity], 0.75)).toBe(Infinity);
    expect(computeQuantile([Infinity, Infinity], 0.3)).toBe(Infinity);
  });

  test('the median of two equal infinities is that infinity, of opposite ones there is none', () => {
    expect(computeMedian([Infinity, 1, Infinity])).toBe(Infinity);
    expect(computeMedian([-Infinity, -Infinity])).toBe(-Infinity);
    expect(computeMedian([-Infinity, Infinity])).toBeNull();
  });

  test('the finite median includes infinities, and is null if it is infinite', () => {
    expect(computeFiniteMedian([Infinity, 3, 1])).toBe(3);
    expect(computeFiniteMedian([Infinity, 3, 1, Infinity])).toBeNull();
    expect(computeFiniteMedian([-Infinity, Infinity])).toBeNull();
    expect(computeFiniteMedian([])).toBeNull();
  });

  test('the difference of huge values does not overflow', () => {
    expect(computeQuantile([-1.7e308, 1.7e308], 0.5)).toBe(0);
  });

  test('quantiles do not depend on the order of the values and grow with the probability', () => {
    const values = fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (sample, probability) => {
        const frozenSample = Object.freeze(sample);
        const value = computeQuantile(frozenSample, probability) ?? NaN;
        expect(computeQuantile(frozenSample.toReversed(), probability)).toBe(value);
        expect(
          computeQuantile(frozenSample, Math.min(1, probability + 0.1)) ?? NaN,
        ).toBeGreaterThanOrEqual(value);
      }),
    );
  });
});

describe('computeBox', () => {
  interface BoxOracle {
    cases: {
      name: string;
      x: number[];
      q1: number;
      median: number;
      q3: number;
      whisker_low: number;
      whisker_high: number;
      outliers: number[];
      mean: number;
      min: number;
      max: number;
    }[];
  }

  describe.each((loadOracle('boxplot') as BoxOracle).cases)('of the case $name', (expected) => {
    const box = computeBox(expected.x);

    test('box, whiskers and outliers agree with the reference', () => {
      expectAllClose(
        [box.min, box.q1, box.median, box.q3, box.max, box.mean],
        [expected.min, expected.q1, expected.median, expected.q3, expected.max, expected.mean],
      );
      expectClose(box.whiskerLow, expected.whisker_low);
      expectClose(box.whiskerHigh, expected.whisker_high);
      expectAllClose(
        box.outliers,
        expected.outliers.toSorted((a, b) => a - b),
      );
      expect(box.n).toBe(expected.x.length);
    });
  });

  test('an empty sample has a box without values', () => {
    expect(computeBox([null, NaN, undefined])).toEqual({
      n: 0,
      min: null,
      q1: null,
      median: null,
      q3: null,
      max: null,
      mean: null,
      stdDev: null,
      whiskerLow: null,
      whiskerHigh: null,
      outliers: [],
    });
  });

  test('infinities are not in a box, and the largest doubles give a finite box', () => {
    expect(computeBox([Infinity, 1, 3, -Infinity])).toEqual(computeBox([1, 3]));
    const largestDouble = Number.MAX_VALUE;
    const box = computeBox([-largestDouble, -largestDouble, largestDouble, largestDouble]);
    expect(box).toMatchObject({
      q1: -largestDouble,
      median: 0,
      q3: largestDouble,
      mean: 0,
      outliers: [],
    });
    expect(box).toMatchObject({ whiskerLow: -largestDouble, whiskerHigh: largestDouble });
  });

  test('one value is every value of its box and has no standard deviation', () => {
    expect(computeBox([5])).toMatchObject({
      n: 1,
      q1: 5,
      whiskerLow: 5,
      whiskerHigh: 5,
      stdDev: null,
    });
  });

  test('without spread between the quartiles every other value is an outlier', () => {
    const box = computeBox([2, 2, 2, 2, 2, 2, 2, 1, 3]);
    expect(box).toMatchObject({ whiskerLow: 2, whiskerHigh: 2, outliers: [1, 3] });
  });

  test('a value exactly on a fence is inside', () => {
    // Quartiles 2 and 4, so the fences are at -1 and 7.
    const box = computeBox([-1, 2, 3, 4, 7]);
    expect(box).toMatchObject({ q1: 2, q3: 4, whiskerLow: -1, whiskerHigh: 7, outliers: [] });
  });

  test('a value just beyond a fence is an outlier, and the whisker ends before it', () => {
    const box = computeBox([-1.01, 2, 3, 4, 7.01]);
    expect(box).toMatchObject({ whiskerLow: 2, whiskerHigh: 4, outliers: [-1.01, 7.01] });
  });

  test('whiskers enclose the box and every value is inside them or an outlier', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1 }), (values) => {
        const box = computeBox(Object.freeze(values));
        const [low, high] = [box.whiskerLow ?? NaN, box.whiskerHigh ?? NaN];
        expect(low).toBeLessThanOrEqual(box.q1 ?? NaN);
        expect(high).toBeGreaterThanOrEqual(box.q3 ?? NaN);
        const insideCount = values.filter((value) => value >= low && value <= high).length;
        expect(insideCount + box.outliers.length).toBe(values.length);
      }),
    );
  });
});

describe('Histograms', () => {
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
        const bins = makeHistogramBetween(expected.x, expected.given_edges);
        expect(bins.map((bin) => bin.count)).toEqual(expected.counts);
        return;
      }
      expectBins(makeEqualWidthHistogram(expected.x, 5), expected.bins5);
      expectBins(makeEqualWidthHistogram(expected.x, 10), expected.bins10);
    });
  });

  function expectBins(bins: HistogramBin[], { counts, edges }: Bins) {
    expect(bins.map((bin) => bin.count)).toEqual(counts);
    const starts = bins.map((bin) => bin.startInclusive);
    expectAllClose([...starts, bins.at(-1)?.endExclusive], edges);
  }

  test('values beyond the edges are in no bin', () => {
    const bins = makeHistogramBetween([-1, 0, 1, 2, 3], [0, 1, 2]);
    expect(bins.map((bin) => bin.count)).toEqual([1, 2]);
    expect(makeHistogramBetween([1], [])).toEqual([]);
  });

  test('the number of bins is the root of the number of values, from 1 to 24', () => {
    expect([0, 1, 2, 4, 5, 100, 576, 577, 1e6].map(getBinCount)).toEqual([
      1, 1, 2, 2, 3, 10, 24, 24, 24,
    ]);
  });

  test('no values have no bins', () => {
    expect(makeEqualWidthHistogram([], 5)).toEqual([]);
    expect(makeFitnessHistogram([])).toEqual([]);
    expect(makeEvaluationsHistogram([])).toEqual([]);
  });

  test('equal fitness values are in one bin around them, for any size', () => {
    expect(makeFitnessHistogram([2, 2, 2])).toEqual([
      { startInclusive: 1.5, endExclusive: 2.5, count: 3 },
    ]);
    // As NumPy has it, however wide that is for a small value.
    const [narrowBin] = makeFitnessHistogram([0.5, 0.5]);
    expect(narrowBin).toMatchObject({ startInclusive: 0, endExclusive: 1, count: 2 });
    const [bin] = makeFitnessHistogram([1e300, 1e300]);
    expect(bin?.count).toBe(2);
    expect(bin?.startInclusive).toBeLessThan(bin?.endExclusive ?? 0);
  });

  test('whole fitness values are in whole bins around them', () => {
    const bins = (values: number[]) =>
      makeFitnessHistogram(values).map(({ startInclusive, endExclusive, count }) => [
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
    const counts = makeEqualWidthHistogram([-1.7e308, 0, 1.7e308], 2).map((bin) => bin.count);
    expect(counts).toEqual([1, 2]);
  });

  test.each([
    [[-Number.MAX_VALUE, 0, 1, 2, Number.MAX_VALUE]],
    [[-Number.MAX_VALUE, Number.MAX_VALUE, Infinity, -Infinity]],
    [[Number.MAX_VALUE, Number.MAX_VALUE]],
    [[-Number.MAX_VALUE]],
  ])('edges are finite and every finite value is counted: %j', (values) => {
    for (const bins of [makeFitnessHistogram(values), makeEqualWidthHistogram(values, 24)]) {
      const edges = bins.flatMap(({ startInclusive, endExclusive }) => [
        startInclusive,
        endExclusive,
      ]);
      expect(edges.every(Number.isFinite)).toBe(true);
      expect(edges).toEqual(edges.toSorted((a, b) => a - b));
      const totalCount = bins.reduce((total, bin) => total + bin.count, 0);
      expect(totalCount).toBe(values.filter(Number.isFinite).length);
    }
  });

  test('evaluations are in bins of one whole width that cover them all', () => {
    expect(makeEvaluationsHistogram([5, 5, 5, 9])).toEqual([
      { startInclusive: 5, endExclusive: 8, count: 3 },
      { startInclusive: 8, endExclusive: 11, count: 1 },
    ]);
    expect(makeEvaluationsHistogram([40])).toEqual([
      { startInclusive: 40, endExclusive: 41, count: 1 },
    ]);
  });

  test('every value is in exactly one bin', () => {
    const values = fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 700 });
    fc.assert(
      fc.property(values, (sample) => {
        const bins = makeEvaluationsHistogram(Object.freeze(sample));
        expect(bins).toHaveLength(getBinCount(sample.length));
        for (const { startInclusive, endExclusive, count } of bins) {
          const binValues = sample.filter(
            (value) => value >= startInclusive && value < endExclusive,
          );
          expect(binValues).toHaveLength(count);
          expect(Number.isInteger(endExclusive - startInclusive)).toBe(true);
        }
        const totalCount = makeFitnessHistogram(sample).reduce(
          (total, bin) => total + bin.count,
          0,
        );
        expect(totalCount).toBe(sample.length);
      }),
    );
  });
});
