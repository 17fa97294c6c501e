import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rank } from '#server/stats/rank.ts';
import { loadOracle } from './oracle.ts';

interface RankOracle {
  cases: { name: string; x: number[]; average: number[]; tie_sum_t3_minus_t: number }[];
}

describe.each((loadOracle('rankdata') as RankOracle).cases)('of the case $name', (expected) => {
  test('ranks and ties agree with the reference', () => {
    const { ranks, tieSum } = rank(expected.x);
    expect(ranks).toEqual(expected.average);
    expect(tieSum).toBe(expected.tie_sum_t3_minus_t);
  });
});

test('no values have no ranks', () => {
  expect(rank([])).toEqual({ ranks: [], tieSum: 0 });
});

test('negative zero ties with zero', () => {
  expect(rank([0, -0]).ranks).toEqual([1.5, 1.5]);
});

test('NaN has no rank', () => {
  expect(() => rank([1, NaN])).toThrow('NaN has no rank');
});

test('ranks add up to n(n + 1)/2 and follow their values through any permutation', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 50 }), (values) => {
      const { ranks } = rank(Object.freeze(values));
      const total = ranks.reduce((sum, value) => sum + value, 0);
      expect(total).toBe((values.length * (values.length + 1)) / 2);
      expect(rank(values.toReversed()).ranks.toReversed()).toEqual(ranks);
    }),
  );
});
