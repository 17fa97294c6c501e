import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { linearBudgets, logarithmicBudgets } from '#server/stats/log-budgets.ts';

test('logarithmic budgets are whole, rise, and hold both ends', () => {
  expect(logarithmicBudgets(1, 100, 28)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 18, 22, 26, 30, 36, 43, 51, 60, 71, 84, 100,
  ]);
});

test('linear budgets are evenly spaced', () => {
  expect(linearBudgets(0, 10, 6)).toEqual([0, 2, 4, 6, 8, 10]);
});

test('a single budget is left when both ends are the same', () => {
  expect(logarithmicBudgets(5, 5, 64)).toEqual([5]);
  expect(linearBudgets(5, 5, 64)).toEqual([5]);
});

test('a first evaluation of 0 is on the linear grid, and the logarithmic one starts at 1', () => {
  expect(linearBudgets(0, 100, 64)[0]).toBe(0);
  expect(logarithmicBudgets(0, 100, 64)[0]).toBe(1);
});

test('without anything between the ends there are no budgets', () => {
  expect(logarithmicBudgets(1, 0, 64)).toEqual([]);
  expect(linearBudgets(10, 5, 64)).toEqual([]);
});

test('budgets stay within their ends and never repeat', () => {
  const ends = fc.tuple(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 1e9 }));
  fc.assert(
    fc.property(ends, ([first, span]) => {
      for (const budgets of [
        logarithmicBudgets(first, first + span, 64),
        linearBudgets(first, first + span, 64),
      ]) {
        expect(budgets[0]).toBe(first);
        expect(budgets.at(-1)).toBe(first + span);
        expect(budgets.every(Number.isInteger)).toBe(true);
        expect(budgets).toEqual([...new Set(budgets)].toSorted((a, b) => a - b));
      }
    }),
  );
});
