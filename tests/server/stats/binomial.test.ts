import { expect, test } from 'vitest';
import { binomial } from '#server/stats/binomial.ts';

test('counts the ways to choose', () => {
  expect([binomial(5, 0), binomial(5, 2), binomial(5, 5)]).toEqual([1, 10, 1]);
  expect(binomial(98, 49) / 2.547761225898086e28).toBeCloseTo(1, 13);
});
