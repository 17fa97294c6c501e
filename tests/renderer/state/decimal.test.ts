import { expect, test } from 'vitest';
import { getDecimalProblem } from '#renderer/state/decimal.ts';

test('a field says what is wrong with a text, and nothing of an empty one', () => {
  expect(getDecimalProblem('')).toBeUndefined();
  expect(getDecimalProblem('-4')).toBeUndefined();
  expect(getDecimalProblem('1e999')).toBe('Not a number, such as 0.5 or 1e-3');
});
