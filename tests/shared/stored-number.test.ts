import { expect, test } from 'vitest';
import { numberIn } from '#shared/stored-number.ts';

test('digits in a field of numbers are read, and nothing else is a number', () => {
  expect([3, 0, -0.5, '12', ' 12 ', '1e-3'].map(numberIn)).toEqual([3, 0, -0.5, 12, 12, 0.001]);
  const none = ['', ' ', '\t\n', 'twelve', '1,5', 'Infinity', NaN, Infinity, null, undefined];
  expect(none.map(numberIn)).toEqual(none.map(() => null));
});
