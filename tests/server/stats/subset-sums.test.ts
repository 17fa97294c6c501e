import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countSubsets } from '#server/stats/subset-sums.ts';

test('counts the subsets of a size with a sum up to the limit', () => {
  expect([2, 3, 4, 5, 6, 7].map((limit) => countSubsets([1, 2, 3, 4], 2, limit))).toEqual([
    0, 1, 2, 4, 5, 6,
  ]);
});

test('equal scores have one sum', () => {
  expect(countSubsets([3, 3, 3], 2, 6)).toBe(3);
  expect(countSubsets([3, 3, 3], 2, 5)).toBe(0);
});

test('is what trying every subset gives', () => {
  const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(scores, fc.nat(), fc.nat({ max: 60 }), (values, size, limit) => {
      const sorted = values.toSorted((a, b) => a - b);
      const chosen = size % (values.length + 1);
      const sums = Array.from({ length: 2 ** values.length }, (_, mask) =>
        sorted.filter((_score, index) => (mask >> index) & 1),
      ).filter((subset) => subset.length === chosen);
      const within = sums.filter((subset) => subset.reduce((a, b) => a + b, 0) <= limit);
      expect(countSubsets(Object.freeze(sorted), chosen, limit)).toBe(within.length);
    }),
  );
});
