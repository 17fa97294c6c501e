import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sum } from '#server/stats/sum.ts';

test('small terms survive large ones that cancel', () => {
  expect(sum([1, 1e100, 1, -1e100])).toBe(2);
  expect(sum([0.1, 0.2, 0.3, -0.6])).toBeCloseTo(0, 16);
});

test('nothing adds up to 0', () => {
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
      const exact = Number(values.reduce((total, value) => total + BigInt(value), 0n));
      expect(sum(values)).toBe(exact);
      expect(sum(values.toReversed())).toBe(exact);
    }),
  );
});
