import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeMedian } from '#server/stats/descriptive.ts';
import {
  computeHodgesLehmann,
  computeShiftIntervals,
  computeVarghaDelaney,
} from '#server/stats/effect-size.ts';
import { testMannWhitney } from '#server/stats/mann-whitney.ts';
import { makeRankSumPairs } from '#server/stats/pairwise-tests.ts';
import { expectClose, loadOracle } from './oracle.ts';

describe('Effect size A12', () => {
  const effect = (a: number[], b: number[], direction: 'min' | 'max') =>
    computeVarghaDelaney(testMannWhitney(a, b).u ?? NaN, a.length, b.length, direction);

  test('above one half A is better: larger values when maximising, smaller ones when minimising', () => {
    expect(effect([5, 6], [1, 2], 'max')).toBe(1);
    expect(effect([5, 6], [1, 2], 'min')).toBe(0);
    expect(effect([1, 2], [1, 2], 'min')).toBe(0.5);
  });

  test('equals the share of pairs that A wins, with ties counted half', () => {
    const sample = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        const wins = a.flatMap((x) => b.map((y) => (x > y ? 1 : Number(x === y) / 2)));
        const share = wins.reduce((total, win) => total + win, 0) / wins.length;
        expect(effect(a, b, 'max')).toBeCloseTo(share, 12);
        expect(effect(b, a, 'max')).toBeCloseTo(1 - share, 12);
      }),
    );
  });

  interface Case {
    name: string;
    x: number[];
    y: number[];
    A12: number;
    lower: number | null;
    upper: number | null;
    A12_min: number;
    lower_min: number | null;
    upper_min: number | null;
    magnitude: string;
    shift: number | null;
  }

  describe('effect size, interval, label and shift agree with the reference', () => {
    const { cases } = loadOracle('a12_delong') as { cases: Case[] };

    test.each(cases)('$name', (expected) => {
      const samples = [
        { name: 'x', sample: expected.x },
        { name: 'y', sample: expected.y },
      ];
      const [max] = makeRankSumPairs(samples, 'max');
      const [min] = makeRankSumPairs(samples, 'min');
      const comparedValues = [
        [max?.effectSize, expected.A12],
        [max?.effectInterval?.lower ?? null, expected.lower],
        [max?.effectInterval?.upper ?? null, expected.upper],
        [min?.effectSize, expected.A12_min],
        [min?.effectInterval?.lower ?? null, expected.lower_min],
        [min?.effectInterval?.upper ?? null, expected.upper_min],
      ];
      for (const [actual, value] of comparedValues) expectAbsolute(actual, value);
      expect([max?.effectLabel, min?.effectLabel]).toEqual([
        expected.magnitude,
        expected.magnitude,
      ]);
      expectClose(computeHodgesLehmann(expected.x, expected.y), expected.shift);
      const expectedShift = Number.isFinite(expected.shift) ? expected.shift : null;
      expectClose(max?.shift, expectedShift);
      expectClose(min?.shift, expectedShift);
    });
  });

  function expectAbsolute(actual: number | null | undefined, expected: number | null | undefined) {
    if (expected === null || expected === undefined) expect(actual).toBe(expected);
    else expect(Math.abs((actual ?? NaN) - expected)).toBeLessThanOrEqual(1e-12);
  }
});

describe('computeHodgesLehmann', () => {
  const computePlainEffect = (a: number[], b: number[]) =>
    computeMedian(a.flatMap((x) => b.map((y) => (x === y ? 0 : x - y))));

  test('returns the median of all differences, including ties and infinities', () => {
    const value = fc.oneof(
      fc.integer({ min: -5, max: 5 }),
      fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
      fc.constantFrom(Infinity, -Infinity, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324),
    );
    const sample = fc.array(value, { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        expect(computeHodgesLehmann(a, b)).toBe(computePlainEffect(a, b));
      }),
      { numRuns: 2_000 },
    );
  });

  test('an empty sample has no shift', () => {
    expect(computeHodgesLehmann([], [1])).toBeNull();
    expect(computeHodgesLehmann([1], [])).toBeNull();
  });
});

describe('computeShiftIntervals', () => {
  const computeShiftInterval = (a: readonly number[], b: readonly number[], alpha = 0.05) =>
    computeShiftIntervals(a, b, [alpha])[0] ?? null;

  // Depression scores of R's wilcox.test: its conf.int is [-0.15, 0.76].
  const a = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
  const b = [1.15, 0.88, 0.9, 0.74, 1.21];

  test('agrees with the exact interval of R, and with ties with a count of all labellings', () => {
    const expectEnds = (interval: unknown, lower: number, upper: number) =>
      expect(interval).toEqual({
        lower: expect.closeTo(lower, 12) as number,
        upper: expect.closeTo(upper, 12) as number,
      });
    expectEnds(computeShiftInterval(a, b), -0.15, 0.76);
    expectEnds(computeShiftInterval(a, b, 0.01), -0.35, 1.01);
    expectEnds(computeShiftInterval([1, 2, 2, 3, 3, 3, 4], [2, 3, 3, 4, 4, 5, 5, 6]), -3, 0);
  });

  test('contains the shifts that the rank-sum test does not reject', () => {
    const sample = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), {
      minLength: 4,
      maxLength: 8,
    });
    fc.assert(
      fc.property(sample, sample, (x, integers) => {
        const y = integers.map((value) => value + 0.5);
        const interval = computeShiftInterval(x, y);
        fc.pre(interval !== null);
        const isRejected = (shift: number) => {
          const shiftedSample = x.map((value) => value - shift);
          return (testMannWhitney(shiftedSample, y).pValue ?? NaN) <= 0.05;
        };
        expect(isRejected(interval.lower - 0.25)).toBe(true);
        expect(isRejected(interval.upper + 0.25)).toBe(true);
        fc.pre(interval.lower < interval.upper);
        expect(isRejected(interval.lower + 0.25)).toBe(false);
        expect(isRejected(interval.upper - 0.25)).toBe(false);
      }),
    );
  });

  test('is missing for too few runs, equal values, an infinite end and an empty sample', () => {
    expect(computeShiftInterval([1, 2, 3], [4, 5, 6])).toBeNull();
    expect(computeShiftInterval([1, 1, 1, 1, 1], [1, 1, 1, 1, 1])).toBeNull();
    expect(computeShiftInterval([1, 2, Infinity, Infinity, Infinity], [4, 5, 6, 7, 8])).toBeNull();
    expect(computeShiftInterval([], [1])).toBeNull();
  });

  test('uses the normal approximation from 50 values on', () => {
    const values = Array.from({ length: 60 }, (_, index) => index);
    const shifted = values.map((value) => value + 0.5);
    // The exact distribution of U has the same C as its normal approximation.
    const rank = 1427;
    const differences = values.flatMap((x) => shifted.map((y) => x - y)).sort((x, y) => x - y);
    expect(computeShiftInterval(values, shifted)).toEqual({
      lower: differences[rank - 1],
      upper: differences[3600 - rank],
    });
  });
});
