import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boxSummary } from '#server/stats/box.ts';
import { expectAllClose, expectClose, loadOracle } from './oracle.ts';

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
  const box = boxSummary(expected.x);

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

test('an empty sample is a box of nothing', () => {
  expect(boxSummary([null, NaN, undefined])).toEqual({
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

test('infinities are no part of a box, and the largest doubles make a finite one', () => {
  expect(boxSummary([Infinity, 1, 3, -Infinity])).toEqual(boxSummary([1, 3]));
  const largest = Number.MAX_VALUE;
  const box = boxSummary([-largest, -largest, largest, largest]);
  expect(box).toMatchObject({ q1: -largest, median: 0, q3: largest, mean: 0, outliers: [] });
  expect(box).toMatchObject({ whiskerLow: -largest, whiskerHigh: largest });
});

test('one value is all of its box and has no standard deviation', () => {
  expect(boxSummary([5])).toMatchObject({
    n: 1,
    q1: 5,
    whiskerLow: 5,
    whiskerHigh: 5,
    stdDev: null,
  });
});

test('without spread between the quartiles every other value is an outlier', () => {
  const box = boxSummary([2, 2, 2, 2, 2, 2, 2, 1, 3]);
  expect(box).toMatchObject({ whiskerLow: 2, whiskerHigh: 2, outliers: [1, 3] });
});

test('a value exactly on a fence is inside', () => {
  // Quartiles 2 and 4, so the fences stand at -1 and 7.
  const box = boxSummary([-1, 2, 3, 4, 7]);
  expect(box).toMatchObject({ q1: 2, q3: 4, whiskerLow: -1, whiskerHigh: 7, outliers: [] });
});

test('a value just beyond a fence is an outlier, and the whisker ends before it', () => {
  const box = boxSummary([-1.01, 2, 3, 4, 7.01]);
  expect(box).toMatchObject({ whiskerLow: 2, whiskerHigh: 4, outliers: [-1.01, 7.01] });
});

test('whiskers enclose the box and every value is inside them or an outlier', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1 }), (values) => {
      const box = boxSummary(Object.freeze(values));
      const [low, high] = [box.whiskerLow ?? NaN, box.whiskerHigh ?? NaN];
      expect(low).toBeLessThanOrEqual(box.q1 ?? NaN);
      expect(high).toBeGreaterThanOrEqual(box.q3 ?? NaN);
      const inside = values.filter((value) => value >= low && value <= high).length;
      expect(inside + box.outliers.length).toBe(values.length);
    }),
  );
});
