import { expect, test } from 'vitest';
import { getDecimalError, isSameDecimal } from '#renderer/state/decimal.ts';

test('a field reports an invalid number, and nothing for an empty text', () => {
  expect(getDecimalError('')).toBeUndefined();
  expect(getDecimalError('-4')).toBeUndefined();
  expect(getDecimalError('1e999')).toBe('Enter a number, such as 0.5 or 1e-3.');
});

test('two texts are the same number if both are numbers of one size, or the same text', () => {
  for (const [one, other] of [
    ['0.0', '0'],
    ['1e-3', '0.001'],
    ['', ''],
    ['x', 'x'],
  ] as const)
    expect(isSameDecimal(one, other), one).toBe(true);
  for (const [one, other] of [
    ['0.0', ''],
    ['x', ''],
    ['1', '2'],
  ] as const)
    expect(isSameDecimal(one, other), one).toBe(false);
});
