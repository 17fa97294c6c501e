import { expect, test } from 'vitest';
import { bisectDecreasing } from '#server/stats/bisection.ts';

test('finds where a falling function passes a value, to the last bits', () => {
  expect(bisectDecreasing((x) => -(x ** 2), -2, 0, 10)).toBeCloseTo(Math.SQRT2, 15);
});

test('ends at the end that a function without crossing points to', () => {
  expect(bisectDecreasing(() => 1, 0, 0, 8)).toBeCloseTo(8, 12);
  expect(bisectDecreasing(() => -1, 0, 0, 8)).toBeCloseTo(0, 12);
});
