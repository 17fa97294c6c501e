import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeMedian } from '#server/stats/descriptive.ts';
import { computeHodgesLehmann, computeVarghaDelaney } from '#server/stats/effect-size.ts';
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
