import { expect, test } from 'vitest';
import { decimalProblem } from '#renderer/state/decimal.ts';
import { isDecimal, parseDecimal } from '#shared/decimal.ts';

test('a decimal number is one with digits, a point, an exponent and a sign at will', () => {
  for (const text of ['40', '-1.5', '.5', '1.', '1e-3', '+2', '1e999']) {
    expect(isDecimal(text), text).toBe(true);
  }
  for (const text of ['', ' ', 'abc', 'NaN', 'Infinity', '0x10', '1,5', '1 2', 'e3']) {
    expect(isDecimal(text), text).toBe(false);
  }
});

test('parseDecimal gives the finite number and nothing else', () => {
  expect(parseDecimal(' 1e-3 ')).toBe(0.001);
  expect(parseDecimal('0')).toBe(0);
  for (const text of ['', '1e999', 'low', '0x10']) expect(parseDecimal(text), text).toBeUndefined();
});

test('a field says what is wrong with a text, and nothing of an empty one', () => {
  expect(decimalProblem('')).toBeUndefined();
  expect(decimalProblem('-4')).toBeUndefined();
  expect(decimalProblem('1e999')).toBe('Not a number, such as 0.5 or 1e-3');
});
